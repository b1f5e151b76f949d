/// IMAP4rev1's encoding of mailbox names: ASCII, and base64 of UTF-16 between `&` and `-`
/// (RFC 3501 §5.1.3).
package enum ModifiedUTF7 {
  /// Nil where the bytes are not in that encoding.
  package static func decode(_ bytes: some Collection<UInt8>) -> String? {
    var scalars = String.UnicodeScalarView()
    var i = bytes.startIndex
    while i < bytes.endIndex {
      let byte = bytes[i]
      i = bytes.index(after: i)
      guard byte < 0x80 else { return nil }
      if byte != UInt8(ascii: "&") {
        scalars.append(Unicode.Scalar(byte))
        continue
      }
      guard let dash = bytes[i...].firstIndex(of: UInt8(ascii: "-")) else { return nil }
      if dash == i {
        scalars.append("&")
      } else {
        guard let run = decodeRun(bytes[i..<dash]) else { return nil }
        scalars.append(contentsOf: run)
      }
      i = bytes.index(after: dash)
    }
    return String(scalars)
  }

  private static func decodeRun(_ run: some Collection<UInt8>) -> [Unicode.Scalar]? {
    var units: [UInt16] = []
    var bits: UInt32 = 0
    var count = 0
    for byte in run {
      guard let value = value(of: byte) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 16 {
        count -= 16
        units.append(UInt16(truncatingIfNeeded: bits >> UInt32(count)))
        bits &= (1 << UInt32(count)) - 1
      }
    }
    guard !units.isEmpty, bits == 0 else { return nil }  // padding bits are zero
    var scalars: [Unicode.Scalar] = []
    var decoder = UTF16()
    var iterator = units.makeIterator()
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): scalars.append(scalar)
      case .emptyInput: return scalars
      case .error: return nil
      }
    }
  }

  private static func value(of byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: ","): 63
    default: nil
    }
  }

  /// One way for each name: plain ASCII as it stands.
  package static func encode(_ text: String) -> [UInt8] {
    var result: [UInt8] = []
    var run: [UInt16] = []
    for scalar in text.unicodeScalars {
      if scalar.value >= 0x20, scalar.value < 0x7F {
        flush(&run, into: &result)
        result.append(UInt8(scalar.value))
        if scalar == "&" { result.append(UInt8(ascii: "-")) }
      } else {
        run.append(contentsOf: UTF16.encode(scalar).map(Array.init) ?? [])
      }
    }
    flush(&run, into: &result)
    return result
  }

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,".utf8)

  private static func flush(_ run: inout [UInt16], into result: inout [UInt8]) {
    guard !run.isEmpty else { return }
    result.append(UInt8(ascii: "&"))
    var bits: UInt32 = 0
    var count = 0
    for unit in run {
      bits = bits << 16 | UInt32(unit)
      count += 16
      while count >= 6 {
        count -= 6
        result.append(alphabet[Int(bits >> UInt32(count) & 63)])
      }
      bits &= (1 << UInt32(count)) - 1
    }
    if count > 0 { result.append(alphabet[Int(bits << UInt32(6 - count) & 63)]) }
    result.append(UInt8(ascii: "-"))
    run.removeAll(keepingCapacity: true)
  }
}
