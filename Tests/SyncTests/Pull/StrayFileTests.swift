import Foundation
import MailTestKit
import Settings
import SyncPlan
import Testing

/// `StrayFiles`: what lies in another folder after a lost state was moved there, or is a copy.
struct StrayFileTests {
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
      try stage.loseState()
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
      try stage.loseOriginal(hasBackup: hasBackup)
    } expect: { stage, when in
      #expect(stage.places("m0") == ["INBOX", "Work"], "\(when)")
    }
  }

  @Test func `so it does where the copy's folder is mirrored later`() throws {
    let stage = try Stage()
    let all = stage.sync.folders
    try stage.loseOriginal {
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
      try stage.loseOriginal()
      stage.refusals.value = [.init(name: "EXAMINE", part: "Work", words: "NO not now")]
      for _ in 0..<5 { stage.pull(nil) }
      stage.refusals.value = []
    } expect: { stage, when in
      #expect(stage.places("m0") == ["INBOX", "Work"], "\(when)")
    }
  }

  @Test func `so it does where only the copy's mailbox is matched first`() throws {
    let stage = try Stage()
    try stage.loseOriginal()
    stage.pull(nil, PullOptions(mailboxes: ["Work"]))
    for next in [Stage.Run.push, .pull, .push, .pull] { stage.play(next) }
    #expect(stage.changes == [])
    #expect(try stage.folders(of: "m0") == ["INBOX", "Work"])
    try stage.expectSettled()
  }

  @Test func `so it does where only the original's mailbox is matched first`() throws {
    let stage = try Stage()
    try stage.loseOriginal()
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
      try stage.loseOriginal()
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
      try stage.loseOriginal(hasBackup: hasBackup)
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
    try stage.loseOriginal(hasBackup: true) {
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
    try stage.loseState()
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
    try stage.loseState()
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
    try stage.loseState()
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
    guard hasBackup else { return try stage.loseState() }
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
    try stage.loseOriginal()
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
    try stage.loseOriginal(hasBackup: true)
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
}
