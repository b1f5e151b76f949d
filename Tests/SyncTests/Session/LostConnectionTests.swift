import Foundation
import MailTestKit
import SyncPlan
import Testing

/// A mailbox, or a message, on which the connection always ends: it fails by itself, and everything else goes on.
struct LostConnectionTests {
  /// Hangs up whenever one of these mailboxes is opened.
  private func trip(over mailboxes: [String], _ stage: Stage) {
    stage.alter.value = { command, honest in
      let isMeant = mailboxes.contains { command.text.contains(" \"\($0)\"") }
      return isMeant && ["SELECT", "EXAMINE"].contains(command.name) ? [.hangUp] : honest
    }
  }

  /// Hangs up where the messages with these tokens would come.
  private func trip(overMessages tokens: [String], _ stage: Stage) {
    stage.alter.value = { command, honest in
      guard command.name == "UID FETCH", command.text.contains("BODY.PEEK[]") else { return honest }
      let bad = honest.firstIndex { reply in tokens.contains { reply.text.contains("<\($0)@") } }
      return bad.map { Array(honest[..<$0]) + [.hangUp] } ?? honest
    }
  }

  private func deliver(_ tokens: [String], _ mailbox: String, _ stage: Stage) {
    stage.account.change(mailbox) { box in
      for token in tokens { box.deliver(SampleMessage(token: token)) }
    }
  }

  // MARK: Pull

  @Test func `beside a mailbox that hangs up the others are pulled`() throws {
    let stage = try Stage()
    deliver(["o"], "Other", stage)
    deliver(["w"], "Work", stage)
    trip(over: ["Other"], stage)
    for _ in 0..<2 {
      let told = stage.pull(1).problems
      #expect(told.contains { $0.mailbox == "Other" && $0.problem.contains("left out") }, "\(told)")
      #expect(try stage.folders(of: "w") == ["Work"])
    }
    stage.alter.value = nil
    stage.pull()
    #expect(try stage.folders(of: "o") == ["Other"])
    try stage.expectSettled()
  }

  /// The first run cannot tell two of them from a server that hangs up on everything.
  @Test func `where several hang up, what failed before is visited last`() throws {
    let bad = ["Bad 1", "Bad 2"]
    let stage = try Stage(more: { account in for name in bad { account.add(name) } })
    for name in bad { deliver([name.replacing(" ", with: "")], name, stage) }
    deliver(["w"], "Work", stage)
    trip(over: bad, stage)
    stage.pull(69)
    stage.pull(1)
    #expect(try stage.folders(of: "w") == ["Work"])
    stage.alter.value = nil
    stage.pull()
    try stage.expectSettled()
  }

  @Test func `a message on which the connection ends is left out, and no other`() throws {
    let stage = try Stage()
    deliver((0..<5).map { "n\($0)" }, "Work", stage)
    trip(overMessages: ["n2"], stage)
    let told = stage.pull(1).problems
    let uid = try stage.remote("n2", in: "Work").uid
    #expect(told.map(\.uid) == [uid], "\(told)")
    #expect(told.first?.problem.contains("skipped") == true, "\(told)")
    for token in ["n0", "n1", "n3", "n4"] { #expect(try stage.folders(of: token) == ["Work"]) }
    // From then on it is asked for once in a run.
    stage.forget()
    #expect(stage.pull(1).problems.map(\.uid) == [uid])
    #expect(stage.bodyFetches.count == 1, "\(stage.bodyFetches)")
    stage.alter.value = nil
    stage.pull()
    #expect(try stage.folders(of: "n2") == ["Work"])
    try stage.expectSettled()
  }

  /// The originals' files go with the state, and the copies in Work are no proof that a person moved these.
  @Test func `nor any other where the tree is matched anew`() throws {
    // Without identities, by which messages are linked.
    let stage = try Stage(Speaking.copying.dialect)
    let tokens = (0..<4).map { "m\($0)" }
    for token in tokens {
      let file = try stage.local(token)
      try stage.reader.deliver(file.raw, name: file.base, to: "Work", flags: file.flags)
    }
    stage.push()
    stage.pull()
    stage.reopen()
    try FileManager.default.removeItem(atPath: stage.path + "/.mirror/state.db")
    for token in tokens { try stage.reader.remove(stage.local(token, in: "INBOX")) }
    trip(overMessages: ["m2"], stage)
    let told = stage.pull(1).problems
    #expect(told.contains { $0.uid == 3 && $0.problem.contains("skipped") }, "\(told)")
    for token in ["m0", "m1", "m3"] {
      #expect(try stage.folders(of: token) == ["INBOX", "Work"])
    }
    stage.alter.value = nil
    stage.pull()
    #expect(try stage.folders(of: "m2") == ["INBOX", "Work"])
    try stage.expectSettled()
  }

  @Test func `a server that hangs up on everything is unreachable`() throws {
    let stage = try Stage()
    deliver(["w"], "Work", stage)
    deliver(["o"], "Other", stage)
    trip(over: ["INBOX", "Work", "Other", "Drafts", "Trash"], stage)
    stage.pull(69)
    stage.alter.value = nil
    stage.pull()
    try stage.expectSettled()
  }

  // MARK: Push

  @Test func `beside a mailbox that hangs up the others are pushed`() throws {
    let stage = try Stage()
    try stage.deliver("o", to: "Other")
    try stage.deliver("w", to: "Work")
    try stage.setFlags("m0", "F")
    trip(over: ["Other"], stage)
    let told = stage.push(1).problems
    #expect(told.count { $0.mailbox == "Other" && $0.problem.contains("left out") } == 1, "\(told)")
    #expect(stage.places("w") == ["Work"] && stage.places("o") == [])
    #expect(try stage.remote("m0").flags == ["\\Flagged"])
    stage.alter.value = nil
    stage.push()
    #expect(stage.places("o") == ["Other"])
    try stage.expectSettled()
  }

  @Test func `a message on which the connection ends keeps no other mailbox back`() throws {
    let stage = try Stage()
    try stage.deliver("o", to: "Other")
    try stage.deliver("w", to: "Work")
    let account = stage.account
    stage.alter.value = { command, honest in
      guard command.name == "APPEND", command.text.contains("\"Other\"") else { return honest }
      account.change("Other") { $0.messages.removeAll() }
      return [.hangUp]
    }
    let told = stage.push(1).problems
    #expect(told.contains { $0.mailbox == "Other" && $0.problem.contains("left out") }, "\(told)")
    #expect(stage.places("w") == ["Work"] && stage.places("o") == [])
    stage.alter.value = nil
    stage.push()
    #expect(stage.places("o") == ["Other"])
    try stage.expectSettled()
  }
}
