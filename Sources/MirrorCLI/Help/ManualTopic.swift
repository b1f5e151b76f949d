/// A page of `man/`, such as mirror-config(5).
struct ManualPage: Sendable, Equatable, CustomStringConvertible {
  var name: String
  var section: Int

  init(_ name: String, _ section: Int) { (self.name, self.section) = (name, section) }

  var fileName: String { "\(name).\(section)" }
  var description: String { "\(name)(\(section))" }
}

/// What `mirror help` takes, and the pages that tell of it.
struct ManualTopic: Sendable, Equatable {
  /// The first that there is counts.
  var pages: [ManualPage]
  /// The command of this name, whose short help is something where no page is installed.
  var command: String?

  /// Pages of what is no command, or is told elsewhere than its name says.
  private static let others: [(topics: [String], page: ManualPage)] = [
    (["mirror"], ManualPage("mirror", 1)),
    (["config", "configuration"], ManualPage("mirror-config", 5)),
    (["search", "query"], ManualPage("mirror-search", 7)),
    (
      ["index", "threads", "show", "attachments", "address", "stats", "export"],
      ManualPage("mirror-index", 1)
    ),
    (["database", "index.db"], ManualPage("mirror-index", 5)),
    (["fill", "stub"], ManualPage("mirror-fill", 1)),
  ]
  /// Of commands that have one.
  private static let ofCommands = [
    "adopt", "auth", "doctor", "init", "outbox", "sendmail", "watch",
  ]

  /// What is listed for those who ask for anything else.
  static func names(commands: [String]) -> [String] {
    Set(commands + ["config", "database", "query"]).subtracting(["help"]).sorted()
  }

  /// - Parameter word: a command, a page as `mirror-config`, `mirror-config.5` or `mirror-config(5)`, or such a name
  ///   without its beginning.
  init?(_ word: String, commands: [String]) {
    if let other = Self.others.first(where: { $0.topics.contains(word) }) {
      pages = [other.page]
      command = commands.contains(word) ? word : nil
      return
    }
    if commands.contains(word), word != "help" {
      // A page of its own, if there is one; all are told of in the program's.
      pages = [ManualPage("mirror-" + word, 1), ManualPage("mirror", 1)]
      command = word
      return
    }
    let (name, section) = Self.parts(of: word)
    let whole = name == "mirror" || name.hasPrefix("mirror-") ? name : "mirror-" + name
    pages = Self.allPages.filter { $0.name == whole && (section == nil || $0.section == section) }
    guard !pages.isEmpty else { return nil }
  }

  /// `mirror-index(5)` and `mirror-index.5` with their section, other words without one.
  private static func parts(of word: String) -> (String, Int?) {
    var text = word
    if text.last == ")" { text.removeLast() }
    guard let digit = text.last?.wholeNumberValue, text.count > 2,
      [".", "("].contains(text[text.index(text.endIndex, offsetBy: -2)])
    else { return (word, nil) }
    return (String(text.dropLast(2)), digit)
  }

  private static let allPages =
    others.map(\.page) + ofCommands.map { ManualPage("mirror-" + $0, 1) }
}
