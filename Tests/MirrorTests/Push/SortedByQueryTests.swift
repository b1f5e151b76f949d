import MailTestKit
import Testing

/// What the commands that change the tree by query did is what a mail reader might have done: the next push carries it.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct SortedByQueryTests {
  private func scenario() throws -> Scenario {
    let scenario = try Scenario()
    for mailbox in ["Work", "Archive", "Trash"] { try scenario.client.create(mailbox) }
    try scenario.append((0..<6).map { "m\($0)" })
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    return scenario
  }

  private func sort(
    _ scenario: Scenario, _ arguments: String..., location: SourceLocation = #_sourceLocation
  ) throws {
    let outcome = try scenario.mirror.run(arguments)
    #expect(outcome.status == 0, "\(outcome.summary)", sourceLocation: location)
  }

  /// The message's Message-ID.
  private func key(_ scenario: Scenario, _ token: String) throws -> String {
    let message = try #require(try scenario.local("\(token)@"))
    let text = String(decoding: message.raw, as: UTF8.self)
    let line = try #require(
      text.split(separator: "\n").first { $0.lowercased().hasPrefix("message-id:") })
    return String(line.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" })
  }

  /// The id that search prints for it.
  private func id(_ scenario: Scenario, _ token: String) throws -> String {
    let words = try ["search", "--format", "ids", "id:" + key(scenario, token)]
    let found = try scenario.mirror.run(words).outputText
    return try #require(found.split(separator: "\n").first.map(String.init))
  }

  @Test func `flags, moves, archiving, deletions and what was read reach the server`() throws {
    let scenario = try scenario()
    let query = try (0..<5).map { "id:" + (try key(scenario, "m\($0)")) }
    let last = try id(scenario, "m4")
    try sort(scenario, "flag", "+flagged", "+todo", query[0])
    try sort(scenario, "move", "Work", query[1])
    try sort(scenario, "archive", query[2])
    try sort(scenario, "delete", query[3])
    try sort(scenario, "show", "--mark-read", last)
    #expect(try scenario.local("m4@")?.flags == "S")
    try scenario.push()
    #expect(scenario.appends == [])
    #expect(
      try scenario.remote("m0", in: "INBOX")?.flags.isSuperset(of: ["\\Flagged", "todo"]) == true)
    #expect(try scenario.places("m1") == ["Work"])
    #expect(try scenario.places("m2") == ["Archive"])
    #expect(try scenario.places("m3") == ["Trash"])
    #expect(try scenario.remote("m4", in: "INBOX")?.flags.contains("\\Seen") == true)
    #expect(try scenario.remote("m5", in: "INBOX")?.flags.contains("\\Seen") == false)
    try scenario.expectSettled()
  }

  @Test func `showing marks nothing unless asked, and leaves what undo takes back`() throws {
    let scenario = try scenario()
    let (first, second) = (try id(scenario, "m0"), try id(scenario, "m1"))
    try sort(scenario, "flag", "+flagged", "id:" + key(scenario, "m2"))
    try sort(scenario, "show", first)
    #expect(try scenario.local("m0@")?.flags == "")
    let dry = try scenario.mirror.run(["show", "--mark-read", "--dry-run", "--raw", second])
    #expect(dry.status == 0 && dry.errorText.contains("1 message would be marked as read."))
    #expect(dry.outputText.contains("Subject:"), "\(dry.summary)")
    #expect(try scenario.local("m1@")?.flags == "")
    try sort(scenario, "show", "--mark-read", "--raw", second)
    #expect(try scenario.local("m1@")?.flags == "S")
    try sort(scenario, "undo")
    #expect(try scenario.local("m2@")?.flags == "")
    #expect(try scenario.local("m1@")?.flags == "S")
  }

  @Test func `words that look like options change what they say, and are no options`() throws {
    let scenario = try scenario()
    let message = "id:" + (try key(scenario, "m0"))
    try sort(scenario, "flag", "+vip", "+yes", message)
    #expect(try scenario.mirror.run(["search", "--format", "ids", "tag:vip"]).outputText != "")
    try sort(scenario, "flag", "-vip", "-yes", message)
    #expect(try scenario.mirror.run(["search", "--format", "ids", "tag:vip"]).outputText == "")
    try sort(scenario, "flag", "+vip", message)
    try sort(scenario, "flag", "--", "-vip", message)
    #expect(try scenario.mirror.run(["search", "--format", "ids", "tag:vip"]).outputText == "")
    for words in [["-folder:INBOX"], ["-hy", "-folder:INBOX"]] {
      let outcome = try scenario.mirror.run(["search", message] + words)
      #expect(outcome.status == 0 && outcome.outputText == "", "\(outcome.summary)")
      let deletion = try scenario.mirror.run(["delete", message] + words)
      #expect(deletion.status == 1, "\(deletion.summary)")
    }
    #expect(try scenario.local("m0@") != nil)
  }

  @Test func `a mistake in an option, or no words at all, deletes nothing`() throws {
    let scenario = try scenario()
    for words in [["--"], ["--dryrun", "m0"], [], ["-q"], ["--", " "]] {
      let outcome = try scenario.mirror.run(["delete"] + words)
      #expect(outcome.status == 64, "\(outcome.summary)")
    }
    try scenario.expectSettled()
  }

  @Test func `a folder is made with the first message that moves there, and by no dry run`() throws
  {
    let scenario = try scenario()
    let message = "id:" + (try key(scenario, "m0"))
    let dry = try scenario.mirror.run(["move", "--create", "--dry-run", "Project", message])
    #expect(dry.status == 0, "\(dry.summary)")
    #expect(dry.outputText.hasPrefix("would make the folder personal/Project\nwould move"))
    let json = try scenario.mirror.run([
      "move", "--create", "--dry-run", "--format", "json", "Project", message,
    ])
    #expect(json.outputText.contains("\"new_folder\""), "\(json.summary)")
    #expect(try scenario.mirror.tree().folders.contains("Project") == false)
    for name in ["", "Project/", "a//b", "/Project", "..", "~"] {
      #expect(try scenario.mirror.run(["move", "--create", name, message]).status == 64)
    }
    try scenario.expectSettled()
    try sort(scenario, "move", "--create", "Project", message)
    try scenario.push()
    #expect(try scenario.places("m0") == ["Project"])
    try scenario.expectSettled()
  }

  @Test func `what a mail reader did since the last pull counts in the query`() throws {
    let scenario = try scenario()
    let reader = Reader(scenario.mirror)
    try reader.setFlags(#require(try scenario.local("m0@")), "F")
    try reader.setFlags(#require(try scenario.local("m1@")), "S")
    for more in [["--dry-run"], []] {
      let outcome = try scenario.mirror.run(
        ["delete"] + more + ["folder:INBOX", "-is:flagged", "is:unread"])
      #expect(outcome.status == 0, "\(outcome.summary)")
    }
    #expect(try scenario.local("m0@")?.folder == "INBOX")
    #expect(try scenario.local("m1@")?.folder == "INBOX")
    #expect(try scenario.mirror.tree()["Trash"].count == 4)
  }

  @Test func `a message that is not marked as read is named, and the status says so`() throws {
    let scenario = try scenario()
    let foreign = scenario.mirror.root + "/other/INBOX"
    for part in ["tmp", "new", "cur"] { try makeDirectory("\(foreign)/\(part)") }
    let bytes = Array("Subject: foreign\nMessage-ID: <f@example.net>\n\nHello.\n".utf8)
    try writeFile(foreign + "/cur/1.host:2,", bytes)
    try sort(scenario, "index")
    let outcome = try scenario.mirror.run(["show", "--mark-read", "subject:foreign"])
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.errorText.contains("is not marked as read"), "\(outcome.errorText)")
  }

  @Test func `what undo would take back is told in JSON, too`() throws {
    let scenario = try scenario()
    try sort(scenario, "flag", "+flagged", "id:" + key(scenario, "m0"))
    let outcome = try scenario.mirror.run(["undo", "--dry-run", "--format", "json"])
    #expect(outcome.status == 0)
    #expect(outcome.outputText.contains("\"mark +flagged\""))
    #expect(try scenario.local("m0@")?.flags == "F")
  }
}
