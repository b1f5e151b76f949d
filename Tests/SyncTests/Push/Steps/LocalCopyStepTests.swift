import MailTestKit
import SyncPlan
import Testing

/// `LocalCopyStep`: a file copied to another folder, where the server copies its message.
struct LocalCopyStepTests {
  private func copy(_ stage: Stage) throws { try stage.copy("m0", to: "Work") }

  private func expectCopied(_ stage: Stage, _ when: String) throws {
    #expect(stage.places("m0") == ["INBOX", "Work"], "\(when)")
  }

  @Test(arguments: [Speaking.modern, .copying]) func `the server copies it`(speaking: Speaking)
    throws
  {
    let stage = try Stage(speaking.dialect)
    try copy(stage)
    #expect(stage.push().copied == 1)
    #expect(stage.changes(named: "UID COPY").count == 1)
    #expect(stage.changes(named: "APPEND") == [])
    try stage.expectSettled()
  }

  @Test func `where it would not tell where the copy lies, the file is sent`() throws {
    let stage = try Stage(.bare)
    try copy(stage)
    stage.push()
    #expect(stage.changes(named: "APPEND").count == 1)
    try expectCopied(stage, "sent")
    try stage.expectSettled()
  }

  @Test(arguments: Speaking.swept) func `a crash at any point copies it once`(
    speaking: Speaking
  ) throws {
    try Stage.crashes(of: .push, on: { try Stage(speaking.dialect) }, copy, expect: expectCopied)
  }

  @Test func `whatever refusal it meets, the copy is there once`() throws {
    try Stage.refusals(copy, expect: expectCopied)
  }
}
