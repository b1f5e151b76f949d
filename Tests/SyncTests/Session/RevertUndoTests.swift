import Foundation
import MailTestKit
import Settings
import Sorting
import SyncPlan
import Testing

/// What `mirror revert` gave up can be had again.
struct RevertUndoTests {
  @Test func `an edited file can be had again`() throws {
    let stage = try Stage()
    try stage.edit("m3")
    stage.revert()
    stage.pull()
    try expectNotEdited(stage)
    _ = try stage.undo()
    #expect(try stage.tree().messages.contains { contains($0.raw, Array("one more line".utf8)) })
  }

  private func expectNotEdited(_ stage: Stage) throws {
    #expect(try stage.folders(of: "m3") == ["INBOX"])
    #expect(try !contains(stage.local("m3").raw, Array("one more line".utf8)))
  }

  @Test func `flags and moves are taken back by undo`() throws {
    let stage = try Stage()
    try stage.setFlags("m0", "FS")
    try stage.move("m1", to: "Work")
    stage.revert()
    #expect(try stage.undo().steps.count == 2)
    #expect(try stage.local("m0").flags == "FS")
    #expect(try stage.local("m1").folder == "Work")
  }

  @Test func `what was moved and marked is as it was after one undo`() throws {
    let stage = try Stage()
    try stage.setFlags("m1", "FS")
    try stage.move("m1", to: "Work")
    stage.revert()
    #expect(try stage.local("m1").folder == "INBOX" && stage.local("m1").flags == "")
    #expect(try stage.undo().steps.count == 2)
    #expect(try stage.local("m1").folder == "Work" && stage.local("m1").flags == "FS")
    #expect(throws: SortingError.nothingToUndo) { try stage.undo() }
    stage.push()
    #expect(stage.places("m1") == ["Work"])
    #expect(stage.flags("m1") == ["\\Flagged", "\\Seen"])
    try stage.expectSettled()
  }

  private func drafting(keywords: KeywordStorage = .header) throws -> Stage {
    let stage = try Stage(
      more: {
        $0.change("Drafts") { $0.deliver(SampleMessage(token: "d0", flags: ["\\Draft"])) }
      }, sync: { $0.keywords = keywords })
    try stage.edit("d0")
    stage.forget()
    return stage
  }

  private func expectOneDraft(_ stage: Stage, _ when: String = "") throws {
    #expect(try stage.folders(of: "d0") == ["Drafts"], "\(when)")
    stage.push()
    #expect(stage.places("d0") == ["Drafts"], "\(when)")
    #expect(stage.count(of: "one more line", in: "Drafts") == 1, "\(when)")
    try stage.expectSettled(when)
  }

  @Test(arguments: [KeywordStorage.header, .dovecot])
  func `an edited draft takes the place of what the server has again`(keywords: KeywordStorage)
    throws
  {
    let stage = try drafting(keywords: keywords)
    stage.revert()
    stage.pull()
    #expect(stage.count(of: "one more line", in: "Drafts") == 0)
    #expect(try stage.undo().steps.count == 1)
    try expectOneDraft(stage)
  }

  @Test func `an undo before the pull waits for it`() throws {
    let stage = try drafting()
    stage.revert()
    let early = try stage.undo()
    #expect(early.steps.isEmpty)
    #expect(early.problems.map(\.reason).joined().contains("pull first"))
    stage.push()
    #expect(stage.changes == [])
    stage.pull()
    #expect(try stage.undo().steps.count == 1)
    try expectOneDraft(stage)
  }

  @Test func `an undo that was killed between the two files is done by another`() throws {
    let stage = try drafting()
    stage.revert()
    stage.pull()
    let aside = try #require(
      try FileManager.default.contentsOfDirectory(atPath: stage.path + "/.mirror/undo/cur").first)
    let lying = "\(stage.path)/.mirror/undo/cur/\(aside)"
    let home = "\(stage.path)/\(try stage.local("d0").path)"
    // What the killed one had done: the copy lies in the place of what the server has.
    try FileManager.default.removeItem(atPath: home)
    try FileManager.default.copyItem(atPath: lying, toPath: home)
    let date = try #require(
      try FileManager.default.attributesOfItem(atPath: lying)[.modificationDate] as? Date)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: home)
    #expect(try stage.undo().steps.count == 1)
    #expect(!FileManager.default.fileExists(atPath: lying))
    try expectOneDraft(stage)
  }

  @Test func `what was marked since lies beside the edited draft`() throws {
    let stage = try drafting()
    stage.revert()
    stage.pull()
    try stage.setFlags("d0", "DF")
    _ = try stage.undo()
    #expect(try stage.folders(of: "d0") == ["Drafts", "Drafts"], "neither is lost")
  }
}
