/// A page of the manual as text, for machines without `man` and `mandoc`: what of mdoc(7) our pages use.
struct PlainManual {
  private static let width = 78

  private var lines: [String] = []
  /// Of the paragraph that is being filled.
  private var words: [String] = []
  private var isLiteral = false
  private var lists: [List] = []
  private var indent = 0
  private var section = ""
  /// What `.Nm` without a name stands for.
  private var name = ""

  private struct List {
    var isNumbered: Bool
    var isBulleted: Bool
    var isCompact: Bool
    var count = 0
    /// Of the text around it.
    var indent: Int
  }

  static func text(of source: String) -> String {
    var page = PlainManual()
    for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
      page.take(line)
    }
    page.flush()
    return page.lines.joined(separator: "\n") + "\n"
  }

  private mutating func take(_ line: Substring) {
    guard line.first == ".", !isLiteral || line.hasPrefix(".Ed") else {
      if isLiteral { return literal(MdocWords.plain(String(line))) }
      words += line.split(separator: " ").map { MdocWords.plain(String($0)) }
      return
    }
    var arguments = MdocWords.split(line.dropFirst())
    guard !arguments.isEmpty else { return }
    let macro = arguments.removeFirst()
    switch macro {
    case "Dd", "Dt", "Os", "\\\"", "Rs", "Re": flush()
    case "Sh", "Ss":
      flush()
      (indent, lists) = (macro == "Sh" ? 2 : 4, [])
      section = arguments.joined(separator: " ")
      lines += [
        "",
        String(repeating: " ", count: macro == "Sh" ? 0 : 2)
          + MdocWords.inline(arguments, name: name),
      ]
    case "Pp": paragraph()
    case "Bl": begin(arguments)
    case "It": item(arguments)
    case "El":
      flush()
      if let list = lists.popLast() { indent = list.indent }
    case "Bd":
      paragraph()
      isLiteral = true
    case "Ed": isLiteral = false
    case "Dl":
      flush()
      literal(MdocWords.inline(arguments, name: name))
    case "Nd": words.append("– " + MdocWords.inline(arguments, name: name))
    case "Nm":
      if name.isEmpty, let first = arguments.first { name = first }
      // In the synopsis each begins a line.
      if section == "SYNOPSIS" { flush() }
      words.append(MdocWords.inline([macro] + arguments, name: name))
    default: words.append(MdocWords.inline([macro] + arguments, name: name))
    }
  }

  // MARK: Blocks

  private mutating func begin(_ arguments: [String]) {
    flush()
    lists.append(
      List(
        isNumbered: arguments.contains("-enum"),
        isBulleted: arguments.contains("-bullet") || arguments.contains("-dash"),
        isCompact: arguments.contains("-compact"), indent: indent))
  }

  private mutating func item(_ arguments: [String]) {
    flush()
    guard var list = lists.popLast() else { return }
    list.count += 1
    lists.append(list)
    if !list.isCompact, lines.last != "" { lines.append("") }
    indent = list.indent
    let mark = list.isNumbered ? "\(list.count)." : list.isBulleted ? "•" : nil
    if let mark {
      words.append(mark)
    } else {
      words.append(MdocWords.inline(arguments, name: name))
      flush()
      indent = list.indent + 6
    }
  }

  private mutating func paragraph() {
    flush()
    if lines.last != "" { lines.append("") }
  }

  private mutating func literal(_ text: String) {
    lines.append(text.isEmpty ? "" : String(repeating: " ", count: indent + 4) + text)
  }

  /// Breaks the paragraph into lines.
  private mutating func flush() {
    let margin = String(repeating: " ", count: indent)
    var line = ""
    for word in words.joined(separator: " ").split(separator: " ") {
      // Closing punctuation stands at a line's beginning in the source.
      let isClosing = word.count == 1 && MdocWords.closing.contains(String(word))
      if line.isEmpty {
        line = margin + String(word)
      } else if isClosing {
        line += word
      } else if line.count + word.count < Self.width {
        line += " \(word)"
      } else {
        lines.append(line)
        line = margin + String(word)
      }
    }
    if !line.isEmpty { lines.append(line) }
    words = []
  }
}
