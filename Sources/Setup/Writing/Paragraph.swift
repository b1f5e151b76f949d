import MailCore

/// Text for a terminal, broken between words.
package enum Paragraph {
  /// - Parameter text: one paragraph. What begins with a blank is a line of a table and stays whole where it fits.
  package static func lines(_ text: String, width: Int = 80) -> [String] {
    if text.hasPrefix(" "), TextWidth.columns(of: text) <= width { return [text] }
    let indent = String(text.prefix { $0 == " " })
    var lines: [String] = []
    var line = indent
    // Kept beside the line, so that a long text is not measured again for each word.
    var columns = indent.count
    for word in text.split(separator: " ") {
      let wide = TextWidth.columns(of: String(word))
      if columns > indent.count, columns + 1 + wide > width {
        lines.append(line)
        line = indent.isEmpty ? "" : indent + "  "
        columns = line.count
      }
      let gap = line.allSatisfy { $0 == " " } ? "" : " "
      line += gap + word
      columns += gap.count + wide
    }
    lines.append(line)
    return lines
  }
}
