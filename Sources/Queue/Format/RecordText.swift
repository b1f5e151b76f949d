import Maildir

/// The text that envelope and phase are kept in: `key value` lines between a line that names kind and
/// version and one with a hash of everything above it, so that a torn or altered file never passes.
///
///     mirror-phase 1
///     state queued
///     end 0123456789abcdef
///
/// UTF-8. `%`, controls and DEL in values are `%` and two hex digits.
struct RecordText {
  private(set) var bytes: [UInt8]

  init(kind: String, version: Int) { bytes = Array("\(kind) \(version)\n".utf8) }

  mutating func add(_ key: String, _ value: String) {
    bytes += Array(key.utf8)
    bytes.append(UInt8(ascii: " "))
    for byte in value.utf8 {
      if byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "%") {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(Self.digits[Int(byte >> 4)])
        bytes.append(Self.digits[Int(byte & 15)])
      } else {
        bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  mutating func add(_ key: String, _ value: some BinaryInteger) { add(key, String(value)) }

  /// The whole file.
  consuming func finished() -> [UInt8] {
    bytes += Self.ending(of: bytes)
    return bytes
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  fileprivate static func ending(of bytes: some Collection<UInt8>) -> [UInt8] {
    let hash = String(XXH3.hash(Array(bytes)), radix: 16)
    return Array("end \(String(repeating: "0", count: 16 - hash.count))\(hash)\n".utf8)
  }
}

/// Why a record cannot be used.
package enum RecordDamage: Error, Equatable, Sendable {
  /// Cut short, altered, or no such record.
  case broken
  /// Whole, but written by a newer program.
  case newer(version: Int)
  /// Whole, but a value is none, or one is missing or there twice.
  case field(String)
}

/// A record's fields, handed out one key at a time; what nobody asked for is damage.
struct RecordFields {
  private var values: [String: [String]] = [:]

  init(_ bytes: [UInt8], kind: String, version: Int) throws(RecordDamage) {
    // "end " + 16 digits + line feed.
    guard bytes.count > 21,
      bytes.suffix(21).elementsEqual(RecordText.ending(of: bytes.dropLast(21)))
    else { throw .broken }
    let lines = bytes.dropLast(22).split(separator: 0x0A, omittingEmptySubsequences: false)
    guard let first = lines.first, first.starts(with: Array(kind.utf8)),
      let written = Int(String(decoding: first.dropFirst(kind.utf8.count + 1), as: UTF8.self))
    else { throw .broken }
    guard written == version else {
      if written > version { throw .newer(version: written) }
      throw .broken
    }
    for line in lines.dropFirst() {
      guard let blank = line.firstIndex(of: UInt8(ascii: " ")) else { throw .broken }
      let key = String(decoding: line[..<blank], as: UTF8.self)
      guard let value = Self.decoded(line[(blank + 1)...]) else { throw .field(key) }
      values[key, default: []].append(value)
    }
  }

  mutating func all(_ key: String) -> [String] { values.removeValue(forKey: key) ?? [] }

  mutating func optional(_ key: String) throws(RecordDamage) -> String? {
    let found = all(key)
    guard found.count < 2 else { throw .field(key) }
    return found.first
  }

  mutating func required(_ key: String) throws(RecordDamage) -> String {
    guard let value = try optional(key) else { throw .field(key) }
    return value
  }

  /// A value that `read` understands, or damage.
  mutating func required<V>(_ key: String, _ read: (String) -> V?) throws(RecordDamage) -> V {
    guard let value = read(try required(key)) else { throw .field(key) }
    return value
  }

  mutating func optional<V>(_ key: String, _ read: (String) -> V?) throws(RecordDamage) -> V? {
    guard let text = try optional(key) else { return nil }
    guard let value = read(text) else { throw .field(key) }
    return value
  }

  /// To be called last.
  func finish() throws(RecordDamage) {
    if let key = values.keys.min() { throw .field(key) }
  }

  private static func decoded(_ text: ArraySlice<UInt8>) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst(), let low = rest.popFirst(),
        let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(value)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
