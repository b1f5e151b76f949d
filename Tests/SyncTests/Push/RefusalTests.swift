import Foundation
import MailTestKit
import Settings
import SyncPlan
import Testing

/// Refusals that pass, that somebody else can lift, and that are for good: a person's work is undone by the last kind
/// alone.
struct RefusalTests {
  @Test(arguments: [
    "BAD Request is throttled. Suggested Backoff Time: 50 milliseconds", "NO [LIMIT] too much",
    "NO [UNAVAILABLE] later",
  ]) func `a server that has no time undoes nothing`(words: String) throws {
    let stage = try Stage(.exchange)
    try stage.setFlags("m0", "F")
    try stage.move("m1", to: "Work")
    try stage.remove("m2")
    for names in [["UID STORE", "UID MOVE"], ["UID MOVE"]] {
      stage.refusals.value = names.map { .init(name: $0, words: words) }
      stage.push(1)
    }
    #expect(try stage.local("m0").flags == "F")
    #expect(try stage.local("m1").folder == "Work")
    #expect(try stage.tree().count(of: "<m2@") == 0)
    stage.refusals.value = []
    stage.push()
    #expect(stage.flags("m0") == ["\\Flagged"])
    #expect(stage.places("m1") == ["Work"] && stage.places("m2") == ["Trash"])
    try stage.expectSettled()
  }

  @Test func `a mailbox that takes changes again is open for good`() throws {
    let stage = try Stage(.modern)
    try stage.setFlags("m0", "F")
    stage.alter.value = { command, replies in
      guard command.name == "SELECT" else { return replies }
      return replies.dropLast() + [.line("\(command.tag) OK [READ-ONLY] look only")]
    }
    for _ in 0..<3 { stage.push(1) }
    stage.alter.value = nil
    stage.push(0, PushOptions(full: true))
    #expect(stage.flags("m0") == ["\\Flagged"])
    try stage.setFlags("m1", "F")
    stage.push()
    #expect(stage.flags("m1") == ["\\Flagged"])
    try stage.expectSettled()
  }

  @Test func `a keyword that the server keeps by now is sent`() throws {
    let stage = try Stage(.modern)
    try stage.reader.setKeywords(stage.local("m0"), ["mine"])
    stage.alter.value = { command, replies in
      guard command.name == "SELECT" else { return replies }
      return replies.map { reply in
        reply.text.contains("PERMANENTFLAGS")
          ? .line("* OK [PERMANENTFLAGS (\\Seen \\Flagged \\Answered \\Deleted \\Draft)] few")
          : reply
      }
    }
    stage.push()
    stage.alter.value = nil
    try stage.setFlags("m1", "F")
    stage.push()
    stage.push()
    #expect(stage.flags("m0") == ["mine"])
    try stage.expectSettled()
  }

  @Test func `what is set back is what was refused, and nothing else`() throws {
    let stage = try Stage(.modern)
    try stage.reader.setKeywords(stage.local("m0"), ["mine"])
    try stage.setFlags("m0", "F")
    stage.alter.value = { command, replies in
      guard command.name == "SELECT" else { return replies }
      return replies.map { reply in
        reply.text.contains("PERMANENTFLAGS")
          ? .line("* OK [PERMANENTFLAGS (\\Seen \\Flagged \\Answered \\Deleted \\Draft)] few")
          : reply
      }
    }
    stage.refusals.value = [
      .init(name: "UID STORE", part: "Flagged", words: "NO [CANNOT] not that one")
    ]
    stage.push(1)
    #expect(try stage.local("m0").flags == "")
    #expect(try stage.local("m0").keywords() == ["mine"])
  }

  @Test func `another client's change comes first, and both stay`() throws {
    for dialect in [ServerDialect.modern, .condstore] {
      let stage = try Stage(dialect)
      try stage.setFlags("m0", "FS")
      try stage.setFlags("m1", "FS")
      stage.account.change("INBOX") { $0.setFlags(1, ["theirs", "\\Seen"]) }
      stage.forget()
      stage.push()
      let stores = stage.changes(named: "UID STORE")
      #expect(stores.first?.contains("UNCHANGEDSINCE") == true, "\(stores)")
      let second = try #require(stores.dropFirst().first)
      #expect(stores.count == 2 && !second.contains("UNCHANGEDSINCE"), "\(stores)")
      #expect(!second.contains("Seen"), "what is so already is not named again: \(stores)")
      #expect(stage.flags("m0") == ["theirs", "\\Seen", "\\Flagged"])
      #expect(stage.flags("m1") == ["\\Seen", "\\Flagged"])
      stage.pull(nil)
      #expect(try stage.local("m0").keywords() == ["theirs"])
      try stage.expectSettled()
    }
  }

