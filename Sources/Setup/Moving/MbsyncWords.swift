/// The lines of an mbsync configuration as words, in sections (mbsync(1), CONFIGURATION).
struct MbsyncWords {
  struct Section {
    /// In lower case: `imapstore`, `channel` …
    var kind: String
    var name: String
    var settings: [(key: String, values: [String])] = []

    /// The last of that name: later lines overrule earlier ones.
    func first(_ keys: String...) -> String? {
      settings.last { keys.contains($0.key) && !$0.values.isEmpty }?.values.first
    }

    func all(_ keys: String...) -> [String] {
      settings.filter { keys.contains($0.key) }.flatMap(\.values)
    }
  }

  private(set) var sections: [Section] = []
  private static let kinds: Set<String> = [
    "imapaccount", "imapstore", "maildirstore", "channel", "group",
  ]

  init(_ text: String) {
    var open = false
    // A pair of CR and LF is one character.
    let lines = text.replacing("\r\n", with: "\n")
      .split(separator: "\n", omittingEmptySubsequences: false)
    for line in lines {
      let words = Self.words(line)
      guard let key = words.first?.lowercased() else {
        // An empty line ends a section; a comment does not.
        if line.allSatisfy(\.isWhitespace) { open = false }
        continue
      }
      let values = Array(words.dropFirst())
      if Self.kinds.contains(key) {
        sections.append(Section(kind: key, name: values.first ?? ""))
        open = true
      } else if open {
        sections[sections.count - 1].settings.append((key, values))
      }
    }
  }

  func all(_ kind: String) -> [Section] { sections.filter { $0.kind == kind } }

  /// Words between blanks; double quotes hold blanks, a backslash takes the next character as it stands.
  static func words(_ line: Substring) -> [String] {
    var words: [String] = []
    var word: String?
    var isQuoted = false
    var isEscaped = false
    for character in line {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        isQuoted.toggle()
        word = word ?? ""
      } else if character.isWhitespace, !isQuoted {
        if let ended = word { words.append(ended) }
        word = nil
      } else if character == "#", word == nil, words.isEmpty, !isQuoted {
        return []
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let ended = word { words.append(ended) }
    return words
  }
}
