/// A page of the manual as text, for machines without `man` and `mandoc`: what of mdoc(7) our pages use.
struct PlainManual {
  private static let width = 78
  private static let closing: Set<String> = [".", ",", ";", ":", "?", "!", ")", "]"]
  /// Enclose all that follows on their line.
  private static let quotes = [
    "Op": ("[", "]"), "Pq": ("(", ")"), "Sq": ("‘", "’"), "Ql": ("‘", "’"), "Dq": ("“", "”"),
    "Qq": ("\"", "\""),
  ]
  /// Only say how their words look.
  private static let faces: Set<String> = [
    "Ar", "Cm", "Ic", "Li", "Va", "Pa", "Ev", "Dv", "Em", "Sy", "Sx", "Fn", "%T", "%R", "%U",
  ]
  /// In this order: what comes of the last is none.
  private static let escapes: KeyValuePairs = [
    #"\&"#: "", #"\(dq"#: "\"", #"\(aq"#: "'", #"\e"#: "\\",
  ]

  private var lines: [String] = []
  private var paragraph = ""
  private var isLiteral = false
  private var isSynopsis = false
  /// How many lists the text lies in.
  private var depth = 0
  private var items = 0
  /// What `.Nm` without a name stands for.
  private var name = ""

  static func text(of source: String) -> String {
    var page = PlainManual()
    for line in source.split(separator: "\n", omittingEmptySubsequences: false) { page.add(line) }
    page.flush()
    return page.lines.joined(separator: "\n") + "\n"
  }

  private mutating func add(_ line: Substring) {
    guard line.first == ".", !isLiteral || line == ".Ed" else {
      if !isLiteral {
        paragraph += " " + Self.plain(line)
        return
      }
      return lines.append(line.isEmpty ? "" : margin(depth) + "    " + Self.plain(line))
    }
    let words = Self.words(line.dropFirst())
    let arguments = Array(words.dropFirst())
    switch words.first {
    case nil, "Dd", "Dt", "Os", #"\""#: break
    case "Sh", "Ss":
      flush()
      isSynopsis = arguments == ["SYNOPSIS"]
      lines += ["", (words[0] == "Sh" ? "" : " ") + inline(arguments)]
    case "Pp", "Rs", "Re", "Bd", "Ed":
      flush()
      isLiteral = words[0] == "Bd"
      if lines.last != "", words[0] != "Ed" { lines.append("") }
    case "Bl":
      flush()
      (depth, items) = (depth + 1, 0)
    case "El":
      flush()
      depth -= 1
    case "It":
      flush()
      items += 1
      paragraph = arguments.isEmpty ? "\(items)." : inline(arguments)
      flush(depth - 1)
    case "Dl":
      flush()
      lines.append(margin(depth) + "    " + inline(arguments))
    case "Nd": paragraph += " – " + inline(arguments)
    default:
      if words[0] == "Nm", isSynopsis { flush() }
      if words[0] == "Nm", name.isEmpty { name = arguments.first ?? "" }
      paragraph += " " + inline(words)
    }
  }

  /// At blanks; a quotation mark at a word's beginning ends at another's end.
  private static func words(_ line: Substring) -> [String] {
    var isQuoted = false
    return line.split(separator: " ").map { word in
      var word = word
      if !isQuoted, word.first == "\"" {
        isQuoted = true
        word.removeFirst()
      }
      if isQuoted, word.last == "\"" {
        isQuoted = false
        word.removeLast()
      }
      return String(word)
    }
  }

  /// A line of macros as a reader sees it.
  private func inline(_ words: [String]) -> String {
    // Punctuation at the end stands outside of quotes.
    let tail = words.reversed().prefix { Self.closing.contains($0) }.reversed().joined()
    var rest = words.dropLast(tail.count)
    var (text, ends, dash, isGlued) = ("", "", "", true)
    func put(_ word: String) {
      text += (isGlued || Self.closing.contains(word) ? "" : " ") + Self.plain(word)
      isGlued = word == "(" || word == "["
    }
    while let word = rest.popFirst() {
      if let (left, right) = Self.quotes[word] {
        put(left)
        (isGlued, ends, dash) = (true, right + ends, "")
      } else if Self.faces.contains(word) {
        dash = ""
      } else {
        switch word {
        case "Ns": (isGlued, dash) = (true, "")
        case "Fl": dash = "-"
        case "Oo": put("[")
        case "Oc": put("]")
        case "Nm": if rest.isEmpty { put(name) }
        case "Xr": put("\(rest.popFirst() ?? "")(\(rest.popFirst() ?? ""))")
        case "|": put(word)
        default: put(Self.closing.contains(word) ? word : dash + word)
        }
      }
    }
    return text + ends + tail
  }

  private static func plain(_ text: some StringProtocol) -> String {
    escapes.reduce(String(text)) { $0.replacing($1.key, with: $1.value) }
  }

  private func margin(_ depth: Int) -> String { String(repeating: " ", count: 2 + 6 * depth) }

  private mutating func flush(_ depth: Int? = nil) {
    let margin = margin(depth ?? self.depth)
    var line = ""
    for word in paragraph.split(separator: " ") {
      if !line.isEmpty, line.count + word.count >= Self.width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? margin : " ") + word
    }
    if !line.isEmpty { lines.append(line) }
    paragraph = ""
  }
}
