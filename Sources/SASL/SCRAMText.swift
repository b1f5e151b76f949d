/// The text forms of SCRAM and GS2 (RFC 5802 §7, RFC 5801 §4).
enum SCRAMText {
  /// `,` and `=` may not stand in a saslname.
  static func escaped(_ name: String) -> String {
    guard name.utf8.contains(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "=") }) else {
      return name
    }
    var text = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case ",": text += "=2C"
      case "=": text += "=3D"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// Splits `k=value,…` in order; nil where an attribute lacks its letter or `=`.
  static func attributes(_ message: [UInt8]) -> [(key: UInt8, value: ArraySlice<UInt8>)]? {
    var attributes: [(key: UInt8, value: ArraySlice<UInt8>)] = []
    for part in message.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard part.count >= 2, part[part.startIndex + 1] == UInt8(ascii: "=") else { return nil }
      attributes.append((part[part.startIndex], part.dropFirst(2)))
    }
    return attributes
  }

  /// posit-number: no sign, no leading zero, no overflow.
  static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard let first = digits.first, first != UInt8(ascii: "0"), digits.count <= 18 else {
      return nil
    }
    var value = 0
    for digit in digits {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      value = value * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return value
  }
}
