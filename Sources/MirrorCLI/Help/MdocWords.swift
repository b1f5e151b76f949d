/// The words of one line of mdoc(7): macros among them, escapes in them.
enum MdocWords {
  static let closing: Set<String> = [".", ",", ";", ":", "?", "!", ")", "]"]
  private static let opening: Set<String> = ["(", "["]
  /// Enclose all that follows on their line.
  private static let quotes: [String: (String, String)] = [
    "Op": ("[", "]"), "Pq": ("(", ")"), "Sq": ("‘", "’"), "Ql": ("‘", "’"), "Dq": ("“", "”"),
    "Qq": ("\"", "\""),
  ]
  /// Only say how their words look.
  private static let faces: Set<String> = [
    "Ar", "Cm", "Ic", "Li", "Va", "Pa", "Ev", "Dv", "Em", "Sy", "Sx", "Fn", "%T", "%R", "%U",
  ]

  /// At blanks, but for those in quotation marks.
  static func split(_ line: Substring) -> [String] {
    var words: [String] = []
    var word = ""
    var isQuoted = false
    for character in line {
      if character == "\"", isQuoted || word.isEmpty {
        if isQuoted { words.append(word) }
        (word, isQuoted) = ("", !isQuoted)
      } else if character == " ", !isQuoted {
        if !word.isEmpty { words.append(word) }
        word = ""
      } else {
        word.append(character)
      }
    }
    if !word.isEmpty { words.append(word) }
    return words
  }

  /// A line's words as a reader sees them.
  static func inline(_ words: [String], name: String) -> String {
    var text = ""
    var isGlued = true
    // What is escaped is no punctuation.
    func put(_ word: String) {
      if !isGlued, !closing.contains(word) { text += " " }
      text += plain(word)
      isGlued = opening.contains(word)
    }
    var rest = words[...]
    while let word = rest.popFirst() {
      if let (left, right) = quotes[word] {
        // Punctuation at the end stands outside.
        var inner = rest
        var tail: [String] = []
        while let last = inner.last, closing.contains(last) {
          tail.insert(inner.removeLast(), at: 0)
        }
        put(left)
        isGlued = true
        // Done already, so not once more.
        text += inline(Array(inner), name: name) + right
        isGlued = false
        for mark in tail { put(mark) }
        return text
      }
      switch word {
      case "Ns": isGlued = true
      case "Oo":
        put("[")
        isGlued = true
      case "Oc":
        isGlued = true
        put("]")
      case "Fl":
        let flags = arguments(&rest)
        if flags.isEmpty { put("-") }
        for flag in flags { put(flag == "|" || closing.contains(flag) ? flag : "-" + flag) }
      case "Nm":
        let given = arguments(&rest)
        for word in given.isEmpty ? [name] : given { put(word) }
      case "Xr":
        let given = arguments(&rest)
        guard given.count > 1 else { continue }
        put("\(given[0])(\(given[1]))")
        for mark in given.dropFirst(2) { put(mark) }
      case _ where faces.contains(word): continue
      default: put(word)
      }
    }
    return text
  }

  /// Up to the next macro.
  private static func arguments(_ rest: inout ArraySlice<String>) -> [String] {
    var found: [String] = []
    while let word = rest.first, !isMacro(word) { found.append(rest.removeFirst()) }
    return found
  }

  private static func isMacro(_ word: String) -> Bool {
    quotes[word] != nil || faces.contains(word)
      || ["Ns", "Oo", "Oc", "Fl", "Nm", "Xr"].contains(word)
  }

  private static let escapes: [String: String] = [
    "dq": "\"", "aq": "'", "em": "—", "en": "–", "lq": "“", "rq": "”", "ti": "~", "ha": "^",
    "bu": "•",
  ]

  /// Without escapes: `\e`, `\&`, `\-`, `\(dq`.
  static func plain(_ word: String) -> String {
    guard word.contains("\\") else { return word }
    var text = ""
    var rest = word[...]
    while let character = rest.popFirst() {
      guard character == "\\", let next = rest.popFirst() else {
        text.append(character)
        continue
      }
      switch next {
      case "&": break
      case "e": text += "\\"
      case "(":
        text += escapes[String(rest.prefix(2))] ?? ""
        rest = rest.dropFirst(2)
      default: text.append(next)
      }
    }
    return text
  }
}
