import Foundation
import MailTestKit
import Settings
import SyncPlan
import Testing

/// `Mailbox/Adoption`: files that are here already are matched, in an ordinary run and with a crash at every commit.
struct AdoptionTests {
  private func expectAdopted(_ stage: Stage, _ when: String) throws {
    for number in 0..<4 {
      #expect(stage.places("m\(number)") == ["INBOX"], "\(when)")
      #expect(try stage.folders(of: "m\(number)") == ["INBOX"], "\(when)")
    }
  }

  @Test(arguments: Speaking.allCases) func `a lost state costs no download`(speaking: Speaking)
    throws
  {
    let stage = try Stage(speaking.dialect)
    try stage.loseState()
    stage.pull(nil)
    #expect(stage.bodyFetches == [] && stage.changes == [])
    try expectAdopted(stage, "adopted")
    try stage.expectSettled()
  }

  @Test(arguments: Speaking.swept) func `a crash at any commit doubles and deletes nothing`(
    speaking: Speaking
  ) throws {
    try Stage.crashes(
      of: .pull, on: { try Stage(speaking.dialect) }, { try $0.loseState() },
      expect: expectAdopted)
  }

  // MARK: Files that repeat a message

  @Test func `a second file of a message stays, and is never sent`() throws {
    let stage = try Stage()
    try stage.copy("m0", to: "INBOX")
    try stage.loseState()
    stage.pull(nil)
    stage.push(nil)
    #expect(stage.changes == [])
    #expect(try stage.folders(of: "m0") == ["INBOX", "INBOX"])
    #expect(stage.places("m0") == ["INBOX"])
    try stage.expectSettled(agrees: false)
  }

  @Test func `it becomes the message when the server has it twice`() throws {
    let stage = try Stage()
    try stage.copy("m0", to: "INBOX")
    try stage.loseState()
    stage.pull(nil)
    stage.account.change("INBOX") { $0.deliver(SampleMessage(token: "m0")) }
    stage.forget()
    stage.pull(nil)
    #expect(try stage.folders(of: "m0") == ["INBOX", "INBOX"])
    try stage.expectSettled()
  }

  // MARK: Files that a person saved

  /// A message that the server has, too, under a name of its own.
  private func saveOnBothSides(_ stage: Stage) throws {
    try stage.deliver("n0", to: "Work")
    stage.account.change("Work") { $0.deliver(SampleMessage(token: "n0")) }
  }

  private func expectOne(_ stage: Stage, _ when: String) throws {
    #expect(stage.places("n0") == ["Work"], "\(when)")
    #expect(try stage.folders(of: "n0") == ["Work"], "\(when)")
  }

  @Test func `a file that the server has already becomes its message`() throws {
    let stage = try Stage()
    try saveOnBothSides(stage)
    stage.pull()
    // Its header and its length are those of an edited copy, too: the content decides.
    #expect(stage.bodyFetches.count == 1, "\(stage.bodyFetches)")
    try expectOne(stage, "matched")
    try stage.expectSettled()
  }

  @Test(arguments: Speaking.swept) func `a crash at any commit makes no two of it`(
    speaking: Speaking
  ) throws {
    try Stage.crashes(
      of: .pull, on: { try Stage(speaking.dialect) }, saveOnBothSides, expect: expectOne)
  }

  /// Its header is the message's, its text is a person's.
  @Test func `an edited file that no record tells of is never taken for the message`() throws {
    let stage = try Stage()
    try stage.edit("m0")
    let edited = try stage.local("m0")
    try stage.remove("m0")
    let number = try stage.remote("m0").uid
    stage.account.change("INBOX") { $0.expunge(number) }
    stage.pull()
    stage.account.change("INBOX") { $0.deliver(SampleMessage(token: "m0")) }
    try stage.reader.deliver(edited.raw, name: "17.3_edited.host", to: "INBOX", flags: "S")
    stage.pull()
    #expect(try stage.folders(of: "m0") == ["INBOX", "INBOX"])
    stage.push()
    #expect(stage.count(of: "one more line", in: "INBOX") == 1, "the edit is sent")
    #expect(stage.places("m0") == ["INBOX", "INBOX"])
    try stage.expectSettled()
  }

  // MARK: RestoredTree

  /// The tree comes back from before n0 was pulled, and lacks m0's file.
  private func restoreWithoutOne(_ stage: Stage) throws {
    stage.reopen()
    try FileManager.default.copyItem(atPath: stage.path, toPath: stage.path + ".copy")
    stage.account.change("INBOX") { $0.deliver(SampleMessage(token: "n0")) }
    stage.pull()
    stage.reopen()
    try FileManager.default.removeItem(atPath: stage.path)
    try FileManager.default.moveItem(atPath: stage.path + ".copy", toPath: stage.path)
    try stage.remove("m0")
  }

  @Test func `a tree that came back from a backup deletes nothing`() throws {
    let stage = try Stage()
    try restoreWithoutOne(stage)
    stage.forget()
    stage.push(nil)
    #expect(stage.changes == [])
    stage.pull(nil)
    #expect(stage.places("m0") == ["INBOX"])
    #expect(try stage.folders(of: "m0") == ["INBOX"])
    #expect(try stage.folders(of: "n0") == ["INBOX"])
    try stage.expectSettled()
  }

  /// The records of the old numbers are all that tells of the files.
  @Test func `nor does it where the mailbox was renumbered meanwhile`() throws {
    try Stage.crashes(of: .pull) { stage in
      try restoreWithoutOne(stage)
      stage.account.change("INBOX") { $0.renumber(from: 50) }
      stage.forget()
    } expect: { stage, when in
      try expectAdopted(stage, when)
    }
  }

  /// By the time that a later pull finds the message, the restore is forgotten.
  @Test(arguments: ["BODY.PEEK[]", "BODY.PEEK[HEADER", "UID FETCH"], [true, false])
  func `nor where the message does not come at first`(part: String, isAlone: Bool) throws {
    let stage = try Stage(count: isAlone ? 1 : 4)
    try restoreWithoutOne(stage)
    stage.account.change("INBOX") { $0.renumber(from: 50) }
    stage.refusals.value = [.init(name: "UID FETCH", part: part, words: "NO [SERVERBUG] no")]
    for _ in 0..<2 { stage.pull(nil) }
    stage.refusals.value = []
    stage.pull(nil)
    stage.push(nil)
    #expect(stage.places("m0") == ["INBOX"])
    stage.pull(nil)
    #expect(try stage.folders(of: "m0") == ["INBOX"])
    try stage.expectSettled()
  }

  @Test func `a copy elsewhere deletes nothing where the mailbox was renumbered meanwhile`() throws
  {
    try Stage.crashes(of: .pull) { stage in
      try stage.loseOriginal(hasBackup: true)
      stage.account.change("INBOX") { $0.renumber(from: 50) }
    } expect: { stage, when in
      #expect(stage.places("m0") == ["INBOX", "Work"], "\(when)")
    }
  }
}
