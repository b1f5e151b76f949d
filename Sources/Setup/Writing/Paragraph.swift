/// Text for a terminal, broken between words.
package enum Paragraph {
  /// - Parameter text: one paragraph. What begins with a blank is a line of a table and stays whole where it fits.
  package static func lines(_ text: String, width: Int = 80) -> [String] {
    if text.hasPrefix(" "), text.count <= width { return [text] }
    let indent = String(text.prefix { $0 == " " })
    var lines: [String] = []
    var line = indent
    for word in text.split(separator: " ") {
      if line.count > indent.count, line.count + 1 + word.count > width {
        lines.append(line)
        line = indent + "  "
        if indent.isEmpty { line = "" }
      }
      line += (line.allSatisfy { $0 == " " } ? "" : " ") + word
    }
    lines.append(line)
    return lines
  }
}
