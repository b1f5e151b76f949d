import Foundation
import MailTestKit
import Testing

/// `mirror outbox` on messages that an editor, or a refusal, has left in an unusual state.
@Suite(.enabled(if: SendScenario.isPossible)) struct OutboxCommandTests {
  private let message = "From: alice@example.org\nTo: WRONG@example.org\nSubject: x\n\nx\n"

  @Test func `a header changed without its envelope is not queued, and its text goes on`() throws {
    let send = try SendScenario()
    let (wrong, right) = (SendScenario.newUser(), SendScenario.newUser())
    #expect(try send.sendmail(message.replacing("WRONG", with: wrong), "-t").status == 0)
    let id = try #require(try send.outbox().first?["id"] as? String)
    let refused = try send.mirror.run(
      ["outbox", "edit", id], more: ["EDITOR": "sed -i '/^To:/s/\(wrong)/\(right)/'"])
    #expect(refused.status == 65 && refused.errorText.contains("X-Envelope-To"))
    let words = refused.errorText
    let path = try #require(words.split(separator: "'").first { $0.hasPrefix("/") }, "\(words)")
    let kept = try String(contentsOfFile: String(path), encoding: .utf8)
    #expect(kept.contains("\nTo: \(right)@example.org\n"))
    #expect(try send.push().status == 1)
    #expect(try send.server.arrived(for: wrong, atLeast: 0).isEmpty)
    let edited = try send.mirror.run(
      ["outbox", "edit", "--continue", String(path), id],
      more: ["EDITOR": "sed -i '/^X-Envelope-To:/s/\(wrong)/\(right)/'"])
    #expect(edited.status == 0, "\(edited.summary)")
    #expect(try send.push().status == 0)
    #expect(try send.server.arrived(for: right, atLeast: 1).count == 1)
    #expect(try send.server.arrived(for: wrong, atLeast: 0).isEmpty)
    try? FileManager.default.removeItem(atPath: String(path))
  }

  @Test func `what was held is held once it is edited, and that is said`() throws {
    let send = try SendScenario()
    #expect(try send.sendmail("Subject: one\n\nx\n", "bob@example.org").status == 0)
    let id = try #require(try send.outbox().first?["id"] as? String)
    #expect(try send.mirror.run(["outbox", "hold", id]).status == 0)
    let edited = try send.mirror.run(
      ["outbox", "edit", id], more: ["EDITOR": "sed -i s/one/two/"])
    #expect(edited.status == 0, "\(edited.summary)")
    #expect(edited.outputText.contains("held as it was before"), "\(edited.summary)")
    #expect(try send.push().status == 0)
    let entries = try send.outbox()
    #expect(entries.compactMap { $0["state"] as? String } == ["held"])
    #expect(entries.compactMap { $0["subject"] as? String } == ["two"])
  }

  @Test func `retry --all is also about those who were refused while others got it`() throws {
    let send = try SendScenario()
    let bob = SendScenario.newUser()
    #expect(
      try send.sendmail("Subject: x\n\nx\n", "\(bob)@example.org", "x@[nonsense]").status == 0)
    #expect(try send.push().status == 1)
    let retried = try send.mirror.run(["outbox", "retry", "--all"])
    #expect(retried.status == 0 && retried.outputText.contains("queued again"))
    let entry = try send.outbox().first
    let recipients = entry?["recipients"] as? [[String: Any]]
    #expect(recipients?.compactMap { $0["state"] as? String } == ["sent", "queued"])
    #expect(try send.push().status == 1)
    try send.server.drain()
    #expect(try send.server.arrived(for: bob, atLeast: 1).count == 1)
  }
}
