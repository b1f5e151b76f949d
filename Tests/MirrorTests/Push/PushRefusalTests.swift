import Foundation
import MailTestKit
import Testing

/// Refusals that pass, that somebody else can lift, and that are for good: a person's work is undone by the last kind
/// alone.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushRefusalTests {
  private typealias Stage = PushStage

  @Test(arguments: [
    "BAD Request is throttled. Suggested Backoff Time: 50 milliseconds", "NO [LIMIT] too much",
    "NO [UNAVAILABLE] later",
  ]) func `a server that has no time undoes nothing`(words: String) throws {
    let stage = try Stage(.exchange)
    try stage.reader.setFlags(stage.local("m0"), "F")
    try stage.reader.move(stage.local("m1"), to: "Work")
    try stage.reader.remove(stage.local("m2"))
    for names in [["UID STORE", "UID MOVE"], ["UID MOVE"]] {
      stage.refusals.value = names.map { ($0, "", words) }
      try stage.push(1)
    }
    #expect(try stage.local("m0").flags == "F")
    #expect(try stage.local("m1").folder == "Work")
    #expect(try stage.mirror.tree().count(of: "<m2@") == 0)
    stage.refusals.value = []
    try stage.push()
    #expect(stage.flags("m0") == ["\\Flagged"])
    #expect(stage.places("m1") == ["Work"] && stage.places("m2") == ["Trash"])
    try stage.expectSettled()
  }

  @Test func `a right that is missing is asked for three times, and the work stays`() throws {
    let stage = try Stage(.modern)
    try stage.reader.setFlags(stage.local("m0"), "F")
    try stage.reader.move(stage.local("m1"), to: "Work")
    try stage.reader.remove(stage.local("m2"))
    stage.refusals.value = ["UID STORE", "UID MOVE"].map { ($0, "", "NO [NOPERM] not yours") }
    for _ in 0..<3 {
      let outcome = try stage.push(1)
      #expect(outcome.errorText.contains("no right"), "\(outcome.errorText)")
    }
    stage.server.forget()
    let outcome = try stage.push(1)
    #expect(stage.changes == [])
    #expect(outcome.errorText.contains("3 changes wait") || outcome.errorText.contains("wait"))
    #expect(try stage.local("m0").flags == "F")
    #expect(try stage.local("m1").folder == "Work")
    stage.refusals.value = []
    try stage.push(0, "--full")
    #expect(stage.flags("m0") == ["\\Flagged"])
    #expect(stage.places("m1") == ["Work"] && stage.places("m2") == ["Trash"])
  }

  @Test func `a mailbox that takes changes again is open for good`() throws {
    let stage = try Stage(.modern)
    try stage.reader.setFlags(stage.local("m0"), "F")
    stage.server.alter { command, replies in
      guard command.name == "SELECT" else { return replies }
      return replies.dropLast() + [.line("\(command.tag) OK [READ-ONLY] look only")]
    }
    for _ in 0..<3 { try stage.push(1) }
    stage.server.alter(nil)
    try stage.push(0, "--full")
    #expect(stage.flags("m0") == ["\\Flagged"])
    try stage.reader.setFlags(stage.local("m1"), "F")
    try stage.push()
    #expect(stage.flags("m1") == ["\\Flagged"])
    try stage.expectSettled()
  }

  @Test func `a keyword that the server keeps by now is sent`() throws {
    let stage = try Stage(.modern)
    try stage.reader.setKeywords(stage.local("m0"), ["mine"])
    stage.server.alter { command, replies in
      guard command.name == "SELECT" else { return replies }
      return replies.map { reply in
        reply.text.contains("PERMANENTFLAGS")
          ? .line("* OK [PERMANENTFLAGS (\\Seen \\Flagged \\Answered \\Deleted \\Draft)] few")
          : reply
      }
    }
    try stage.push()
    stage.server.alter(nil)
    try stage.reader.setFlags(stage.local("m1"), "F")
    try stage.push()
    try stage.push()
    #expect(stage.flags("m0") == ["mine"])
    try stage.expectSettled()
  }

  @Test func `what is set back is what was refused, and nothing else`() throws {
    let stage = try Stage(.modern)
    try stage.reader.setKeywords(stage.local("m0"), ["mine"])
    try stage.reader.setFlags(stage.local("m0"), "F")
    stage.server.alter { command, replies in
      guard command.name == "SELECT" else { return replies }
      return replies.map { reply in
        reply.text.contains("PERMANENTFLAGS")
          ? .line("* OK [PERMANENTFLAGS (\\Seen \\Flagged \\Answered \\Deleted \\Draft)] few")
          : reply
      }
    }
    stage.refusals.value = [("UID STORE", "Flagged", "NO [CANNOT] not that one")]
    try stage.push(1)
    #expect(try stage.local("m0").flags == "")
    #expect(try stage.local("m0").keywords() == ["mine"])
  }

  @Test func `a message that is gone there is not asked for again before a pull`() throws {
    let stage = try Stage(.modern)
    try stage.reader.setFlags(stage.local("m0"), "F")
    try stage.reader.move(stage.local("m1"), to: "Work")
    stage.account.change("INBOX") { box in
      box.expunge(1)
      box.expunge(2)
    }
    try stage.push()
    stage.server.forget()
    try stage.push(1)
    #expect(stage.changes == [])
    try stage.mirror.pull()
    try stage.push()
    #expect(try stage.mirror.tree().count(of: "<m0@") == 0)
  }

  @Test func `another client's change comes first, and both stay`() throws {
    for dialect in [Dialect.modern, .condstore] {
      let stage = try Stage(dialect)
      try stage.reader.setFlags(stage.local("m0"), "FS")
      try stage.reader.setFlags(stage.local("m1"), "FS")
      stage.account.change("INBOX") { $0.setFlags(1, ["theirs", "\\Seen"]) }
      stage.server.forget()
      try stage.push()
      let stores = stage.server.server.received(named: ["STORE"])
      #expect(stores.first?.contains("UNCHANGEDSINCE") == true, "\(stores)")
      let second = try #require(stores.dropFirst().first)
      #expect(stores.count == 2 && !second.contains("UNCHANGEDSINCE"), "\(stores)")
      #expect(!second.contains("Seen"), "what is so already is not named again: \(stores)")
      #expect(stage.flags("m0") == ["theirs", "\\Seen", "\\Flagged"])
      #expect(stage.flags("m1") == ["\\Seen", "\\Flagged"])
      try stage.mirror.pull()
      #expect(try stage.local("m0").keywords() == ["theirs"])
      try stage.expectSettled()
    }
  }

  @Test func `the trash is the server's, also where it is not mirrored`() throws {
    let stage = try Stage(.modern, sync: "folders = [\"*\", \"!Rubbish\"]") { account in
      account.change("Trash") { box in
        box.attributes = []
        box.deliver(SampleMessage(token: "t0"))
      }
      account.add("Rubbish", attributes: ["\\Trash"])
    }
    try stage.reader.remove(stage.local("t0"))
    try stage.reader.remove(stage.local("m0"))
    try stage.push()
    #expect(stage.places("t0") == ["Rubbish"] && stage.places("m0") == ["Rubbish"])
    stage.server.forget()
    try stage.push()
    #expect(stage.changes == [])
  }

  @Test func `what stays there marked deleted is not brought back by a renumbering`() throws {
    let stage = try Stage(.bare)
    try stage.reader.move(stage.local("m0"), to: "Work")
    try stage.push()
    #expect(stage.places("m0") == ["INBOX", "Work"])
    stage.account.change("INBOX") { $0.renumber(from: 20) }
    try stage.mirror.pull()
    let tree = try stage.mirror.tree()
    #expect(tree.count(of: "<m0@") == 1)
    #expect(tree["INBOX"].count == 5 && tree["Work"].count == 1)
    stage.server.forget()
    try stage.push()
    #expect(stage.changes == [])
  }

  @Test func `a draft changed on both sides is said`() throws {
    let stage = try Stage(.modern) { account in
      account.change("Drafts") { $0.deliver(SampleMessage(token: "d0", flags: ["\\Draft"])) }
    }
    let draft = try stage.local("d0")
    try stage.reader.rewrite(draft, draft.raw + Array("my line\n".utf8))
    stage.account.change("Drafts") { box in
      box.expunge(1)
      box.deliver(SampleMessage(token: "d0", body: "their line", flags: ["\\Draft"]))
    }
    let outcome = try stage.push()
    #expect(outcome.errorText.contains("on the server, too"), "\(outcome.errorText)")
    #expect(stage.count(of: "my line", in: "Drafts") == 1)
    #expect(stage.count(of: "their line", in: "Drafts") == 1)
  }

  @Test func `an edited label reaches the server`() throws {
    let stage = try Stage(.modern)
    stage.account.change("INBOX") { $0.setFlags(1, ["one"]) }
    try stage.mirror.pull()
    let message = try stage.local("m0")
    // As sed does: the same length, the same time.
    let text = String(decoding: message.raw, as: UTF8.self)
      .replacing("X-Keywords: one", with: "X-Keywords: two")
    try stage.reader.rewrite(message, Array(text.utf8))
    try stage.push()
    #expect(stage.flags("m0") == ["two"])
    try stage.expectSettled()
  }

  @Test func `after half a listing nothing is deleted and nothing sent`() throws {
    let stage = try Stage(.bare)
    stage.account.change("INBOX") { $0.deliver(SampleMessage(token: "m6")) }
    stage.server.alter { command, replies in
      guard command.name == "UID SEARCH", command.mailbox == "INBOX" else { return replies }
      return replies.map { reply in
        guard reply.text.hasPrefix("* SEARCH") else { return reply }
        return .line(reply.text.split(separator: " ").prefix(5).joined(separator: " "))
      }
    }
    _ = try stage.mirror.pull()
    stage.server.alter(nil)
    stage.server.forget()
    _ = try stage.mirror.run(["push"])
    #expect(stage.changes == [])
    try stage.mirror.pull()
    #expect(try stage.mirror.tree()["INBOX"].count == 7)
    try stage.expectSettled()
  }

  @Test func `keywords kept otherwise than before are not taken for removed`() throws {
    let stage = try Stage(.modern, sync: "keywords = \"none\"")
    stage.account.change("INBOX") { $0.setFlags(1, ["one"]) }
    try stage.mirror.pull()
    try stage.mirror.configure { $0.sync = "keywords = \"header\"" }
    stage.account.change("INBOX") { $0.setFlags(2, ["two"]) }
    try stage.mirror.pull()
    try stage.mirror.configure { $0.sync = "keywords = \"dovecot\"" }
    try stage.push(78)
    #expect(stage.flags("m1") == ["two"])
  }

  @Test func `more than 200 deletions in a run wait for a word`() throws {
    let stage = try Stage(.modern, count: 450)
    let messages = try stage.mirror.tree()["INBOX"]
    for message in messages.prefix(201) { try stage.reader.remove(message) }
    try stage.reader.setFlags(#require(messages.last), "F")
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("--allow-mass-delete"))
    #expect(stage.account["INBOX"]?.messages.count == 450)
    let flagged = stage.account["INBOX"]?.messages.count { $0.flags.contains("\\Flagged") }
    #expect(flagged == 1, "everything else goes on")
    try stage.push(0, "--allow-mass-delete")
    #expect(stage.account["INBOX"]?.messages.count == 249)
    #expect(stage.account["Trash"]?.messages.count == 201)
  }

  @Test func `1,000 messages are moved without a byte of their bodies`() throws {
    let stage = try Stage(.modern, count: 1000)
    for message in try stage.mirror.tree()["INBOX"] { try stage.reader.move(message, to: "Work") }
    stage.server.forget()
    try stage.push()
    #expect(stage.account["Work"]?.messages.count == 1000)
    #expect(stage.account["INBOX"]?.messages.isEmpty == true)
    #expect(stage.server.server.bodyFetches == [])
    #expect(stage.server.server.received(named: ["APPEND", "COPY"]) == [])
    #expect(stage.server.server.received(named: ["MOVE"]).count <= 4)
  }
}
