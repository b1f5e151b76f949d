import Foundation
import MailTestKit
import Testing

/// The commands that change the tree by query, as a person at a terminal and a script meet them.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct SortingProgramTests {
  private func scenario(_ count: Int = 6) throws -> Scenario {
    let scenario = try Scenario()
    for mailbox in ["Work", "Archive", "Trash"] { try scenario.client.create(mailbox) }
    try scenario.append((0..<count).map { "m\($0)" })
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    return scenario
  }

  private func sort(
    _ scenario: Scenario, _ arguments: String..., location: SourceLocation = #_sourceLocation
  ) throws {
    let outcome = try scenario.mirror.run(arguments)
    #expect(outcome.status == 0, "\(outcome.summary)", sourceLocation: location)
  }

  private func query(_ tokens: String...) -> String {
    tokens.map { "id:\($0)@example.org" }.joined(separator: " or ")
  }

  // MARK: Asking

  private func screen(_ scenario: Scenario, _ arguments: String...) throws -> TerminalScreen {
    try TerminalScreen(
      scenario.mirror.command(arguments), environment: scenario.mirror.environment)
  }

  private func answer(_ screen: TerminalScreen, _ answer: String) throws {
    try screen.wait(for: "[y/N]")
    #expect(try screen.lines.last?.contains("21 messages") == true)
    try screen.type(answer)
  }

  private func flagged(_ scenario: Scenario) throws -> Int {
    try scenario.mirror.tree().messages.count { $0.flags.contains("F") }
  }

  @Test(.triedAgain, .enabled(if: TerminalScreen.isPossible))
  func `on a terminal more than 20 messages are asked about, and only a yes changes them`() throws {
    let scenario = try scenario(21)
    for answer in ["n", "", "what"] {
      let screen = try screen(scenario, "flag", "+flagged", "*")
      try self.answer(screen, answer)
      #expect(try screen.status() == 1, "“\(answer)”")
      #expect(try flagged(scenario) == 0, "“\(answer)”")
    }
    try scenario.push()
    #expect(scenario.proxy.changingCommands == [])
    let screen = try screen(scenario, "flag", "+flagged", "*")
    try answer(screen, "y")
    #expect(try screen.status() == 0)
    #expect(try flagged(scenario) == 21)
    try scenario.push()
    #expect(scenario.proxy.commands(named: ["STORE"]).count == 1)
  }

  @Test(.triedAgain, .enabled(if: TerminalScreen.isPossible))
  func `nobody is asked about 20 messages, with --yes, in a dry run, and without a terminal`()
    throws
  {
    let scenario = try scenario(21)
    let dry = try screen(scenario, "flag", "--dry-run", "+flagged", "*")
    #expect(try dry.status() == 0 && !dry.text.contains("[y/N]"))
    #expect(try flagged(scenario) == 0)
    let one = query("m0")
    let few = try screen(scenario, "flag", "+flagged", "not", one)
    #expect(try few.status() == 0 && !few.text.contains("[y/N]"))
    #expect(try flagged(scenario) == 20)
    let sure = try screen(scenario, "flag", "--yes", "+answered", "*")
    #expect(try sure.status() == 0 && !sure.text.contains("[y/N]"))
    #expect(try scenario.mirror.tree().messages.count { $0.flags.contains("R") } == 21)
    try sort(scenario, "flag", "-flagged", "*")
    #expect(try flagged(scenario) == 0)
  }

  @Test(.triedAgain, .enabled(if: TerminalScreen.isPossible))
  func `undo takes back what it asked about, or nothing`() throws {
    let scenario = try scenario(22)
    try sort(scenario, "flag", "+flagged", "not", query("m0"))
    let screen = try screen(scenario, "undo")
    try screen.wait(for: "[y/N]")
    try sort(scenario, "move", "Work", query("m0"))
    try screen.type("y")
    #expect(try screen.status() == 75)
    #expect(try flagged(scenario) == 21)
    #expect(try scenario.mirror.tree()["Work"].count == 1)
  }

  @Test(.triedAgain, .enabled(if: TerminalScreen.isPossible))
  func `a question reaches the terminal where the errors go elsewhere`() throws {
    let scenario = try scenario(21)
    let log = scenario.mirror.home + "/log"
    let command = try scenario.mirror.command(["flag", "+flagged", "*"]).joined(separator: " ")
    let screen = try TerminalScreen(
      ["sh", "-c", "set -f; \(command) 2>'\(log)'"], environment: scenario.mirror.environment)
    try answer(screen, "y")
    #expect(try screen.status() == 0)
    #expect(try flagged(scenario) == 21)
  }

  // MARK: Refused

  @Test(.enabled(if: Machine.canMount)) func `a tree that cannot be written is 77`() throws {
    let disk = try TinyDisk(megabytes: 20)
    let scenario = try Scenario(root: disk.path)
    try scenario.append(["m0"])
    try scenario.pull()
    try sort(scenario, "index")
    try sort(scenario, "flag", "+flagged", query("m0"))
    let id = try scenario.mirror.run(["search", "--format", "ids", "*"]).outputText.filter(
      \.isNumber)
    try disk.remount("ro")
    for words in [["flag", "+seen", query("m0")], ["undo"], ["show", "--mark-read", id]] {
      let outcome = try scenario.mirror.run(words)
      #expect(outcome.status == 77, "\(outcome.summary)")
      #expect(outcome.errorText.contains("read-only"), "\(outcome.errorText)")
    }
    let dry = try scenario.mirror.run(["flag", "--dry-run", "+seen", query("m0")])
    #expect(dry.status == 0 && dry.outputText.contains("would mark +seen"), "\(dry.summary)")
    #expect(try scenario.mirror.run(["undo", "--dry-run"]).status == 0)
    try disk.remount("rw")
  }

  @Test(.enabled(if: Machine.canMount)) func `without room for the index nothing is changed`()
    throws
  {
    let disk = try TinyDisk(megabytes: 6)
    let scenario = try Scenario(root: disk.path)
    try scenario.append((0..<6).map { "m\($0)" })
    try scenario.pull()
    try sort(scenario, "index")
    try Reader(scenario.mirror).setFlags(#require(try scenario.local("m0@")), "F")
    let filling = disk.path + "/filling"
    _ = try run(["sh", "-c", "cat /dev/zero >'\(filling)'"])
    let outcome = try scenario.mirror.run(["delete", "folder:INBOX", "-is:flagged"])
    #expect(outcome.status == 1 && outcome.errorText.contains("disk"), "\(outcome.summary)")
    #expect(try scenario.mirror.tree()["INBOX"].count == 6)
    #expect(try FileManager.default.removeItem(atPath: filling) == ())
  }

  // MARK: Telling

  @Test func `a dry run tells each change, and makes none`() throws {
    let scenario = try scenario()
    let messages = query("m1")
    // The index is not the tree's; SQLite's shared memory, and with it the directory, are touched by every reader.
    func isShared(_ path: String) -> Bool {
      path == ".mirror" || path.hasSuffix("/.mirror") || path.hasSuffix("/state.db-shm")
    }
    let before = TreeSnapshot(scenario.mirror.root, leavingOut: isShared)
    for (words, told) in [
      (["flag", "--dry-run", "+flagged", "-todo", "+home"], "would mark +flagged +home"),
      (["move", "--dry-run", "Work"], "would move to personal/Work"),
      (["archive", "--dry-run"], "would move to personal/Archive"),
      (["delete", "--dry-run"], "would move to personal/Trash"),
    ] {
      let outcome = try scenario.mirror.run(words + [messages])
      #expect(outcome.status == 0 && outcome.errors == [], "\(outcome.summary)")
      #expect(
        outcome.outputText
          == "\(told) “Test m1” in personal/INBOX\n1 message would be changed\n",
        "\(outcome.outputText)")
    }
    let after = TreeSnapshot(scenario.mirror.root, leavingOut: isShared)
    #expect(before.changes(to: after) == [])
    // Nor is there anything to take back.
    #expect(try scenario.mirror.run(["undo"]).status == 1)
    try scenario.push()
    #expect(scenario.proxy.changingCommands == [])
  }

  @Test func `as JSON each message that changes is one object`() throws {
    let scenario = try scenario()
    let messages = query("m1", "m2")
    for arguments in [["--dry-run"], []] {
      let outcome = try scenario.mirror.run(
        ["move", "--format", "json"] + arguments + ["Work", messages])
      #expect(outcome.status == 0 && outcome.errors == [], "\(outcome.summary)")
      let changes = try #require(
        try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [[String: Any]])
      #expect(Set(changes.compactMap { $0["subject"] as? String }) == ["Test m1", "Test m2"])
      for change in changes {
        #expect(change["account"] as? String == "personal")
        #expect(change["folder"] as? String == "INBOX")
        #expect(change["change"] as? String == "move to personal/Work")
        #expect(change["id"] is Int)
      }
    }
    let lines = try scenario.mirror.run(["undo", "--format", "jsonl"])
    #expect(lines.status == 0, "\(lines.summary)")
    #expect(lines.outputText.split(separator: "\n").count == 2, "\(lines.outputText)")
    #expect(try scenario.mirror.tree()["Work"].isEmpty)
  }

  // MARK: Taking back

  @Test func `what was pushed is not taken back, and said`() throws {
    let scenario = try scenario()
    for (words, token, place) in [
      (["move", "Work", query("m1")], "m1", "Work"), (["delete", query("m2")], "m2", "Trash"),
    ] {
      #expect(try scenario.mirror.run(words).status == 0)
      try scenario.push()
      let outcome = try scenario.mirror.run(["undo"])
      #expect(outcome.status == 1, "\(outcome.summary)")
      #expect(outcome.errorText.contains("it was pushed already"), "\(outcome.errorText)")
      #expect(!outcome.errorText.contains(".."), "\(outcome.errorText)")
      #expect(try scenario.mirror.tree()[place].count == 1)
      try scenario.push()
      #expect(scenario.proxy.changingCommands == [])
      #expect(try scenario.places(token) == [place])
    }
    try scenario.expectSettled()
  }

  @Test func `what was not pushed is taken back, and no server hears of it`() throws {
    let scenario = try scenario()
    let messages = query("m1")
    try sort(scenario, "flag", "+flagged", "+todo", messages)
    try sort(scenario, "undo")
    try sort(scenario, "move", "Work", messages)
    try sort(scenario, "undo")
    let file = try #require(try scenario.local("m1@"))
    #expect(file.folder == "INBOX" && file.flags == "" && file.keywords() == [])
    try scenario.push()
    #expect(scenario.proxy.changingCommands == [])
  }
}
