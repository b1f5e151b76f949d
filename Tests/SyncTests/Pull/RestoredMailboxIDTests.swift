import Ledger
import MailTestKit
import State
import SyncPlan
import Testing

/// A mailbox that is put back from a backup: it has another MAILBOXID than before under the same UIDVALIDITY, the same
/// messages, and not all of them at first.
struct RestoredMailboxIDTests {
  /// `A` with a0 to a2.
  private func stage(isListed: Bool = true) throws -> Stage {
    let stage = try Stage(
      .modern,
      more: { account in
        account.add("A", uidValidity: 4000)
        account.change("A") { box in
          for number in 0..<3 { box.deliver(SampleMessage(token: "a\(number)")) }
        }
      })
    if !isListed {
      // As Cyrus 3.6 does: it is told of an open mailbox only.
      stage.alter.value = { _, replies in
        replies.map { reply in
          guard reply.text.hasPrefix("* STATUS") else { return reply }
          return .line(reply.text.replacing(#/\ MAILBOXID\ \([^)]*\)/#, with: ""))
        }
      }
    }
    return stage
  }

  /// It may come back from a backup, message by message.
  @Test func `what a mailbox under another id lacks is neither removed nor sent`() throws {
    let stage = try stage()
    try stage.setFlags("a1", "F")
    let whole = try #require(stage.account["A"])
    stage.account.change("A") { box in
      box.identity = "restored"
      box.expunge(2)
      box.expunge(3)
    }
    for _ in 0..<2 {
      stage.pull(nil)
      stage.push(nil)
      #expect(stage.places("a0") == ["A"] && stage.places("a1") == [])
      #expect(try stage.folders(of: "a1") == ["A"] && stage.folders(of: "a2") == ["A"])
    }
    stage.account.change("A") { box in
      box.messages = whole.messages
      box.highestModSequence += 1
    }
    stage.pull()
    stage.push()
    #expect(try stage.remote("a1", in: "A").flags == ["\\Flagged"])
    try stage.expectSettled()
    stage.account.change("A") { $0.expunge(3) }
    stage.pull()
    try stage.expectSettled()
  }

  @Test func `what it lacks is kept wherever the run that finds it dies`() throws {
    func restored() throws -> Stage {
      let stage = try stage(isListed: false)
      restoreInPart(stage)
      return stage
    }
    let whole = try restored()
    whole.fuse.arm(nil)
    whole.play(.pull)
    #expect(whole.fuse.events > 2)
    for event in 0..<whole.fuse.events {
      for place in [Fuse.Place.before(event), .after(event)] {
        let stage = try restored()
        stage.fuse.arm(place)
        stage.play(.pull)
        for _ in 0..<2 {
          stage.pull(1)
          stage.push(nil)
        }
        for token in ["a1", "a2"] {
          let (here, there) = (try stage.folders(of: token), stage.places(token))
          #expect(here == ["A"] && there == [], "\(place): \(token) in \(here), \(there)")
        }
      }
    }
  }

  private func restoreInPart(_ stage: Stage) {
    stage.account.change("A") { box in
      box.identity = "restored"
      box.expunge(2)
      box.expunge(3)
    }
  }

  /// A server that no longer knows what was expunged when names all numbers that are not there (RFC 7162 §3.2.5).
  @Test func `that it is not there is no word of an expunge`() throws {
    let stage = try stage()
    restoreInPart(stage)
    stage.pull(nil)
    try stage.setFlagsThere("a0", ["\\Seen"], in: "A")
    stage.alter.value = { command, replies in
      guard command.name == "SELECT" || command.name == "EXAMINE", command.text.contains("QRESYNC"),
        command.text.contains("\"A\"")
      else { return replies }
      return replies.dropLast() + [.line("* VANISHED (EARLIER) 2:3")] + replies.suffix(1)
    }
    for _ in 0..<2 { stage.pull(nil) }
    #expect(try stage.local("a0").flags == "S")
    #expect(try stage.folders(of: "a1") == ["A"] && stage.folders(of: "a2") == ["A"])
    stage.push(nil)
    #expect(stage.places("a1") == [])
  }

  /// A list that is not whole tells nothing.
  @Test func `what a list leaves out by mistake stays`() throws {
    let stage = try stage()
    stage.account.change("A") { $0.identity = "moved" }
    stage.alter.value = { command, replies in
      guard command.text.contains("SEARCH") else { return replies }
      return replies.map { reply in
        reply.text.contains("SEARCH") || reply.text.contains("ALL 1:3")
          ? .line(reply.text.replacing("1:3", with: "1").replacing(" 1 2 3", with: " 1")) : reply
      }
    }
    stage.pull(nil)
    stage.alter.value = nil
    stage.account.change("A") { $0.setFlags(1, ["\\Seen"]) }
    stage.pull()
    for token in ["a1", "a2"] { #expect(try stage.folders(of: token) == ["A"]) }
    try stage.expectSettled()
  }

  @Test func `what a person says was deleted there goes`() throws {
    let stage = try stage()
    stage.account.change("A") { box in
      box.identity = "moved"
      box.expunge(2)
    }
    let told = stage.pull(nil).problems
    #expect(told.contains { $0.remedy?.contains("allow-mass-delete") == true }, "\(told)")
    stage.pull(0, PullOptions(allowsMassDelete: true))
    #expect(try stage.folders(of: "a1") == [])
    try stage.expectSettled()
  }

  @Test func `what is found again under other numbers is a message like all`() throws {
    let stage = try stage()
    let whole = try #require(stage.account["A"]).messages
    restoreInPart(stage)
    stage.pull(nil)
    stage.account.change("A") { box in
      box.messages = whole
      box.renumber()
    }
    stage.pull()
    try stage.expectSettled()
    let path = stage.path + "/.mirror/state.db"
    let state = try StateStore(path: path, durable: false, readOnly: true)
    let mailbox = try #require(try state.mailboxes().first { $0.name == "A" })
    try state.forEachMessage(in: mailbox.id) { message in
      #expect(message.traits.isDisjoint(with: [.outOfView, .notUnderNewID]))
    }
  }
}
