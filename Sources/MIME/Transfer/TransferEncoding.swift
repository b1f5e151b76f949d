/// How a part's body was made fit for transport (RFC 2045 §6).
package enum TransferEncoding: UInt8, Sendable, Hashable {
  /// 7bit, 8bit, binary: the bytes are what they are.
  case identity
  case quotedPrintable
  case base64
  case uuencode
  /// A name we don't know: read as it stands.
  case unknown

  /// Reads a Content-Transfer-Encoding field's value.
  ///
  /// Comments, quotes, trailing `;` and the usual typos (`7-bit`, `8bits`, `quoted_printable`, `base-64`, `qp`) are
  /// understood: letters and digits count only.
  package init(headerValue: UnsafeRawBufferPointer) {
    var name: [UInt8] = []
    var depth = 0
    for byte in headerValue.prefix(256) {
      switch byte {
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"): depth = max(0, depth - 1)
      case _ where depth > 0: continue
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): name.append(byte | 0x20)
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        name.append(byte)
      default: continue
      }
      if name.count > 24 { break }
    }
    self = Self.named(String(decoding: name, as: UTF8.self))
  }

  private static func named(_ name: String) -> TransferEncoding {
    switch name {
    case "", "7bit", "8bit", "binary", "7bits", "8bits", "7", "8", "none", "ascii", "plain",
      "7bitascii":
      .identity
    case "quotedprintable", "qp", "quoted", "printable", "quotedprintible": .quotedPrintable
    case "base64", "b64", "xbase64", "bse64", "basa64": .base64
    case "uuencode", "xuuencode", "uue", "xuue", "xuu", "uu": .uuencode
    default: .unknown
    }
  }
}
