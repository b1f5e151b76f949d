import Ledger
import MailTestKit
import SyncPlan
import Testing

/// `UploadStep` and `UploadSearch`: new files.
struct UploadStepTests {
  private func save(_ stage: Stage) throws {
    try stage.deliver("n0", to: "Work", flags: "S")
    try stage.deliver("n1", to: "INBOX", flags: "FS")
  }

  private func expectSaved(_ stage: Stage, _ when: String) throws {
    #expect(stage.places("n0") == ["Work"], "\(when)")
    #expect(stage.places("n1") == ["INBOX"], "\(when)")
    #expect(try stage.remote("n1").flags == ["\\Flagged", "\\Seen"], "\(when)")
  }

  @Test(arguments: Speaking.allCases) func `each is sent once`(speaking: Speaking) throws {
    let stage = try Stage(speaking.dialect)
    try save(stage)
    #expect(stage.push().uploaded == 2)
    #expect(stage.changes(named: "APPEND").count == 2)
    // Where nothing is known of a plain server, flags are stored behind it.
    #expect(stage.changes.count == (speaking == .modern ? 2 : 4), "\(stage.changes)")
    try expectSaved(stage, "sent")
    try stage.expectSettled()
  }

  @Test(arguments: Speaking.swept) func `a crash at any point repeats and loses nothing`(
    speaking: Speaking
  ) throws {
    let stages: Set<String> = speaking == .bare ? ["append", "appended"] : ["append"]
    let left = try Stage.crashes(
      of: .push, on: { try Stage(speaking.dialect) }, save, expect: expectSaved)
    #expect(left == stages, "what the dead runs left in the journal")
  }

  @Test(arguments: Speaking.swept) func `whatever refusal it meets, it is sent once`(
    speaking: Speaking
  ) throws {
    func expect(_ stage: Stage, _ when: String) throws {
      // Flags that follow their message, and are refused for good, are the server's again, which is told.
      guard when.contains("UID STORE") else { return try expectSaved(stage, when) }
      #expect(stage.places("n0") == ["Work"] && stage.places("n1") == ["INBOX"], "\(when)")
    }
    try Stage.refusals(on: { try Stage(speaking.dialect) }, save, expect: expect)
  }

  @Test func `what is refused stays here, is told, and is tried again on every push`() throws {
    let stage = try Stage()
    try stage.deliver("n0", to: "Work")
    stage.refusals.value = [.init(name: "APPEND", words: "NO [CANNOT] not that")]
    for _ in 0..<4 {
      stage.forget()
      let told = stage.push(1).problems
      #expect(told.count == 1 && told[0].problem.contains("it stays here"), "\(told)")
      #expect(stage.changes.count == 1, "\(stage.changes)")
    }
    #expect(try stage.folders(of: "n0") == ["Work"])
    stage.refusals.value = []
    stage.push()
    #expect(stage.places("n0") == ["Work"])
    try stage.expectSettled()
  }

  @Test func `over the quota, nothing more is sent to the mailbox`() throws {
    let stage = try Stage()
    for number in 0..<60 { try stage.deliver("n\(number)", to: "Work") }
    stage.refusals.value = [.init(name: "APPEND", words: "NO [OVERQUOTA] full")]
    let told = stage.push(1).problems
    #expect(told.contains { $0.problem.contains("over its quota") }, "\(told)")
    #expect(stage.changes.count == 50, "no more than one batch")
    stage.refusals.value = []
    stage.push()
    #expect(stage.account["Work"]?.messages.count == 60)
    try stage.expectSettled()
  }

  @Test func `a right that is missing is asked for in three pushes`() throws {
    let stage = try Stage()
    try stage.deliver("n0", to: "Work")
    stage.refusals.value = [.init(name: "APPEND", words: "NO [NOPERM] not yours")]
    for _ in 0..<3 { stage.push(1) }
    stage.forget()
    stage.push(1)
    #expect(stage.changes == [])
    stage.refusals.value = []
    stage.push(0, PushOptions(full: true))
    #expect(stage.places("n0") == ["Work"])
    try stage.expectSettled()
  }

  @Test func `what the server has already, and no pull has seen, is not sent`() throws {
    let stage = try Stage()
    try stage.deliver("n0", to: "Work")
    stage.account.change("Work") { $0.deliver(SampleMessage(token: "n0")) }
    stage.push(nil)
    #expect(stage.changes(named: "APPEND") == [])
    for run in [Stage.Run.pull, .push] { stage.play(run) }
    #expect(stage.places("n0") == ["Work"])
    try stage.expectSettled()
  }
}
