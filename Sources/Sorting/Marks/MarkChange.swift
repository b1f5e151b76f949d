import MailCore

/// What `mirror flag` sets and takes away: `+seen`, `-flagged`, `todo`.
package struct MarkChange: Sendable, Equatable {
  package var addedFlags: MessageFlags = []
  package var removedFlags: MessageFlags = []
  package var addedKeywords = Keywords.none
  package var removedKeywords = Keywords.none

  package init() {}

  package var touchesKeywords: Bool { !addedKeywords.isEmpty || !removedKeywords.isEmpty }

  /// Keywords that a person may have meant as flags, and these.
  package var doubts: [(keyword: String, flag: String)] {
    let all = addedKeywords.map { ($0, "+") } + removedKeywords.map { ($0, "-") }
    return all.compactMap { keyword, sign in
      switch Keywords.fold(keyword) {
      case "read": (keyword, sign + "seen")
      case "unread", "unseen": (keyword, (sign == "+" ? "-" : "+") + "seen")
      case "starred", "important": (keyword, sign + "flagged")
      case "deleted", "trashed": (keyword, "mirror delete")
      default: nil
      }
    }
  }

  package func applied(to flags: MessageFlags) -> MessageFlags {
    flags.union(addedFlags).subtracting(removedFlags)
  }

  package func applied(to keywords: Keywords) -> Keywords {
    keywords.union(addedKeywords).subtracting(removedKeywords)
  }

  /// Splits a command's words into changes and query.
  ///
  /// The first word is a change, with or without its sign; each word behind it that begins with a sign is one too, up
  /// to the first that does not, or `--`. A `--` before them ended the options only.
  ///
  /// - Throws: ``SortingError/noChange``, ``SortingError/badKeyword(_:)``, ``SortingError/contrary(_:)``.
  package static func split(_ words: [String]) throws(SortingError) -> (
    change: MarkChange, query: [String]
  ) {
    var change = MarkChange()
    var rest = words.drop { $0 == "--" }
    guard let first = rest.popFirst(), !first.hasPrefix("-") || isRemoval(first) else {
      throw .noChange
    }
    try change.add(first)
    while let word = rest.first, word.hasPrefix("+") || isRemoval(word) {
      try change.add(word)
      rest.removeFirst()
    }
    if rest.first == "--" { rest.removeFirst() }
    return (change, Array(rest))
  }

  /// `-from:x` and `-(…)` negate in the query.
  private static func isRemoval(_ word: String) -> Bool {
    word.hasPrefix("-") && word != "--" && !word.contains { ":(\" ".contains($0) }
  }

  private mutating func add(_ word: String) throws(SortingError) {
    let isRemoved = word.hasPrefix("-")
    let name = isRemoved || word.hasPrefix("+") ? String(word.dropFirst()) : word
    if let flag = Self.flag(named: name) {
      if isRemoved { removedFlags.insert(flag) } else { addedFlags.insert(flag) }
      guard addedFlags.isDisjoint(with: removedFlags) else { throw .contrary(name) }
      return
    }
    guard Self.isKeyword(name) else { throw .badKeyword(name) }
    if isRemoved {
      removedKeywords = removedKeywords.union([name])
    } else {
      addedKeywords = addedKeywords.union([name])
    }
    guard addedKeywords.intersection(removedKeywords).isEmpty else { throw .contrary(name) }
  }

  private static func flag(named name: String) -> MessageFlags? {
    switch Keywords.fold(name.hasPrefix("\\") ? String(name.dropFirst()) : name) {
    case "seen": .seen
    case "flagged": .flagged
    case "answered", "replied": .answered
    case "draft": .draft
    case "forwarded", "$forwarded": .forwarded
    default: nil
    }
  }

  /// An atom that servers take as a keyword (RFC 9051 section 9, flag-keyword).
  private static func isKeyword(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 200
      && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"(){%*\"\\],".utf8.contains($0) }
  }
}
