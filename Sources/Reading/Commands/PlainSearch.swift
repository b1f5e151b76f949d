import MailIndex

/// The command line of a search as scripts and mail readers write it, read without the argument parser, which takes
/// longer to get ready than most searches take. Whatever is not plain here, the parser reads, or refuses.
package enum PlainSearch {
  /// - Parameter arguments: without the program's name, the verb first.
  /// - Returns: nil where the parser is to look.
  package static func task(_ arguments: [String]) -> SearchTask? {
    guard arguments.first == "search" else { return nil }
    var task = SearchTask()
    var seen: Set<String> = []
    var rest = arguments.dropFirst()
    while let argument = rest.popFirst() {
      guard argument.utf8.first == UInt8(ascii: "-") else {
        if argument.isEmpty { return nil }
        task.query.append(argument)
        continue
      }
      if argument == "--" {
        // What looks like an option behind it is the parser's, too.
        guard rest.allSatisfy({ !$0.isEmpty && $0.utf8.first != UInt8(ascii: "-") }) else {
          return nil
        }
        task.query += rest
        break
      }
      guard seen.insert(argument).inserted else { return nil }
      if task.take(flag: argument) { continue }
      guard let value = rest.popFirst(), !value.isEmpty, value.utf8.first != UInt8(ascii: "-"),
        task.take(option: argument, value)
      else { return nil }
    }
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
