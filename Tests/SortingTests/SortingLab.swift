import Foundation
import MailIndex
import Settings
import Testing

@testable import Sorting

/// A mail tree of one account with its index, and the commands' parts put together as the program does.
final class SortingLab {
  let root: String
  var settings: AccountSettings
  /// Accounts beside it.
  var others: [AccountSettings] = []

  init() throws {
    root = NSTemporaryDirectory() + "sorting-" + UUID().uuidString
    settings = AccountSettings(
      name: "personal",
      imap: ServerSettings(host: "imap.example.org", port: 993, user: "a", secret: .none))
    for folder in ["INBOX", "Archive", "Trash", "Lists/dev"] {
      for part in ["tmp", "new", "cur"] {
        try FileManager.default.createDirectory(
          atPath: "\(root)/personal/\(folder)/\(part)", withIntermediateDirectories: true)
      }
    }
    try FileManager.default.createDirectory(
      atPath: root + "/personal/.mirror", withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func makeFolder(_ name: String, account: String = "personal") throws {
    for part in ["tmp", "new", "cur"] {
      try FileManager.default.createDirectory(
        atPath: "\(root)/\(account)/\(name)/\(part)", withIntermediateDirectories: true)
    }
  }

  /// Another account, with these folders.
  func addAccount(_ name: String, _ folders: String...) throws {
    var other = settings
    other.name = name
    others.append(other)
    for folder in folders { try makeFolder(folder, account: name) }
    try makeFolder(".mirror", account: name)
  }

  func hasFolder(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(root)/personal/\(name)")
  }

  func deliver(_ name: String, _ id: String, subject: String = "Hello") throws {
    let message =
      "From: a@example.org\nSubject: \(subject)\nMessage-ID: <\(id)>\n"
      + "Date: Fri, 21 Nov 2025 10:00:00 +0000\n\nWords of \(id).\n"
    try Data(message.utf8).write(to: URL(fileURLWithPath: "\(root)/personal/\(name)"))
  }

  var tree: SortingTree { SortingTree(root: root, accounts: [settings] + others) }

  func files(_ query: String) throws -> [ChosenFile] {
    _ = try IndexUpdater(root: root).run()
    let node = try QueryParser.parse(query, clock: .local(now: 1_763_720_000))
    let reader = try IndexReader.open(root: root)
    func messages(_ node: QueryNode) throws -> [Int64] {
      try reader.read {
        try Search(SearchRequest(query: node, limit: nil, offset: 0, sort: .date), in: $0)
          .messages()
      }
    }
    let found = try messages(node)
    let hits = try reader.read { try HitReader($0).hits(found[...]) }
    return try FileChoice.all(of: hits, query: node) { Set(try messages($0)) }
  }

  /// What was done, and why the rest was not.
  @discardableResult
  func perform(
    _ query: String, _ plan: (inout Sorter, [ChosenFile]) throws -> [SortingStep]
  ) throws -> (done: Int, leftOut: [String]) {
    let tree = tree
    var sorter = Sorter(tree)
    let steps = try plan(&sorter, files(query))
    try sorter.makeFolders(for: steps)
    var run = SortingRun(tree)
    let outcome = try run.perform(steps, command: query)
    return (outcome.steps.count, (sorter.leftOut + outcome.problems).map(\.reason))
  }

  /// A command that was killed: its record is on disk, and the test does by hand what it came to do.
  func kill(
    _ query: String, _ plan: (inout Sorter, [ChosenFile]) throws -> [SortingStep],
    having done: (from: String, to: String)...
  ) throws {
    let tree = tree
    var sorter = Sorter(tree)
    var run = SortingRun(tree)
    _ = try run.begin(try plan(&sorter, files(query)), command: query)
    for (from, to) in done { try rename(from, to) }
  }

  func rename(_ from: String, _ to: String) throws {
    try FileManager.default.moveItem(
      atPath: "\(root)/personal/\(from)", toPath: "\(root)/personal/\(to)")
  }

  /// What a pull does for keywords of the server: another line, another file, another name.
  func rewrite(_ from: String, _ to: String, keywords: String) throws {
    let text = try #require(self.text(from))
    let body = text.hasPrefix("X-Keywords: ") ? String(text.drop { $0 != "\n" }.dropFirst()) : text
    try Data("X-Keywords: \(keywords)\n\(body)".utf8)
      .write(to: URL(fileURLWithPath: "\(root)/personal/\(to)"))
    try FileManager.default.removeItem(atPath: "\(root)/personal/\(from)")
  }

  func flag(_ query: String, _ changes: String...) throws {
    let change = try MarkChange.split(changes).change
    try perform(query) { try $0.mark($1, change) }
  }

  @discardableResult
  func undo() throws -> (done: Int, leftOut: [String]) {
    var run = UndoRun(tree)
    let outcome = try run.perform(run.record())
    return (outcome.steps.count, outcome.problems.map(\.reason))
  }

  /// `INBOX/cur/1:2,S`, sorted.
  var names: [String] {
    let all = FileManager.default.enumerator(atPath: root + "/personal")
    var found: [String] = []
    while let name = all?.nextObject() as? String {
      var isDirectory: ObjCBool = false
      let isThere = FileManager.default.fileExists(
        atPath: root + "/personal/" + name, isDirectory: &isDirectory)
      if isThere, !isDirectory.boolValue, !name.hasPrefix(".mirror") { found.append(name) }
    }
    return found.sorted()
  }

  func text(_ name: String) -> String? {
    FileManager.default.contents(atPath: "\(root)/personal/\(name)").map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
