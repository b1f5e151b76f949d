import Foundation
import MailTestKit
import SyncPlan
import Testing

/// `FolderStep`: folders that were made or renamed here.
struct FolderStepTests {
  /// An account with w0 in Work.
  private func stage(_ speaking: Speaking = .modern) throws -> Stage {
    try Stage(
      speaking.dialect, more: { $0.change("Work") { $0.deliver(SampleMessage(token: "w0")) } })
  }

  // MARK: Made

  private func make(_ stage: Stage) throws {
    try stage.makeFolder("Fresh")
    try stage.deliver("n0", to: "Fresh")
    try stage.move("m0", to: "Fresh")
  }

  private func expectMade(_ stage: Stage, _ when: String) throws {
    #expect(stage.places("n0") == ["Fresh"], "\(when)")
    #expect(stage.places("m0") == ["Fresh"], "\(when)")
  }

  @Test func `a new folder becomes a mailbox, with what is in it`() throws {
    let stage = try stage()
    try make(stage)
    #expect(stage.push().folders == 1)
    #expect(stage.changes(named: "CREATE").count == 1)
    #expect(stage.changes(named: "SUBSCRIBE").count == 1)
    try expectMade(stage, "made")
    try stage.expectSettled()
  }

  /// As Dovecot's imapc does in front of Cyrus.
  @Test func `a mailbox that is unknown for a moment after CREATE is looked for again`() throws {
    let stage = try stage()
    try make(stage)
    let looks = Locked(0)
    stage.alter.value = { command, replies in
      guard ["STATUS", "SELECT", "EXAMINE", "APPEND", "UID MOVE"].contains(command.name),
        command.text.contains("Fresh"), looks.value < 2
      else { return replies }
      looks.change { $0 += 1 }
      return [.line("\(command.tag) NO [NONEXISTENT] Mailbox doesn't exist: Fresh")]
    }
    stage.push()
    #expect(looks.value == 2)
    try expectMade(stage, "made")
    #expect(stage.changes(named: "CREATE").count == 1)
    try stage.expectSettled()
  }

  @Test(arguments: Speaking.swept)
  func `a crash at any point makes one mailbox, with each message once`(speaking: Speaking) throws {
    try Stage.crashes(of: .push, on: { try stage(speaking) }, make, expect: expectMade)
  }

  @Test func `whatever refusal it meets, each message is there once`() throws {
    try Stage.refusals(
      on: { try stage() }, make,
      expect: { stage, when in
        #expect(stage.places("n0") == ["Fresh"], "\(when)")
        #expect(stage.places("m0").count == 1, "\(when)")
      })
  }

  @Test func `a name that is refused for good is asked for once, and the folder stays`() throws {
    let stage = try stage()
    try make(stage)
    stage.refusals.value = [.init(name: "CREATE", words: "NO [CANNOT] no such name")]
    let told = stage.push(1).problems
    #expect(told.contains { $0.problem.contains("refuses to make this mailbox") }, "\(told)")
    stage.forget()
    stage.push(nil)
    #expect(stage.changes(named: "CREATE") == [])
    #expect(try stage.folders(of: "n0") == ["Fresh"])
    stage.refusals.value = []
    stage.push(0, PushOptions(full: true))
    try expectMade(stage, "in the end")
    try stage.expectSettled()
  }

  @Test func `any other refusal of a name is asked for in three pushes`() throws {
    let stage = try stage()
    try make(stage)
    stage.refusals.value = [.init(name: "CREATE", words: "NO no")]
    for _ in 0..<3 {
      stage.forget()
      stage.push(1)
      #expect(stage.changes(named: "CREATE").count == 1)
    }
    stage.forget()
    stage.push(nil)
    #expect(stage.changes(named: "CREATE") == [])
  }

  // MARK: Renamed

  private func rename(_ stage: Stage) throws { try stage.renameFolder("Work", to: "Job") }

  private func expectRenamed(_ stage: Stage, _ when: String) throws {
    #expect(stage.places("w0") == ["Job"], "\(when)")
  }

  @Test func `a renamed folder is one RENAME`() throws {
    let stage = try stage()
    try rename(stage)
    #expect(stage.push().folders == 1)
    #expect(stage.changes(named: "RENAME").count == 1)
    #expect(stage.changes(named: "APPEND") == [])
    #expect(stage.account["Work"] == nil)
    try expectRenamed(stage, "renamed")
    try stage.expectSettled()
  }

  @Test(arguments: Speaking.swept) func `a crash at any point leaves one name`(
    speaking: Speaking
  ) throws {
    try Stage.crashes(of: .push, on: { try stage(speaking) }, rename, expect: expectRenamed)
  }

  @Test func `whatever refusal it meets, both sides have one name`() throws {
    try Stage.refusals(
      on: { try stage() }, rename,
      expect: { stage, when in
        #expect([["Work"], ["Job"]].contains(stage.places("w0")), "\(when)")
      })
  }

  @Test func `where it is refused for good, the folder has its old name again`() throws {
    let stage = try stage()
    try rename(stage)
    stage.refusals.value = [.init(name: "RENAME", words: "NO [CANNOT] no such name")]
    let told = stage.push(1).problems
    #expect(told.count == 1 && told[0].problem.contains("refuses the new name"), "\(told)")
    #expect(try stage.folders(of: "w0") == ["Work"])
    stage.forget()
    #expect(stage.push().problems == [])
    #expect(stage.changes == [])
  }
}
