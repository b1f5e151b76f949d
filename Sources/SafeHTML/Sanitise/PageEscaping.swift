/// Text as it may stand between tags and in a quoted attribute alike.
package enum PageEscaping {
  static func append(_ text: PageBytes, into out: inout [UInt8]) {
    var start = 0
    for (place, byte) in text.enumerated() {
      let replacement: StaticString
      switch byte {
      case UInt8(ascii: "&"): replacement = "&amp;"
      case ASCII.less: replacement = "&lt;"
      case ASCII.greater: replacement = "&gt;"
      case ASCII.quote: replacement = "&quot;"
      case ASCII.apostrophe: replacement = "&#39;"
      case UInt8(ascii: "`"): replacement = "&#96;"
      case ASCII.lf, ASCII.tab: continue
      // A carriage return would become a line feed, other controls nothing that anybody wants.
      case ..<ASCII.space, 0x7F: replacement = " "
      default: continue
      }
      out.append(contentsOf: text[start..<place])
      replacement.withUTF8Buffer { out.append(contentsOf: $0) }
      start = place + 1
    }
    out.append(contentsOf: text[start...])
  }

  static func append(_ text: [UInt8], into out: inout [UInt8]) {
    text.withUnsafeBytes { append($0, into: &out) }
  }

  package static func escaped(_ text: String) -> String {
    var out: [UInt8] = []
    append(Array(text.utf8), into: &out)
    return String(decoding: out, as: UTF8.self)
  }
}
