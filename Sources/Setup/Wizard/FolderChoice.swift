/// Which folders a person chose out of the numbered list, and what the configuration says for it.
package enum FolderChoice {
  package enum Mistake: Error, Equatable, Sendable {
    case bothWays, noNumbers, nothingLeft
    case noNumber(String, upTo: Int)

    /// A sentence for the person who typed it.
    var words: String {
      switch self {
      case .bothWays: "Either numbers to take, or numbers with a minus to leave out."
      case .noNumbers: "Write all, or numbers such as 1-3,7, or -5 for all but number 5."
      case .nothingLeft: "That leaves nothing."
      case .noNumber(let text, let count): "“\(text)” is no number from 1 to \(count)."
      }
    }
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
    guard chosen.isEmpty || left.isEmpty else { throw .bothWays }
    guard !chosen.isEmpty || !left.isEmpty else { throw .noNumbers }
    if left.isEmpty {
      if chosen.count == folders.count { return nil }
      let patterns = chosen.sorted().map { pattern(folders[$0 - 1].name) }
      return corrected(patterns, folders) { chosen.contains($0 + 1) }
    }
    guard left.count < folders.count else { throw .nothingLeft }
    let patterns = ["*"] + left.sorted().map { "!" + folders[$0 - 1].name }
    return corrected(patterns, folders) { !left.contains($0 + 1) }
  }

  /// Names with wildcards match others, too, and there is no escape for them. As the last pattern that matches decides,
  /// those others are named after them.
  private static func corrected(
    _ patterns: [String], _ folders: [FolderInfo], isWanted: (Int) -> Bool
  ) -> [String] {
    let named = patterns.first == "*" ? patterns.dropFirst() : patterns[...]
    guard named.contains(where: { $0.contains("*") || $0.contains("%") }) else { return patterns }
    var result = patterns
    for (index, folder) in folders.enumerated() {
      let last = result.last { pattern in
        let bare = pattern.hasPrefix("!") ? pattern.dropFirst() : pattern[...]
        return matches(Array(bare.utf8)[...], Array(folder.name.utf8)[...])
      }
      let isTaken = last.map { !$0.hasPrefix("!") } ?? false
      guard isTaken != isWanted(index) else { continue }
      result.append(isTaken ? "!" + folder.name : pattern(folder.name))
    }
    return result
  }

  /// Both wildcards stand for anything here: a folder that is named without need does no harm.
  private static func matches(_ pattern: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>) -> Bool {
    var (pattern, name) = (pattern, name)
    var retry: (pattern: ArraySlice<UInt8>, name: ArraySlice<UInt8>)?
    while true {
      if let byte = pattern.first, byte == UInt8(ascii: "*") || byte == UInt8(ascii: "%") {
        pattern = pattern.dropFirst()
        retry = (pattern, name)
      } else if let byte = name.first, pattern.first == byte {
        (pattern, name) = (pattern.dropFirst(), name.dropFirst())
      } else if pattern.isEmpty, name.isEmpty {
        return true
      } else if let (rest, from) = retry, !from.isEmpty {
        (pattern, name) = (rest, from.dropFirst())
        retry = (rest, name)
      } else {
        return false
      }
    }
  }

  private static func range(_ token: Substring, count: Int) throws(Mistake) -> ClosedRange<Int> {
    let parts = token.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first.flatMap({ Int($0) }), (1...2).contains(parts.count),
      let last = parts.count == 2 ? Int(parts[1]) : first, first >= 1, first <= last, last <= count
    else { throw .noNumber(String(token), upTo: count) }
    return first...last
  }

  /// A pattern that begins with `!` would leave out what it names.
  private static func pattern(_ name: String) -> String {
    name.hasPrefix("!") ? "%" + name.dropFirst() : name
  }
}
