import MailTestKit
import SyncPlan
import Testing

/// `MarkFlight`, `MarkStep`: flags and keywords of messages that stay where they are.
struct MarkStepTests {
  private func mark(_ stage: Stage) throws {
    try stage.setFlags("m0", "FS")
    try stage.reader.setKeywords(stage.local("m1"), ["mine"])
  }

  private func expectMarked(_ stage: Stage, _ when: String) throws {
    #expect(try stage.remote("m0").flags == ["\\Flagged", "\\Seen"], "\(when)")
    #expect(try stage.remote("m1").flags == ["mine"], "\(when)")
  }

  @Test func `equal changes are one command`() throws {
    let stage = try Stage()
    for token in ["m0", "m1", "m2"] { try stage.setFlags(token, "F") }
    #expect(stage.push().marked == 3)
    #expect(stage.changes.count == 1, "\(stage.changes)")
    #expect(try stage.remote("m2").flags == ["\\Flagged"])
    try stage.expectSettled()
  }

  @Test(arguments: Speaking.swept) func `a crash at any point repeats and loses nothing`(
    speaking: Speaking
  ) throws {
    try Stage.crashes(of: .push, on: { try Stage(speaking.dialect) }, mark, expect: expectMarked)
  }

  @Test func `whatever refusal it meets, the marks are the same on both sides`() throws {
    try Stage.refusals(mark, expect: { _, _ in })
  }

  @Test func `what is refused for good is set back, which is told once`() throws {
    let stage = try Stage()
    try stage.setFlags("m0", "F")
    stage.refusals.value = [.init(name: "UID STORE", words: "NO [CANNOT] not that")]
    let told = stage.push(1).problems
    #expect(told.count == 1 && told[0].problem.contains("The server refuses"), "\(told)")
    #expect(told.first?.problem.contains("not that") == true, "in the server's words: \(told)")
    #expect(try stage.local("m0").flags == "")
    stage.forget()
    #expect(stage.push().problems == [])
    #expect(stage.changes == [])
  }

  @Test func `of several changes only the refused one is set back`() throws {
    let stage = try Stage()
    try stage.setFlags("m0", "F")
    try stage.setFlags("m1", "S")
    stage.refusals.value = [
      .init(name: "UID STORE", part: "Flagged", words: "NO [CANNOT] not that")
    ]
    stage.push(1)
    #expect(try stage.local("m0").flags == "")
    #expect(try stage.remote("m1").flags == ["\\Seen"])
    stage.refusals.value = []
    try stage.expectSettled()
  }

  @Test func `a refusal that passes is asked again in the same run`() throws {
    let stage = try Stage()
    try stage.setFlags("m0", "F")
    stage.refusalOfOne.value = (0, "NO [UNAVAILABLE] in a moment")
    stage.push()
    #expect(stage.changes.count == 2, "\(stage.changes)")
    #expect(try stage.remote("m0").flags == ["\\Flagged"])
  }

  @Test func `a change is refused four times in a run before it counts`() throws {
    let stage = try Stage()
    try stage.setFlags("m0", "F")
    stage.refusals.value = [.init(name: "UID STORE", words: "NO no")]
    stage.push(1)
    #expect(stage.changes.count == 4, "once, and after each of three waits: \(stage.changes)")
    #expect(try stage.local("m0").flags == "")
  }

  @Test func `a right that is missing is asked for in three pushes, and the mark stays`() throws {
    let stage = try Stage()
    try stage.setFlags("m0", "F")
    stage.refusals.value = [.init(name: "UID STORE", words: "NO [NOPERM] not yours")]
    for _ in 0..<3 {
      let told = stage.push(1).problems
      #expect(told.contains { $0.problem.contains("no right") }, "\(told)")
    }
    stage.forget()
    stage.push(1)
    #expect(stage.changes == [])
    #expect(try stage.local("m0").flags == "F")
    stage.refusals.value = []
    stage.push(0, PushOptions(full: true))
    #expect(try stage.remote("m0").flags == ["\\Flagged"])
    try stage.expectSettled()
  }

  @Test func `what is gone there is not asked for again before a pull`() throws {
    let stage = try Stage()
    try stage.setFlags("m0", "F")
    try stage.move("m1", to: "Work")
    for token in ["m0", "m1"] { try stage.expungeThere(token) }
    stage.push()
    stage.forget()
    stage.push(1)
    #expect(stage.changes == [])
    stage.pull()
    #expect(try stage.folders(of: "m0") == [])
    stage.push()
    #expect(stage.places("m1") == ["Work"])
    try stage.expectSettled()
  }
}
