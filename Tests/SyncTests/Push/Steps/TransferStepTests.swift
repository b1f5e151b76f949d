import Ledger
import MailTestKit
import SyncPlan
import Testing

/// `TransferStep` with its ways of moving, and `CopiedSources`: messages whose files a person moved.
struct TransferStepTests {
  private func move(_ stage: Stage) throws {
    try stage.move("m0", to: "Work")
    try stage.move("m1", to: "Other")
  }

  private func expectMoved(_ stage: Stage, _ when: String) throws {
    #expect(stage.places("m0") == ["Work"], "\(when)")
    #expect(stage.places("m1") == ["Other"], "\(when)")
  }

  @Test func `the server moves where it can`() throws {
    let stage = try Stage()
    try move(stage)
    #expect(stage.push().moved == 2)
    #expect(stage.changes.count == 2 && stage.changes(named: "UID MOVE").count == 2)
    try expectMoved(stage, "moved")
    try stage.expectSettled()
  }

  @Test func `elsewhere it copies, and the source goes when the copy is confirmed`() throws {
    let stage = try Stage(Speaking.copying.dialect)
    try stage.move("m0", to: "Work")
    #expect(stage.push().moved == 1)
    let verbs = stage.changes.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    #expect(verbs == ["UID COPY", "UID STORE", "UID EXPUNGE"])
    try stage.expectSettled()
  }

  @Test func `a source that cannot be expunged alone stays marked, and is no message here`() throws
  {
    let stage = try Stage(.bare)
    try stage.move("m0", to: "Work")
    stage.push()
    #expect(try stage.remote("m0", in: "INBOX").flags == ["\\Deleted"])
    #expect(try stage.folders(of: "m0") == ["Work"])
    try stage.expectSettled()
  }

  @Test(arguments: Speaking.swept) func `a crash at any point repeats and loses nothing`(
    speaking: Speaking
  ) throws {
    let stages: Set<String> = speaking == .modern ? ["move"] : ["copy", "copied"]
    let left = try Stage.crashes(
      of: .push, on: { try Stage(speaking.dialect) }, move, expect: expectMoved)
    #expect(left == stages, "what the dead runs left in the journal")
  }

  @Test(arguments: Speaking.swept)
  func `whatever refusal it meets, each message is there once`(speaking: Speaking) throws {
    try Stage.refusals(
      on: { try Stage(speaking.dialect) }, move,
      expect: { stage, when in
        #expect(stage.places("m0").count == 1, "\(when)")
        #expect(stage.places("m1").count == 1, "\(when)")
      })
  }

  @Test func `what is refused for good is put back, which is told once`() throws {
    let stage = try Stage()
    try stage.move("m0", to: "Work")
    stage.refusals.value = [.init(name: "UID MOVE", words: "NO [CANNOT] not that")]
    let told = stage.push(1).problems
    #expect(told.count == 1 && told[0].problem.contains("refuses the move"), "\(told)")
    #expect(told.first?.problem.contains("not that") == true, "in the server's words: \(told)")
    #expect(try stage.folders(of: "m0") == ["INBOX"])
    stage.forget()
    #expect(stage.push().problems == [])
    #expect(stage.changes == [])
  }

  @Test func `a right that is missing is asked for in three pushes, and the file stays`() throws {
    let stage = try Stage()
    try stage.move("m0", to: "Work")
    stage.refusals.value = [.init(name: "UID MOVE", words: "NO [NOPERM] not yours")]
    for _ in 0..<3 { stage.push(1) }
    stage.forget()
    stage.push(1)
    #expect(stage.changes == [])
    #expect(try stage.folders(of: "m0") == ["Work"])
    stage.refusals.value = []
    stage.push(0, PushOptions(full: true))
    #expect(stage.places("m0") == ["Work"])
    try stage.expectSettled()
  }

  @Test func `nothing goes to a mailbox that is gone`() throws {
    let stage = try Stage()
    try stage.move("m0", to: "Work")
    stage.account["Work"] = nil
    stage.push(1)
    #expect(stage.changes == [])
    #expect(stage.places("m0") == ["INBOX"])
  }

  @Test(arguments: Speaking.allCases) func `nothing goes to a mailbox that was renumbered`(
    speaking: Speaking
  ) throws {
    let stage = try Stage(
      speaking.dialect, more: { $0.change("Work") { $0.deliver(SampleMessage(token: "w0")) } })
    try stage.move("m0", to: "Work")
    stage.account.change("Work") { $0.renumber(from: 7) }
    let told = stage.push(1).told
    #expect(told.contains("renumbered"), "\(told)")
    #expect(stage.changes == [])
    stage.pull()
    stage.push()
    #expect(stage.account["Work"]?.messages.count == 2)
    #expect(stage.places("m0") == ["Work"])
    try stage.expectSettled()
  }
}
