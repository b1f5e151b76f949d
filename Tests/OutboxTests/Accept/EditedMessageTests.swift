import Foundation
import Queue
import Testing

@testable import Outbox

/// What an editor makes of a queued message, and whom it goes to then.
@Suite struct EditedMessageTests {
  private let lab: OutboxLab
  private let edited: EditedMessage
  private let old: QueueEntry

  init() throws {
    lab = try OutboxLab()
    let message = """
      From: alice@example.org
      To: Bob <bob@example.net>, carol@example.net
      Cc: dan@example.net
      Bcc: eve@example.net
      Subject: x

      x

      """
    let id = try lab.accept(message, ["-t"]).id
    old = try lab.outbox().beginEdit(id, at: .now())
    edited = EditedMessage(old, try lab.bytes(id))
  }

  /// Queues the text with these changes.
  private func queue(_ changes: (String, String)...) throws -> SubmissionEnvelope {
    var text = String(decoding: edited.text, as: UTF8.self)
    for (before, after) in changes {
      try #require(text.contains(before), "\(before)")
      text = text.replacing(before, with: after)
    }
    return try edited.queue(
      Array(text.utf8), account: lab.accounts[0], accounts: lab.accounts, root: lab.root,
      localNames: [])
  }

  private let envelope =
    "X-Envelope-To: bob@example.net,\n carol@example.net,\n dan@example.net,\n eve@example.net\n"

  @Test func `the envelope alone says who gets it`() throws {
    let new = try queue((envelope, "X-Envelope-To: zoe@example.net\n"))
    #expect(new.recipients == ["zoe@example.net"])
  }

  @Test func `a header that names others than an envelope that was left is not queued`() throws {
    let header = "To: Bob <bob@example.net>"
    #expect(
      throws: AcceptanceError.envelopeLeftBehind(
        added: ["rob@example.net"], removed: ["bob@example.net"])
    ) { try queue((header, "To: Bob <rob@example.net>")) }
    #expect(throws: AcceptanceError.envelopeLeftBehind(added: [], removed: ["carol@example.net"])) {
      try queue((header + ", carol@example.net", header))
    }
    #expect(throws: AcceptanceError.envelopeLeftBehind(added: ["fay@example.net"], removed: [])) {
      try queue(("Subject: x", "Bcc: fay@example.net\nSubject: x"))
    }
    #expect(throws: AcceptanceError.envelopeLeftBehind(added: [], removed: ["dan@example.net"])) {
      try queue(("Cc: dan@example.net\n", ""))
    }
    #expect(throws: AcceptanceError.noEnvelopeRecipients) { try queue((envelope, "")) }
    #expect(try lab.entries().map(\.id) == [old.id])
    let words = AcceptanceError.envelopeLeftBehind(added: ["a@b"], removed: ["c@d"]).explanation
    #expect(words.problem.contains("name a@b and leave out c@d"))
    #expect(words.remedy?.contains("X-Envelope-To") == true)
  }

  @Test func `what changes nobody is no matter for the envelope`() throws {
    let header = "To: Bob <bob@example.net>, carol@example.net"
    let new = try queue(
      (header, "To: carol@EXAMPLE.net, \"Bobby\" <bob@example.net>"),
      ("Subject: x", "Subject: y"))
    #expect(new.recipients == old.envelope?.recipients && new.subject == "y")
  }

  @Test func `both changed is the user's word`() throws {
    let new = try queue((envelope, "X-Envelope-To: rob@example.net\n"), ("Cc: dan", "Cc: don"))
    #expect(new.recipients == ["rob@example.net"])
    #expect(try lab.text(new.id).contains("Cc: don@example.net\n"))
  }

  @Test func `who knows only the copy for the blind may name them openly`() throws {
    let new = try queue(("Cc: dan@example.net", "Cc: dan@example.net, eve@example.net"))
    #expect(new.recipients == old.envelope?.recipients)
  }

  @Test func `what may have gone before a restore is another message once edited`() throws {
    let lab = try OutboxLab()
    let id = try lab.accept("Subject: x\n\nx\n").id
    let outbox = try lab.outbox()
    try outbox.beginSending().holdAll(reason: "restored", at: .now())
    let seen = try outbox.beginEdit(id, at: .now())
    let edited = EditedMessage(seen, try lab.bytes(id))
    let new = try edited.queue(
      edited.text, account: lab.accounts[0], accounts: lab.accounts, root: lab.root,
      localNames: [])
    #expect(new.messageID != nil && new.messageID != seen.envelope?.messageID)
    let left = try outbox.finishEdit(seen, replacement: new.id, at: .now())
    #expect(left.state == .held && left.concern != nil)
  }
}
