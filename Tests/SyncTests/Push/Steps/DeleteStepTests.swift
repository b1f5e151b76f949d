import MailTestKit
import SyncPlan
import Testing

/// `DeleteStep`: messages whose files are gone.
struct DeleteStepTests {
  /// An account with t0 in Trash.
  private func stage(_ speaking: Speaking = .modern) throws -> Stage {
    try Stage(
      speaking.dialect, more: { $0.change("Trash") { $0.deliver(SampleMessage(token: "t0")) } })
  }

  private func delete(_ stage: Stage) throws {
    try stage.remove("m0")
    try stage.remove("t0")
  }

  private func expectDeleted(_ stage: Stage, _ when: String) throws {
    #expect(stage.places("m0") == ["Trash"], "\(when)")
    #expect(stage.places("t0") == [], "\(when)")
  }

  @Test func `by way of the trash, and from there for good`() throws {
    let stage = try stage()
    try delete(stage)
    #expect(stage.push().deleted == 2)
    try expectDeleted(stage, "deleted")
    try stage.expectSettled()
    #expect(try stage.folders(of: "m0") == ["Trash"])
  }

  @Test func `for good at once where the settings say so`() throws {
    let stage = try Stage(sync: { $0.deletions = .expunge })
    try stage.remove("m0")
    stage.push()
    #expect(stage.places("m0") == [])
    #expect(stage.changes(named: "UID EXPUNGE").count == 1)
    try stage.expectSettled()
  }

  @Test(arguments: Speaking.swept) func `a crash at any point repeats and loses nothing`(
    speaking: Speaking
  ) throws {
    try Stage.crashes(of: .push, on: { try stage(speaking) }, delete, expect: expectDeleted)
  }

  @Test(arguments: Speaking.swept)
  func `whatever refusal it meets, a message is once in the trash or where it was`(
    speaking: Speaking
  ) throws {
    // What may not be expunged is left \Deleted there, and comes back here.
    try Stage.refusals(
      on: { try stage(speaking) }, agrees: false, delete,
      expect: { stage, when in
        #expect([["INBOX"], ["Trash"]].contains(stage.places("m0")), "\(when)")
        #expect([[], ["Trash"]].contains(stage.places("t0")), "\(when)")
      })
  }

  @Test func `what is refused for good comes back, which is told once`() throws {
    let stage = try stage()
    try stage.remove("m0")
    stage.refusals.value = [.init(name: "UID MOVE", words: "NO [CANNOT] not that")]
    let told = stage.push(1).problems
    #expect(told.count == 1 && told[0].problem.contains("refuses to delete"), "\(told)")
    stage.forget()
    stage.push(nil)
    #expect(stage.changes == [])
    stage.pull()
    #expect(try stage.folders(of: "m0") == ["INBOX"])
    stage.refusals.value = []
    try stage.expectSettled()
  }

  @Test func `a right that is missing is asked for in three pushes, and the deletion waits`() throws
  {
    let stage = try stage()
    try stage.remove("m0")
    stage.refusals.value = [.init(name: "UID MOVE", words: "NO [NOPERM] not yours")]
    for _ in 0..<3 { stage.push(1) }
    stage.forget()
    stage.push(1)
    #expect(stage.changes == [])
    stage.pull(nil)
    #expect(try stage.folders(of: "m0") == [])
    stage.refusals.value = []
    stage.push(0, PushOptions(full: true))
    #expect(stage.places("m0") == ["Trash"])
    try stage.expectSettled()
  }

  @Test func `deleted on both sides is agreement`() throws {
    let stage = try stage()
    try stage.remove("m0")
    try stage.expungeThere("m0")
    #expect(stage.push().problems == [])
    stage.pull()
    #expect(stage.places("m0") == [])
    try stage.expectSettled()
  }
}
