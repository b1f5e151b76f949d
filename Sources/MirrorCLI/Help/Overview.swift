/// What `mirror --help` prints: every command, on one screen of 80 columns and 24 rows with the shell's prompt below.
///
/// The parser's own list would have a line for each command, and be cut by the terminal.
enum Overview {
  /// In the order in which one needs them; each row of the text holds two.
  private static let groups: [[(name: String, words: String)]] = [
    [
      ("init", "set up an account"), ("auth", "sign in by OAuth2"),
      ("adopt", "move in from another tool"), ("help", "open a manual: help TOPIC"),
      ("pull", "from the server"), ("push", "to the server, then send"),
      ("sync", "push, then pull"), ("watch", "stay: all that by itself"),
      ("sendmail", "queue a message, any time"), ("outbox", "what waits to be sent"),
      ("status", "what waits, what failed"), ("verify", "compare tree and server"),
      ("doctor", "what is wrong, what to do"), ("index", "update, rebuild, check"),
      ("trust", "whose images may load"), ("forget", "remove an account"),
    ],
    [
      ("search", "find messages"), ("threads", "find conversations"),
      ("show", "read a message"), ("open", "… in the browser, safely"),
      ("reply", "answer a message"), ("forward", "pass a message on"),
      ("attachments", "list, save, open them"), ("address", "complete addresses"),
      ("stats", "mail in numbers"), ("export", "as an mbox, or as files"),
      ("flag", "set flags and keywords"), ("move", "to another folder"),
      ("archive", "to the archive"), ("delete", "to the trash"),
      ("undo", "take the last one back"), ("revert", "give up local changes"),
      ("fill", "fetch absent parts"), ("stub", "leave them to the server"),
    ],
  ]

  /// Whether these arguments, without the program's name, ask for it: common options may stand before.
  static func isAsked(by arguments: [String]) -> Bool {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--help" || argument == "-h" { return true }
      guard argument.hasPrefix("-"), argument != "--" else { return false }
      if argument == "--config" || argument == "--format" { rest = rest.dropFirst() }
    }
    return false
  }

  /// - Parameter commands: the program's, with what they say of themselves; one that has no words here comes last.
  static func text(commands: [(name: String, abstract: String)]) -> String {
    var lines = ["Keep a Maildir tree in step with IMAP accounts."]
    let known = Set(groups.joined().map(\.name))
    let others = commands.filter { !known.contains($0.name) }
      .map { (name: $0.name, words: String($0.abstract.prefix(24))) }
    var shown = groups.map { group in
      group.filter { entry in commands.contains { $0.name == entry.name } }
    }
    shown[shown.count - 1] += others
    for group in shown where !group.isEmpty { lines += rows(group) + [""] }
    lines += [
      "Everywhere: --config FILE, --format text|json|jsonl, -q, -v, --help. A manual's",
      "TOPIC is a command, config, query, or database. Exit status: 0 done, 1 in part,",
      "64 usage, 65 bad data, 69 no server, 75 busy, 77 refused, 78 configuration.",
    ]
    return lines.joined(separator: "\n")
  }

  private static func rows(_ group: [(name: String, words: String)]) -> [String] {
    stride(from: 0, to: group.count, by: 2).map { index in
      let left = entry(group[index])
      guard index + 1 < group.count else { return left }
      return padded(left, to: 40) + entry(group[index + 1])
    }
  }

  private static func entry(_ command: (name: String, words: String)) -> String {
    padded("  " + command.name, to: 14) + command.words
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
