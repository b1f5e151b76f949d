import MailIndex

/// The command line of an update as hooks and timers write it, read as ``PlainWords``.
package enum PlainUpdate {
  /// - Parameter arguments: without the program's name, the verb first.
  /// - Returns: nil where the parser is to look.
  static func task(_ arguments: [String]) -> IndexingTask? {
    var task = IndexingTask()
    let words = PlainWords.read(
      arguments, of: "update", flag: { task.take(flag: $0) },
      option: { task.take(option: $0, $1) })
    guard words == [] else { return nil }
    return task
  }

  /// The update that such a command line asks for, ready to be run.
  package static func update(_ arguments: [String]) -> (() throws -> Void)? {
    task(arguments).map { task in { try task.run() } }
  }
}

extension IndexingTask {
  fileprivate mutating func take(flag: String) -> Bool {
    switch flag {
    case "--quiet", "-q":
      if place.isQuiet { return false }
      place.isQuiet = true
    case "--full": mode = .thorough
    case "--progress": showsProgress = true
    case "--warnings": examinesAll = true
    case "--dry-run": isDry = true
    default: return false
    }
    return true
  }

  fileprivate mutating func take(option: String, _ value: String) -> Bool {
    switch (option, value) {
    case ("--root", _): place.root = value
    case ("--config", _): place.config = value
    case ("--format", "json"): format = .json
    case ("--format", "jsonl"): format = .jsonl
    case ("--format", "text"): format = .text
    default: return false
    }
    return true
  }
}
