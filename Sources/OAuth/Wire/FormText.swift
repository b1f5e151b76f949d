import MailCore

/// `application/x-www-form-urlencoded` (RFC 6749 appendix B): what is posted, and what stands in a query.
struct FormText {
  private var pairs: [(name: String, value: Secret)] = []
  /// The values that were given as secrets, for keeping them out of error texts.
  private(set) var secrets: [Secret] = []

  init(_ pairs: KeyValuePairs<String, String> = [:]) {
    self.pairs = pairs.map { ($0.key, Secret($0.value)) }
  }

  mutating func add(_ name: String, _ value: String) { pairs.append((name, Secret(value))) }

  mutating func add(_ name: String, _ value: Secret) {
    pairs.append((name, value))
    secrets.append(value)
  }

  /// To be taken for a secret, unless nothing in it is.
  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    for (index, pair) in pairs.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: "&")) }
      bytes += Self.encode(pair.name.utf8) + [UInt8(ascii: "=")]
      bytes += pair.value.withBytes { Self.encode($0) }
    }
    return bytes
  }

  /// RFC 3986 §2.3 unreserved stays; all else is escaped, a blank too, which every decoder understands.
  static func encode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        text.append(byte)
      default: text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return text
  }

  /// The names and values of a query; nil where an escape is broken or a name stands twice (RFC 6749 §3.1).
  static func decode(_ query: some Sequence<UInt8>) -> [String: [UInt8]]? {
    var found: [String: [UInt8]] = [:]
    for pair in Array(query).split(separator: UInt8(ascii: "&")) {
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      guard let name = unescaped(pair[..<equals]),
        let value = unescaped(pair[equals...].dropFirst()),
        found.updateValue(value, forKey: String(decoding: name, as: UTF8.self)) == nil
      else { return nil }
    }
    return found
  }

  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var index = text.startIndex
    while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: "+"): bytes.append(0x20)
      case UInt8(ascii: "%"):
        guard index + 2 < text.endIndex, let high = nibble(text[index + 1]),
          let low = nibble(text[index + 2])
        else { return nil }
        bytes.append(high << 4 | low)
        index += 2
      case let byte: bytes.append(byte)
      }
      index += 1
    }
    return bytes
  }

  private static func nibble(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
