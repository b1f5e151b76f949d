import MailCore

extension String {
  /// As ``readable``, with tabs filled up to every eighth column, for the lines of a body.
  package var readableLine: String {
    guard utf8.contains(UInt8(ascii: "\t")) else { return readable }
    var text = ""
    var column = 0
    for piece in split(separator: "\t", omittingEmptySubsequences: false) {
      if !text.isEmpty || column > 0 {
        let blanks = 8 - column % 8
        text += String(repeating: " ", count: blanks)
        column += blanks
      } else if piece.startIndex != startIndex {
        text += String(repeating: " ", count: 8)
        column = 8
      }
      let part = String(piece).readable
      text += part
      column += DisplayWidth.columns(of: part)
    }
    return text
  }
}
