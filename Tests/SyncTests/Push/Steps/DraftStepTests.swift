import MailTestKit
import SyncPlan
import Testing

/// `DraftMarks`, `UploadStep` and `CopiedSources`: a draft that was edited takes the place of the server's.
struct DraftStepTests {
  private func stage(_ speaking: Speaking = .modern) throws -> Stage {
    try Stage(
      speaking.dialect,
      more: { $0.change("Drafts") { $0.deliver(SampleMessage(token: "d0", flags: ["\\Draft"])) } })
  }

  private func edit(_ stage: Stage) throws { try stage.edit("d0") }

  private func expectReplaced(_ stage: Stage, _ when: String) throws {
    #expect(stage.places("d0") == ["Drafts"], "\(when)")
    #expect(stage.count(of: "one more line", in: "Drafts") == 1, "\(when)")
  }

  @Test func `the new one is there before the old one goes`() throws {
    let stage = try stage()
    try edit(stage)
    #expect(stage.push().uploaded == 1)
    #expect(stage.changes.first?.hasPrefix("APPEND") == true, "\(stage.changes)")
    #expect(stage.changes(named: "UID EXPUNGE").count == 1)
    try expectReplaced(stage, "replaced")
    try stage.expectSettled()
  }

  @Test(arguments: Speaking.swept) func `a crash at any point leaves one, the edited one`(
    speaking: Speaking
  ) throws {
    try Stage.crashes(of: .push, on: { try stage(speaking) }, edit, expect: expectReplaced)
  }

  @Test(arguments: Speaking.swept) func `whatever refusal it meets, the edit arrives once`(
    speaking: Speaking
  ) throws {
    try Stage.refusals(on: { try stage(speaking) }, edit, expect: expectReplaced)
  }

  @Test func `a refused draft is kept, and never set back`() throws {
    let stage = try stage()
    try edit(stage)
    stage.refusals.value = [.init(name: "APPEND", words: "NO [CANNOT] not that")]
    for _ in 0..<4 { stage.push(1) }
    #expect(stage.count(of: "one more line", in: "Drafts") == 0)
    #expect(try String(decoding: stage.local("d0").raw, as: UTF8.self).contains("one more line"))
    stage.refusals.value = []
    stage.push()
    try expectReplaced(stage, "in the end")
    try stage.expectSettled()
  }

  @Test func `marks that another client set meanwhile go to the new one`() throws {
    let stage = try stage()
    try edit(stage)
    try stage.setFlagsThere("d0", ["\\Draft", "\\Flagged"], in: "Drafts")
    stage.push()
    #expect(try stage.remote("d0", in: "Drafts").flags == ["\\Draft", "\\Flagged"])
    try stage.expectSettled()
  }
}
