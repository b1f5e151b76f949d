#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Values as JSON: keys sorted and in snake_case, slashes as they are, dates as RFC 3339.
///
/// Characters that could drive a terminal come as `\u…` escapes, which changes no value (promise 9).
package enum JSONText {
  /// Ends with a line feed. One line where not `pretty`.
  package static func encode(_ value: some Encodable, pretty: Bool) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
    encoder.dateEncodingStrategy = .iso8601
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let data = try encoder.encode(value)
    return harmless(String(decoding: data, as: UTF8.self)) + "\n"
  }

  /// The encoder escapes C0 itself; line feeds are its own.
  private static func harmless(_ json: String) -> String {
    guard json.unicodeScalars.contains(where: isRisky) else { return json }
    var text = ""
    for scalar in json.unicodeScalars {
      if isRisky(scalar) {
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private static func isRisky(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x7F...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: true
    default: false
    }
  }
}
