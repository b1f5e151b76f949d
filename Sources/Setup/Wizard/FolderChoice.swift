/// Which folders a person chose out of the numbered list, and what the configuration says for it.
package enum FolderChoice {
  package struct Mistake: Error, Equatable, Sendable {
    package let words: String
  }

  /// - Parameter text: `all`, `1-3,7` for only those, `-4 -6` for all but those.
  /// - Returns: the value of `folders`, or nil for all.
  package static func patterns(_ text: String, of folders: [FolderInfo]) throws(Mistake)
    -> [String]?
  {
    let text = text.lowercased()
    if text == "all" || text == "*" { return nil }
    var chosen: Set<Int> = []
    var left: Set<Int> = []
    for token in text.split(whereSeparator: { $0 == "," || $0 == " " }) {
      let isLeft = token.hasPrefix("-")
      let range = try range(isLeft ? token.dropFirst() : token, count: folders.count)
      if isLeft { left.formUnion(range) } else { chosen.formUnion(range) }
    }
    guard chosen.isEmpty || left.isEmpty else {
      throw Mistake(words: "Either numbers to take, or numbers with a minus to leave out.")
    }
    guard !chosen.isEmpty || !left.isEmpty else {
      throw Mistake(words: "Write all, or numbers such as 1-3,7, or -5 for all but number 5.")
    }
    if left.isEmpty {
      if chosen.count == folders.count { return nil }
      return chosen.sorted().map { pattern(folders[$0 - 1].name) }
    }
    guard left.count < folders.count else { throw Mistake(words: "That leaves nothing.") }
    return ["*"] + left.sorted().map { "!" + folders[$0 - 1].name }
  }

  private static func range(_ token: Substring, count: Int) throws(Mistake) -> ClosedRange<Int> {
    let parts = token.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first.flatMap({ Int($0) }), (1...2).contains(parts.count),
      let last = parts.count == 2 ? Int(parts[1]) : first, first >= 1, first <= last, last <= count
    else { throw Mistake(words: "“\(token)” is no number from 1 to \(count).") }
    return first...last
  }

  /// A pattern that begins with `!` would leave out what it names.
  private static func pattern(_ name: String) -> String {
    name.hasPrefix("!") ? "%" + name.dropFirst() : name
  }
}
