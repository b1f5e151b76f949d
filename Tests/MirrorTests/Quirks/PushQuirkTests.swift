import Foundation
import MailTestKit
import Testing

/// Each quirk that a push acts on, on a server that has it; `Tests/QUIRKS.md` lists them all. The servers are known by
/// what they say, as the real ones are.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushQuirkTests {
  private typealias Stage = PushStage

  private func dialect(_ base: Dialect, greeting: String) -> Dialect {
    var dialect = base
    dialect.greeting = greeting
    return dialect
  }

  private func appends(_ stage: Stage) -> Int {
    stage.server.server.received(named: ["APPEND"]).count
  }

  // MARK: New messages

  @Test(arguments: [false, true])
  func `check-after-append: what Exchange shows only after CHECK is not sent twice`(isLost: Bool)
    throws
  {
    var exchange = Dialect.exchange
    exchange.capabilities.remove("UIDPLUS")
    let stage = try Stage(exchange)
    try stage.deliver("fresh", to: "Work")
    let isHidden = Locked(false)
    let isCut = Locked(isLost)
    stage.server.alter { command, replies in
      switch command.name {
      case "APPEND":
        isHidden.value = true
        let cutsNow = isCut.change { cuts in
          defer { cuts = false }
          return cuts
        }
        return cutsNow ? [.hangUp] : replies
      case "CHECK": isHidden.value = false
      case "UID SEARCH" where isHidden.value:
        return replies.map { $0.text.hasPrefix("* ") ? .line("* SEARCH") : $0 }
      default: break
      }
      return replies
    }
    try stage.push()
    #expect(appends(stage) == 1)
    #expect(stage.places("fresh") == ["Work"])
    stage.server.alter(nil)
    try stage.expectSettled()
  }

  @Test func `flags-after-append: what Exchange forgets of an APPEND's flags is stored behind it`()
    throws
  {
    let stage = try Stage(.exchange)
    let account = stage.account
    stage.server.alter { command, replies in
      if command.name == "APPEND" {
        account.change("Work") { box in
          if let last = box.messages.last { box.setFlags(last.uid, []) }
        }
      }
      return replies
    }
    try stage.reader.deliver(
      SampleMessage(token: "fresh").bytes.filter { $0 != 13 }, name: "17.1_fresh.host", to: "Work",
      flags: "FS")
    try stage.push()
    #expect(stage.flags("fresh") == ["\\Flagged", "\\Seen"])
    stage.server.alter(nil)
    try stage.expectSettled()
    #expect(try stage.local("fresh").flags == "FS")
  }

  /// As Yahoo refuses what does not end in a line end.
  private func yahoo() -> Dialect {
    dialect(
      Dialect(capabilities: ["UIDPLUS", "MOVE", "LITERAL+"]), greeting: "* OK imapgate ready")
  }

  private static let clientBug = "BAD [CLIENTBUG] APPEND Additional arguments found after last one"

  private func deliverUnended(_ stage: Stage, _ token: String, size: Int) throws {
    var bytes = SampleMessage(token: token, body: String(repeating: "line\n", count: size / 5))
      .bytes.filter { $0 != 13 }
    while bytes.last == 10 { bytes.removeLast() }
    try stage.reader.deliver(bytes, name: "17.1_\(token).host", to: "Work")
  }

  @Test(arguments: [60, 2 << 20], [false, true])
  func `final-line-end: what does not end gets a line end for Yahoo, once`(size: Int, isLost: Bool)
    throws
  {
    let stage = try Stage(yahoo())
    try deliverUnended(stage, "fresh", size: size)
    let file = try stage.local("fresh").raw
    let isCut = Locked(isLost)
    stage.server.alter { command, replies in
      guard command.name == "APPEND" else { return replies }
      guard command.arguments.last?.bytes?.suffix(2) == [13, 10] else {
        return [.line("\(command.tag) \(Self.clientBug)")]
      }
      let cutsNow = isCut.change { cuts in
        defer { cuts = false }
        return cuts
      }
      return cutsNow ? [.hangUp] : replies
    }
    try stage.push()
    #expect(appends(stage) == 1)
    #expect(stage.places("fresh") == ["Work"])
    #expect(stage.remote("fresh", in: "Work")?.bytes.suffix(2) == [13, 10])
    try stage.expectSettled()
    #expect(try stage.local("fresh").raw == file, "the file stays as it is")
    try stage.reader.setFlags(stage.local("fresh"), "F")
    try stage.push()
    #expect(stage.flags("fresh") == ["\\Flagged"])
  }

  @Test func `final-line-end: a pull between a lost answer and the push doubles nothing`() throws {
    let stage = try Stage(yahoo())
    try deliverUnended(stage, "fresh", size: 60)
    try stage.killPush(at: "APPEND")
    try stage.mirror.pull()
    try stage.push()
    #expect(stage.places("fresh") == ["Work"])
    #expect(try stage.mirror.tree().count(of: "<fresh@") == 1)
    try stage.expectSettled()
  }

  @Test(arguments: [("* OK Stalwart IMAP4rev2 at your service.", 1), ("* OK ready", 3)])
  func `serial-append: Stalwart gets no message before it has answered for the last`(
    greeting: String, count: Int
  ) throws {
    let stage = try Stage(dialect(.modern, greeting: greeting))
    for token in ["one", "two", "three"] { try stage.deliver(token, to: "Work") }
    // Behind this answer no more is sent: what comes all the same was under way.
    stage.refusals.value = [("APPEND", "", "NO [OVERQUOTA] full")]
    try stage.push(1)
    #expect(appends(stage) == count)
    stage.refusals.value = []
    try stage.push()
    for token in ["one", "two", "three"] { #expect(stage.places(token) == ["Work"]) }
    try stage.expectSettled()
  }

  // MARK: Moves and deletions

  @Test func `no-move: where MOVE cannot be trusted, messages are copied and then expunged`() throws
  {
    let stage = try Stage(.modern)
    try stage.mirror.configure { $0.imap = "quirks = [\"no-move\"]" }
    try stage.reader.move(stage.local("m2"), to: "Work")
    try stage.push()
    #expect(stage.places("m2") == ["Work"])
    #expect(stage.server.server.received(named: ["MOVE"]) == [])
    #expect(stage.server.server.received(named: ["COPY"]).count == 1)
    try stage.expectSettled()
  }

  @Test func `no-uid-expunge: Proton Bridge's refusal is spared, and what stays is told`() throws {
    let proton = dialect(
      Dialect(capabilities: ["UIDPLUS"]), greeting: "* OK Proton Mail Bridge ready")
    let stage = try Stage(proton)
    stage.refusals.value = [("UID EXPUNGE", "", "NO not here")]
    try stage.reader.move(stage.local("m2"), to: "Work")
    let outcome = try stage.push()
    #expect(stage.places("m2") == ["INBOX", "Work"])
    #expect(stage.flags("m2").contains("\\Deleted"))
    #expect(stage.server.server.received(named: ["EXPUNGE", "CLOSE"]) == [])
    #expect(outcome.errorText.contains("until somebody expunges"), "\(outcome.errorText)")
    stage.server.forget()
    try stage.push()
    #expect(stage.changes == [], "said and done once")
    try stage.mirror.pull()
    #expect(try stage.mirror.tree().count(of: "<m2@") == 1)
  }

  /// A server on which a command for a message that is gone changes the next one.
  private func dbmail() throws -> Stage {
    var dbmail = dialect(
      Dialect(capabilities: ["UIDPLUS"]), greeting: "* OK dbmail imap (protocol version 4r1) ready")
    dbmail.actsOnNextUID = true
    let stage = try Stage(dbmail)
    // Gone behind our back: the push does not know.
    stage.account.change("INBOX") { $0.expunge(3) }
    return stage
  }

  @Test func `acts-on-next-uid: dbmail's next message keeps its flags`() throws {
    let stage = try dbmail()
    try stage.reader.setFlags(stage.local("m2"), "F")
    try stage.push()
    #expect(stage.flags("m3") == [])
    try stage.mirror.pull()
    #expect(try stage.local("m3").flags == "")
  }

  @Test func `acts-on-next-uid: dbmail's next message is neither moved nor copied`() throws {
    let stage = try dbmail()
    try stage.reader.move(stage.local("m2"), to: "Work")
    try stage.reader.move(stage.local("m4"), to: "Work")
    _ = try stage.mirror.run(["push"])
    #expect(stage.places("m3") == ["INBOX"])
    #expect(stage.flags("m3") == [])
    #expect(stage.places("m4") == ["INBOX", "Work"], "expunged by nobody")
  }

  @Test(arguments: ["trash", "expunge"])
  func `acts-on-next-uid: dbmail's next message is not deleted`(deletions: String) throws {
    let stage = try dbmail()
    try stage.mirror.configure { $0.sync = "deletions = \"\(deletions)\"" }
    try stage.reader.remove(stage.local("m2"))
    _ = try stage.mirror.run(["push"])
    #expect(stage.places("m3") == ["INBOX"])
    #expect(stage.flags("m3") == [])
    #expect(stage.server.server.received(named: ["EXPUNGE"]) == [])
    try stage.mirror.pull()
    #expect(try stage.mirror.tree().count(of: "<m3@") == 1)
  }

  @Test(arguments: ["trash", "expunge"])
  func `unstable-uids: a message that took a deleted one's number at Proton Bridge is not deleted`(
    deletions: String
  ) throws {
    let stage = try Stage(
      dialect(Dialect(capabilities: ["UIDPLUS"]), greeting: "* OK Proton Mail Bridge ready"))
    try stage.mirror.configure { $0.sync = "deletions = \"\(deletions)\"" }
    // UIDVALIDITY and all counters are as before, and the second message has the third one's number.
    stage.account.change("INBOX") { box in
      (box.messages[1].bytes, box.messages[2].bytes) = (
        box.messages[2].bytes, box.messages[1].bytes
      )
    }
    try stage.reader.remove(stage.local("m2"))
    try stage.reader.remove(stage.local("m4"))
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("another on the server"), "\(outcome.errorText)")
    #expect(stage.places("m1") == ["INBOX"] && stage.places("m2") == ["INBOX"])
    #expect(!stage.flags("m1").contains("\\Deleted"))
    #expect(
      stage.places("m4").contains("Trash") || stage.flags("m4").contains("\\Deleted"),
      "what is itself is deleted")
    try stage.mirror.pull()
    #expect(try stage.mirror.tree().count(of: "<m1@") >= 1)
  }
}
