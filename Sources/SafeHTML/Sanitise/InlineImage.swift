import MailCore

/// Pictures that stand in the page itself.
package enum InlineImage {
  /// Whether an address holds a picture of a kind that neither runs nor loads: no SVG.
  static func isAllowed(_ address: PageBytes) -> Bool {
    let kinds: [StaticString] = [
      "data:image/png;base64,", "data:image/jpeg;base64,", "data:image/gif;base64,",
      "data:image/webp;base64,",
    ]
    guard let kind = kinds.first(where: { address.begins(with: $0) }) else { return false }
    return address.dropFirst(kind.utf8CodeUnitCount).allSatisfy {
      ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == ASCII.slash || $0 == UInt8(ascii: "+")
        || $0 == UInt8(ascii: "=")
    }
  }

  /// An address that holds these bytes; nil where their beginning is none of a picture's, whatever they are called.
  package static func address(of bytes: UnsafeRawBufferPointer) -> String? {
    guard let kind = kind(of: bytes) else { return nil }
    return "data:image/\(kind);base64,"
      + String(decoding: Base64.encode(Array(bytes)), as: UTF8.self)
  }

  package static func kind(of bytes: UnsafeRawBufferPointer) -> String? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "png" }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "jpeg" }
    if bytes.starts(with: "GIF8".utf8) { return "gif" }
    if bytes.count > 12, bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WEBP".utf8) {
      return "webp"
    }
    return nil
  }
}

extension ImageShape {
  /// What an `img` says of its size.
  init(_ element: PageElement) {
    for (name, value) in element.attributes {
      if name.equals("width") {
        width = StyleWords.number(value.trimmed)
      } else if name.equals("height") {
        height = StyleWords.number(value.trimmed)
      } else if name.equals("style") {
        for (property, value) in Declarations(value) {
          if property.equals("width") || property.equals("max-width") {
            width = StyleWords.number(value) ?? width
          }
          if property.equals("height") || property.equals("max-height") {
            height = StyleWords.number(value) ?? height
          }
        }
      }
    }
  }
}
