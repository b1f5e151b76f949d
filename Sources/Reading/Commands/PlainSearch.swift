import MailIndex

/// The command line of a search as scripts and mail readers write it, read as ``PlainWords``.
package enum PlainSearch {
  /// - Parameter arguments: without the program's name, the verb first.
  /// - Returns: nil where the parser is to look.
  package static func task(_ arguments: [String]) -> SearchTask? {
    var task = SearchTask()
    guard
      let words = PlainWords.read(
        arguments, of: "search", flag: { task.take(flag: $0) },
        option: { task.take(option: $0, $1) })
    else { return nil }
    task.query = words
    guard !task.query.isEmpty, !(task.threads && task.context) else { return nil }
    return task
  }

  /// The search behind such a command line, ready to be run.
  package static func search(_ arguments: [String]) -> (() throws -> Void)? {
    task(arguments).map { task in { try task.run() } }
  }
}

extension SearchTask {
  fileprivate mutating func take(flag: String) -> Bool {
    switch flag {
    case "--threads": threads = true
    case "--count": count = true
    case "--context": context = true
    case "--snippet", "--snippets": snippet = true
    case "--dry-run": isDry = true
    default: return false
    }
    return true
  }

  fileprivate mutating func take(option: String, _ value: String) -> Bool {
    switch option {
    case "--root": place.root = value
    case "--config": place.config = value
    case "--limit":
      guard let number = Self.number(value) else { return false }
      range.limit = number
    case "--offset":
      guard let number = Self.number(value) else { return false }
      range.offset = number
    case "--sort":
      guard let sort = SearchRequest.Sort(rawValue: value) else { return false }
      self.sort = sort
    case "--format":
      guard let format = ResultFormat(argument: value) else { return false }
      self.format = format
    default: return false
    }
    return true
  }

  /// Digits and nothing else.
  private static func number(_ text: String) -> Int? {
    guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
    return Int(text)
  }
}
