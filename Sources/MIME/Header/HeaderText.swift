/// The text of header fields: unfolded, RFC 2047 words decoded, raw bytes beyond ASCII guessed.
package enum HeaderText {
  /// Decodes the value of an unstructured field, one line without blanks at its ends.
  ///
  /// Raw bytes that are no UTF-8 are read as `fallback`; ``MessageStructure/headerFallback(_:)`` is a good
  /// one.
  package static func decode(
    _ bytes: UnsafeRawBufferPointer, fallback: Charset = .windows1252
  ) -> String {
    guard !isPlain(bytes) else { return String(decoding: bytes, as: UTF8.self) }
    var text: [UInt8] = []
    append(bytes, fallback: fallback, into: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes as ``decode(_:fallback:)`` does and appends UTF-8.
  package static func append(
    _ bytes: UnsafeRawBufferPointer, fallback: Charset = .windows1252, into text: inout [UInt8]
  ) {
    let value = bytes.slice(bytes.trimmed(0..<bytes.count))
    guard !isPlain(value) else {
      text.append(contentsOf: value)
      return
    }
    let start = text.count
    var decoder = HeaderTextDecoder(value, fallback: fallback)
    decoder.run(into: &text)
    flatten(&text, from: start)
  }

  /// Text in a charset already known, as in RFC 2231.
  static func decode(_ bytes: [UInt8], charset: String?) -> String {
    var text: [UInt8] = []
    bytes.withUnsafeBytes { _ = Charset.appendUTF8($0, label: charset, into: &text) }
    flatten(&text, from: 0)
    return String(decoding: text, as: UTF8.self)
  }

  /// Printable ASCII without anything to decode.
  private static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var previous: UInt8 = 0
    for byte in bytes {
      if byte < 0x20 || byte > 0x7E || (byte == ASCII.question && previous == ASCII.equals) {
        return false
      }
      previous = byte
    }
    return true
  }

  /// Makes one line of it: line breaks of a fold go, those that were encoded become blanks, and
  /// NULs go.
  private static func flatten(_ text: inout [UInt8], from start: Int) {
    var kept = start
    for place in start..<text.count {
      switch text[place] {
      case 0: continue
      case ASCII.lf, ASCII.cr, ASCII.tab: text[kept] = ASCII.space
      case let byte: text[kept] = byte
      }
      kept += 1
    }
    while kept > start, text[kept - 1] == ASCII.space { kept -= 1 }
    text.removeSubrange(kept...)
    let blanks = text[start...].prefix { $0 == ASCII.space }.count
    text.removeSubrange(start..<start + blanks)
  }
}