  @Test func `the trash is the server's, also where it is not mirrored`() throws {
    let stage = try Stage(
      more: { account in
        account.change("Trash") { box in
          box.attributes = []
          box.deliver(SampleMessage(token: "t0"))
        }
        account.add("Rubbish", attributes: ["\\Trash"])
      }, sync: { $0.folders = FolderPatterns(["*", "!Rubbish"]) })
    try stage.remove("t0")
    try stage.remove("m0")
    stage.push()
    #expect(stage.places("t0") == ["Rubbish"] && stage.places("m0") == ["Rubbish"])
    stage.forget()
    stage.push()
    #expect(stage.changes == [])
  }

  @Test func `what stays there marked deleted is not brought back by a renumbering`() throws {
    let stage = try Stage(.bare)
    try stage.move("m0", to: "Work")
    stage.push()
    #expect(try stage.remote("m0").flags == ["\\Deleted"])
    #expect(stage.places("m0") == ["Work"])
    stage.account.change("INBOX") { $0.renumber(from: 20) }
    stage.pull(nil)
    let tree = try stage.tree()
    #expect(tree.count(of: "<m0@") == 1)
    #expect(tree["INBOX"].count == 3 && tree["Work"].count == 1)
    stage.forget()
    stage.push()
    #expect(stage.changes == [])
  }

  @Test func `an edited label reaches the server`() throws {
    let stage = try Stage(.modern)
    stage.account.change("INBOX") { $0.setFlags(1, ["one"]) }
    stage.pull(nil)
    let message = try stage.local("m0")
    // As sed does: the same length, the same time.
    let text = String(decoding: message.raw, as: UTF8.self)
      .replacing("X-Keywords: one", with: "X-Keywords: two")
    try stage.reader.rewrite(message, Array(text.utf8))
    stage.push()
    #expect(stage.flags("m0") == ["two"])
    try stage.expectSettled()
  }

  @Test func `after half a listing nothing is deleted and nothing sent`() throws {
    let stage = try Stage(.bare)
    stage.account.change("INBOX") { $0.deliver(SampleMessage(token: "m4")) }
    stage.alter.value = { command, replies in
      guard command.name == "UID SEARCH", command.mailbox == "INBOX" else { return replies }
      return replies.map { reply in
        guard reply.text.hasPrefix("* SEARCH") else { return reply }
        return .line(reply.text.split(separator: " ").prefix(5).joined(separator: " "))
      }
    }
    _ = stage.pull(nil)
    stage.alter.value = nil
    stage.forget()
    stage.push(nil)
    #expect(stage.changes == [])
    stage.pull(nil)
    #expect(try stage.tree()["INBOX"].count == 5)
    try stage.expectSettled()
  }

  @Test func `keywords kept otherwise than before are not taken for removed`() throws {
    let stage = try Stage(.modern, sync: { $0.keywords = .none })
    stage.account.change("INBOX") { $0.setFlags(1, ["one"]) }
    stage.pull(nil)
    stage.sync.keywords = .header
    stage.reopen()
    stage.account.change("INBOX") { $0.setFlags(2, ["two"]) }
    stage.pull(nil)
    stage.sync.keywords = .dovecot
    stage.reopen()
    stage.push(78)
    #expect(stage.flags("m1") == ["two"])
  }

  @Test func `more than 200 deletions in a run wait for a word`() throws {
    let stage = try Stage(.modern, count: 450)
    let messages = try stage.tree()["INBOX"]
    for message in messages.prefix(201) { try stage.reader.remove(message) }
    try stage.reader.setFlags(#require(messages.last), "F")
    let outcome = stage.push(1)
    #expect(outcome.told.contains("--allow-mass-delete"))
    #expect(stage.account["INBOX"]?.messages.count == 450)
    let flagged = stage.account["INBOX"]?.messages.count { $0.flags.contains("\\Flagged") }
    #expect(flagged == 1, "everything else goes on")
    stage.push(0, PushOptions(allowsMassDelete: true))
    #expect(stage.account["INBOX"]?.messages.count == 249)
    #expect(stage.account["Trash"]?.messages.count == 201)
  }

  @Test func `1,000 messages are moved without a byte of their bodies`() throws {
    let stage = try Stage(.modern, count: 1000)
    for message in try stage.tree()["INBOX"] { try stage.reader.move(message, to: "Work") }
    stage.forget()
    stage.push()
    #expect(stage.account["Work"]?.messages.count == 1000)
    #expect(stage.account["INBOX"]?.messages.isEmpty == true)
    #expect(stage.bodyFetches == [])
    #expect((stage.changes(named: "APPEND") + stage.changes(named: "UID COPY")) == [])
    #expect(stage.changes(named: "UID MOVE").count <= 4)
  }
}
