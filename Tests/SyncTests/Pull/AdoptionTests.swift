import Foundation
import MailTestKit
import Settings
import SyncPlan
import Testing

/// `Mailbox/Adoption`: files that are here already are matched, in an ordinary run and with a crash at every commit.
struct AdoptionTests {
  /// The state and its backup are gone; the files stay.
  private func forgetState(_ stage: Stage) throws {
    stage.reopen()
    let control = stage.path + "/.mirror"
    for name in try FileManager.default.contentsOfDirectory(atPath: control)
    where name.hasPrefix("state") {
      try FileManager.default.removeItem(atPath: control + "/" + name)
    }
  }

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
    try forgetState(stage)
    stage.pull(nil)
    #expect(stage.bodyFetches == [] && stage.changes == [])
    try expectAdopted(stage, "adopted")
    try stage.expectSettled()
  }

  @Test(arguments: Speaking.swept) func `a crash at any commit doubles and deletes nothing`(
    speaking: Speaking
  ) throws {
    try Stage.crashes(
      of: .pull, on: { try Stage(speaking.dialect) }, forgetState, expect: expectAdopted)
  }

  // MARK: Files that repeat a message

  @Test func `a second file of a message stays, and is never sent`() throws {
    let stage = try Stage()
    try stage.copy("m0", to: "INBOX")
    try forgetState(stage)
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
    try forgetState(stage)
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

  // MARK: StrayFiles

  /// A copy under its own name tells the birthplace of the original: it is no proof that a person moved that.
  @Test(arguments: [true, false], [true, false])
  func `a copy elsewhere deletes nothing where files went with the state`(
    hasBackup: Bool, losesFolder: Bool
  ) throws {
    let stage = try Stage(count: 6)
    for token in ["m0", "m1"] {
      let message = try stage.local(token)
      try stage.reader.deliver(
        message.raw, name: message.base, to: "Work", flags: message.flags)
    }
    stage.push()
    stage.pull()
    stage.forget()
    if hasBackup {
      stage.reopen()
      try FileManager.default.removeItem(atPath: stage.path + "/.mirror/state.db")
    } else {
      try forgetState(stage)
    }
    if losesFolder {
      try FileManager.default.removeItem(atPath: stage.path + "/INBOX")
    } else {
      for token in ["m0", "m1", "m2"] {
        try stage.reader.remove(stage.local(token, in: "INBOX"))
      }
    }
    stage.pull(nil)
    stage.push(nil)
    #expect(stage.changes == [])
    stage.pull(nil)
    for token in ["m0", "m1"] {
      #expect(stage.places(token) == ["INBOX", "Work"])
      #expect(try stage.folders(of: token) == ["INBOX", "Work"])
    }
    #expect(try stage.folders(of: "m2") == ["INBOX"])
    try stage.expectSettled()
  }

  /// As above, and the pull that matches the tree dies.
  @Test(arguments: [true, false])
  func `a copy elsewhere deletes nothing where the pull that matches is killed`(
    hasBackup: Bool
  ) throws {
    try Stage.crashes(of: .pull) { stage in
      try losesOriginal(stage, hasBackup: hasBackup)
    } expect: { stage, when in
      #expect(stage.places("m0") == ["INBOX", "Work"], "\(when)")
    }
  }

  /// A copy of m0 under its own name in Work; the state is lost, and with it m0's own file.
  private func losesOriginal(
    _ stage: Stage, hasBackup: Bool = false, before: () throws -> Void = {}
  ) throws {
    let message = try stage.local("m0")
    try stage.reader.deliver(message.raw, name: message.base, to: "Work", flags: message.flags)
    stage.push()
    stage.pull()
    try before()
    if hasBackup {
      stage.reopen()
      try FileManager.default.removeItem(atPath: stage.path + "/.mirror/state.db")
    } else {
      try forgetState(stage)
    }
    try stage.reader.remove(stage.local("m0", in: "INBOX"))
    stage.forget()
  }

  @Test func `so it does where the copy's folder is mirrored later`() throws {
    let stage = try Stage()
    let all = stage.sync.folders
    try losesOriginal(stage) {
      stage.sync.folders = FolderPatterns(["*", "!Work"])
      stage.reopen()
      stage.pull()
    }
    stage.pull(nil)
    stage.push(nil)
    stage.sync.folders = all
    stage.reopen()
    for next in [Stage.Run.pull, .push, .pull] { stage.play(next) }
    #expect(stage.changes == [])
    #expect(stage.places("m0") == ["INBOX", "Work"])
    #expect(try stage.folders(of: "m0") == ["INBOX", "Work"])
    try stage.expectSettled()
  }

  @Test func `so it does where the copy's mailbox opens later, and that pull is killed`() throws {
    try Stage.crashes(of: .pull) { stage in
      try losesOriginal(stage)
      stage.refusals.value = [.init(name: "EXAMINE", part: "Work", words: "NO not now")]
      for _ in 0..<5 { stage.pull(nil) }
      stage.refusals.value = []
    } expect: { stage, when in
      #expect(stage.places("m0") == ["INBOX", "Work"], "\(when)")
    }
  }

  @Test func `so it does where only the copy's mailbox is matched first`() throws {
    let stage = try Stage()
    try losesOriginal(stage)
    stage.pull(nil, PullOptions(mailboxes: ["Work"]))
    for next in [Stage.Run.push, .pull, .push, .pull] { stage.play(next) }
    #expect(stage.changes == [])
    #expect(try stage.folders(of: "m0") == ["INBOX", "Work"])
    try stage.expectSettled()
  }

  @Test func `so it does where only the original's mailbox is matched first`() throws {
    let stage = try Stage()
    try losesOriginal(stage)
    stage.pull(0, PullOptions(mailboxes: ["INBOX"]))
    for next in [Stage.Run.push, .pull, .push, .pull] { stage.play(next) }
    #expect(stage.changes == [])
    #expect(stage.places("m0") == ["INBOX", "Work"])
    #expect(try stage.folders(of: "m0") == ["INBOX", "Work"])
    try stage.expectSettled()
  }

  /// The pull that matches the tree dies, and a person moves the copy before the next one. Where no pull had seen the copy
  /// in Work, the file may as well be the message there.
  @Test func `moving the copy moves no other message`() throws {
    try Stage.crashes(of: .pull) { stage in
      try losesOriginal(stage)
    } then: { stage in
      guard let copy = try? stage.local("m0", in: "Work") else { return }
      try stage.reader.move(copy, to: "Trash")
    } expect: { stage, when in
      let places = stage.places("m0")
      #expect(places == ["INBOX", "Trash"] || places == ["Trash", "Work"], "\(when)")
    }
  }

  /// The same, and the person deletes it.
  @Test(arguments: [true, false]) func `deleting the copy deletes no other message`(
    hasBackup: Bool
  ) throws {
    try Stage.crashes(of: .pull) { stage in
      try losesOriginal(stage, hasBackup: hasBackup)
    } then: { stage in
      guard let copy = try? stage.local("m0", in: "Work") else { return }
      try stage.reader.remove(copy)
    } expect: { stage, when in
      let places = stage.places("m0")
      #expect(places == ["INBOX", "Trash"] || places == ["INBOX", "Work"], "\(when)")
    }
  }

  /// The original's file goes, and the copy's to a third folder, before the backup of the state is used; then that file
  /// goes, too: it can have been but one of the two.
  @Test func `of two that one file in a third folder may be only one is deleted`() throws {
    let stage = try Stage()
    try losesOriginal(stage, hasBackup: true) {
      try stage.reader.move(stage.local("m0", in: "Work"), to: "Other")
    }
    stage.pull(nil)
    try stage.reader.remove(stage.local("m0", in: "Other"))
    for next in [Stage.Run.push, .pull, .push, .pull] { stage.play(next) }
    #expect(stage.places("m0") == ["Trash", "Work"])
    try stage.expectSettled()
  }

  @Test func `a moved file that is deleted after all is a deletion`() throws {
    let stage = try Stage()
    try stage.move("m0", to: "Work")
    try forgetState(stage)
    stage.pull(nil)
    try stage.reader.remove(stage.local("m0", in: "Work"))
    stage.push()
    #expect(stage.places("m0") == ["Trash"])
    stage.pull()
    try stage.expectSettled()
  }

  @Test func `moved back, and copied since, its deletion is one`() throws {
    let stage = try Stage()
    try stage.move("m0", to: "Work")
    try forgetState(stage)
    stage.pull(nil)
    try stage.move("m0", to: "INBOX")
    stage.pull()
    let message = try stage.local("m0")
    try stage.reader.deliver(message.raw, name: message.base, to: "Work", flags: message.flags)
    stage.push()
    try stage.reader.remove(stage.local("m0", in: "INBOX"))
    stage.push()
    #expect(stage.places("m0") == ["Trash", "Work"])
  }

  @Test func `a move that was not pushed outlives the state`() throws {
    let stage = try Stage()
    try stage.move("m0", to: "Work")
    try forgetState(stage)
    stage.pull(nil)
    stage.push()
    #expect(stage.places("m0") == ["Work"])
    try stage.expectSettled()
  }

  @Test(arguments: [true, false]) func `so it does where the pull that matches is killed`(
    hasBackup: Bool
  ) throws {
    try Stage.crashes(of: .pull) { stage in
      try movesUnpushed(stage, hasBackup: hasBackup)
    } expect: { stage, when in
      let folders = try stage.folders(of: "m0")
      #expect(stage.places("m0") == ["Work"] && folders == ["Work"], "\(when)")
    }
  }

  private func movesUnpushed(_ stage: Stage, hasBackup: Bool = false) throws {
    try stage.move("m0", to: "Work")
    stage.forget()
    guard hasBackup else { return try forgetState(stage) }
    stage.reopen()
    try FileManager.default.removeItem(atPath: stage.path + "/.mirror/state.db")
  }

  @Test func `so it does where its mailbox is matched first`() throws {
    let stage = try Stage()
    try movesUnpushed(stage)
    stage.pull(0, PullOptions(mailboxes: ["INBOX"]))
    stage.push(nil)
    #expect(stage.changes == [] && stage.bodyFetches == [])
    for next in [Stage.Run.pull, .push] { stage.play(next) }
    #expect(stage.places("m0") == ["Work"])
    try stage.expectSettled()
  }

  /// What lies in a folder may be a message of its mailbox, which does not open. That is waited for, but not for ever: then
  /// the message comes again, and the file counts as a copy.
  @Test(arguments: [2, 5]) func `a move to a mailbox that does not open waits for some runs`(
    runs: Int
  ) throws {
    let stage = try Stage(more: { $0.deliver(SampleMessage(token: "w0"), labelled: ["Work"]) })
    try movesUnpushed(stage)
    stage.refusals.value = [.init(name: "EXAMINE", part: "Work", words: "NO not now")]
    for _ in 0..<runs {
      stage.pull(nil)
      stage.push(nil)
    }
    #expect(stage.changes == [])
    let folders = runs > 3 ? ["INBOX", "Work"] : ["Work"]
    #expect(try stage.folders(of: "m0") == folders)
    stage.refusals.value = []
    for next in [Stage.Run.pull, .push, .pull] { stage.play(next) }
    #expect(stage.places("m0") == folders)
    try stage.expectSettled()
  }

  /// What lies in its folder may be that message, and is a copy at most when it was waited for long enough.
  @Test func `nothing moves to a mailbox that keeps a message back`() throws {
    let stage = try Stage(more: { account in
      for number in 0..<6 {
        account.deliver(SampleMessage(token: "w\(number)"), labelled: ["Work"])
      }
    })
    try losesOriginal(stage)
    stage.refusals.value = [.init(name: "UID FETCH", part: "7 (", words: "NO [SERVERBUG] no")]
    for run in 0..<6 {
      stage.pull(nil)
      stage.push(nil)
      #expect(run > 2 || stage.changes == [])
    }
    stage.refusals.value = []
    for next in [Stage.Run.pull, .push, .pull] { stage.play(next) }
    #expect(stage.places("m0").starts(with: ["INBOX", "Work"]))
    try stage.expectSettled()
  }

  @Test(arguments: [true, false]) func `two that wait for each other wait no longer than must be`(
    hasBackup: Bool
  ) throws {
    let stage = try Stage(more: { $0.deliver(SampleMessage(token: "w0"), labelled: ["Work"]) })
    try stage.move("w0", to: "INBOX")
    try movesUnpushed(stage, hasBackup: hasBackup)
    stage.refusals.value = ["INBOX", "Work"].map {
      .init(name: "EXAMINE", part: $0, words: "NO not now")
    }
    stage.pull(nil)
    stage.refusals.value = []
    for next in [Stage.Run.pull, .push] { stage.play(next) }
    #expect(stage.places("m0") == ["Work"] && stage.places("w0") == ["INBOX"])
    try stage.expectSettled()
  }

  /// By the next pull nothing tells of the restore.
  @Test func `a copy is not the message that did not come at first`() throws {
    let stage = try Stage()
    try losesOriginal(stage, hasBackup: true)
    stage.refusals.value = [
      .init(name: "UID FETCH", part: " 1 (FLAGS INTERNALDATE", words: "NO [SERVERBUG] no")
    ]
    stage.pull(nil)
    stage.refusals.value = []
    for next in [Stage.Run.pull, .push, .pull] { stage.play(next) }
    #expect(stage.changes == [])
    #expect(try stage.folders(of: "m0") == ["INBOX", "Work"])
    try stage.expectSettled()
  }

  @Test func `nor do two whose messages fail`() throws {
    let stage = try Stage(more: { $0.deliver(SampleMessage(token: "w0"), labelled: ["Work"]) })
    try stage.move("w0", to: "INBOX")
    try movesUnpushed(stage)
    stage.refusals.value = [.init(name: "UID FETCH", part: " 1 (", words: "NO [SERVERBUG] no")]
    for _ in 0..<2 { stage.pull(nil) }
    stage.refusals.value = []
    for next in [Stage.Run.pull, .push] { stage.play(next) }
    #expect(stage.places("m0") == ["Work"] && stage.places("w0") == ["INBOX"])
    try stage.expectSettled()
  }

  /// A person works in the tree when all mailboxes but one were matched.
  private func pull(_ stage: Stage, while act: @escaping @Sendable (Reader) throws -> Void) {
    let (reader, isDone) = (stage.reader, Locked(false))
    stage.alter.value = { command, honest in
      if command.text.hasPrefix("EXAMINE \"Work\""), !isDone.value {
        isDone.value = true
        do { try act(reader) } catch { Issue.record(error) }
      }
      return honest
    }
    stage.pull(nil)
    stage.alter.value = nil
    #expect(isDone.value)
  }

  @Test(arguments: [true, false]) func `what a person changes meanwhile is a change`(
    hasBackup: Bool
  ) throws {
    let stage = try Stage()
    try movesUnpushed(stage, hasBackup: hasBackup)
    let (deleted, moved) = (try stage.local("m1"), try stage.local("m2"))
    pull(stage) { reader in
      try reader.remove(deleted)
      try reader.move(moved, to: "Other")
    }
    #expect(stage.bodyFetches == [])
    for next in [Stage.Run.push, .pull, .push] { stage.play(next) }
    #expect(["m0", "m1", "m2"].map(stage.places) == [["Work"], ["Trash"], ["Other"]])
    try stage.expectSettled()
  }

  @Test(arguments: [true, false], ["Other", "INBOX"])
  func `a file that moves on meanwhile is found where it is`(hasBackup: Bool, folder: String) throws
  {
    let stage = try Stage()
    try movesUnpushed(stage, hasBackup: hasBackup)
    let file = try stage.local("m0")
    pull(stage) { try $0.move(file, to: folder) }
    #expect(stage.bodyFetches == [])
    for next in [Stage.Run.push, .pull, .push] { stage.play(next) }
    #expect(stage.places("m0") == [folder])
    #expect(try stage.folders(of: "m0") == [folder])
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
      try losesOriginal(stage, hasBackup: true)
      stage.account.change("INBOX") { $0.renumber(from: 50) }
    } expect: { stage, when in
      #expect(stage.places("m0") == ["INBOX", "Work"], "\(when)")
    }
  }
}
