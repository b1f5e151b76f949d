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

  @Test func `a dry run of every verb tells what would be done, and changes no byte`() throws {
    let send = try SendScenario()
    #expect(try send.sendmail("Subject: one\n\nx\n", "bob@example.org").status == 0)
    #expect(try send.sendmail("Subject: two\n\nx\n", "bob@example.org").status == 0)
    let ids = try send.outbox().compactMap { $0["id"] as? String }
    let (queued, held) = (try #require(ids.first), try #require(ids.last))
    #expect(try send.mirror.run(["outbox", "hold", held]).status == 0)
    let place = send.mirror.root + "/personal/.mirror/outbox"
    func files() throws -> String {
      try run(["sh", "-c", "find \"$0\" -type f -printf '%p %i %C@\\n' | sort", place]).outputText
    }
    let before = try files()
    for (verb, id, words) in [
      ("hold", queued, "would be held"), ("release", held, "would be released"),
      ("retry", queued, "would be queued again"), ("discard", queued, "would be discarded"),
      ("edit", queued, "would be opened in an editor"),
    ] {
      let outcome = try send.mirror.run(
        ["outbox", verb, "--dry-run", id], more: ["EDITOR": "sed -i s/x/y/"])
      #expect(outcome.status == 0, "\(verb): \(outcome.summary)")
      #expect(outcome.outputText == "\(id): \(words)\n", "\(verb): \(outcome.summary)")
    }
    let refused = try send.mirror.run(["--dry-run", "outbox", "release", queued])
    #expect(try files() == before)
    let really = try send.mirror.run(["outbox", "release", queued])
    #expect(refused.status == really.status && refused.errorText == really.errorText)
    #expect(refused.status != 0, "\(refused.summary)")
  }

  @Test func `changes are told in JSON, also those that a dry run would make`() throws {
    let send = try SendScenario()
    #expect(try send.sendmail("Subject: one\n\nx\n", "bob@example.org").status == 0)
    let id = try #require(try send.outbox().first?["id"] as? String)
    for isDry in [true, false] {
      let outcome = try send.mirror.run(
        ["outbox", "hold", "--format", "json", id] + (isDry ? ["--dry-run"] : []))
      let changes = try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [[String: Any]]
      let change = try #require(changes?.first)
      #expect(change["id"] as? String == id && change["account"] as? String == "personal")
      #expect(change["change"] as? String == "held" && change["dry_run"] as? Bool == isDry)
    }
    #expect(try send.outbox().first?["state"] as? String == "held")
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
