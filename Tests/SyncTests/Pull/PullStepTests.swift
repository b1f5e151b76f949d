import Foundation
import MailTestKit
import Settings
import SyncPlan
import Testing

/// The steps of a mailbox's pull (`Mailbox/Steps`, `Mailbox/Download`), each in an ordinary run and with a crash at every
/// commit.
struct PullStepTests {
  @Test func `folders are called as the disk can hold it that needs another separator`() throws {
    let stage = try Stage(
      more: { account in
        account.add("What?", uidValidity: 1_500_000_001)
        account.change("What?") { $0.deliver(SampleMessage(token: "w0")) }
      }, sync: { $0.separator = ";" })
    #expect(!FileManager.default.fileExists(atPath: stage.path + "/What?"))
    #expect(FileManager.default.fileExists(atPath: stage.path + "/What%3F/cur"))
    stage.push()
    #expect(stage.changes == [])
  }

  // MARK: Downloads, LinkedCopies

  private func deliver(_ stage: Stage) throws {
    stage.account.change("INBOX") { box in
      for number in 0..<3 { box.deliver(SampleMessage(token: "n\(number)", flags: ["\\Seen"])) }
    }
    stage.account.change("Work") { $0.deliver(SampleMessage(token: "w0", flags: ["topic"])) }
  }

  @Test(arguments: Speaking.allCases) func `new messages come once`(speaking: Speaking) throws {
    let stage = try Stage(speaking.dialect)
    try deliver(stage)
    #expect(stage.pull().new == 4)
    #expect(try stage.differences() == [])
    try stage.expectSettled()
  }

  @Test(arguments: Speaking.swept) func `a crash at any commit doubles none of them`(
    speaking: Speaking
  ) throws {
    try Stage.crashes(
      of: .pull, on: { try Stage(speaking.dialect) }, deliver,
      expect: { stage, when in
        let count = try stage.tree().messages.count
        #expect(count == 8, "\(when)")
      })
  }

  /// The same message in two mailboxes, as the server says.
  private func deliverTwice(_ stage: Stage) throws {
    let message = SampleMessage(token: "n0")
    stage.account.change("Work") { $0.deliver(message, identity: 77) }
    stage.account.change("Other") { $0.deliver(message, identity: 77) }
  }

  @Test func `what two mailboxes share is downloaded once`() throws {
    let stage = try Stage()
    try deliverTwice(stage)
    stage.pull()
    #expect(stage.bodyFetches.count == 1, "\(stage.bodyFetches)")
    #expect(try stage.folders(of: "n0") == ["Other", "Work"])
    try stage.expectSettled()
  }

  @Test func `a crash at any commit links no file that is not whole`() throws {
    try Stage.crashes(of: .pull, deliverTwice) { stage, when in
      let folders = try stage.folders(of: "n0")
      #expect(folders == ["Other", "Work"], "\(when)")
    }
  }

  // MARK: RemoteMarks

  private func markOnBothSides(_ stage: Stage) throws {
    try stage.setFlagsThere("m0", ["\\Answered", "theirs"])
    try stage.setFlags("m0", "F")
    try stage.setFlagsThere("m1", ["\\Seen"])
  }

  private func expectMerged(_ stage: Stage, _ when: String) throws {
    #expect(try stage.local("m0").flags == "FR", "\(when)")
    #expect(try stage.local("m0").keywords() == ["theirs"], "\(when)")
    #expect(try stage.remote("m0").flags == ["\\Answered", "\\Flagged", "theirs"], "\(when)")
    #expect(try stage.local("m1").flags == "S", "\(when)")
  }

  @Test func `flags of both sides are merged`() throws {
    let stage = try Stage()
    try markOnBothSides(stage)
    #expect(stage.pull().changed == 2)
    #expect(try stage.local("m0").flags == "FR")
    stage.push()
    try expectMerged(stage, "after both")
    try stage.expectSettled()
  }

  @Test(arguments: Speaking.swept) func `a crash at any commit takes no flag back`(
    speaking: Speaking
  ) throws {
    try Stage.crashes(
      of: .pull, on: { try Stage(speaking.dialect) }, markOnBothSides, expect: expectMerged)
  }

  // MARK: ExpungedMessages, ExpungedFiles

  @Test(arguments: Speaking.allCases) func `what the server expunged goes`(speaking: Speaking)
    throws
  {
    let stage = try Stage(speaking.dialect)
    try stage.expungeThere("m0")
    #expect(stage.pull().gone == 1)
    #expect(try stage.folders(of: "m0") == [])
    try stage.expectSettled()
  }

  @Test(arguments: Speaking.swept) func `a crash at any commit brings none of it back`(
    speaking: Speaking
  ) throws {
    try Stage.crashes(
      of: .pull, on: { try Stage(speaking.dialect) }, { try $0.expungeThere("m0") },
      expect: { stage, when in
        let (folders, count) = (try stage.folders(of: "m0"), try stage.tree().messages.count)
        #expect(folders == [] && stage.places("m0") == [] && count == 3, "\(when)")
      })
  }

  // MARK: Renumbering

  private func renumber(_ stage: Stage) throws {
    stage.account.change("INBOX") { $0.renumber(from: 100) }
  }

  private func expectRenumbered(_ stage: Stage, _ when: String) throws {
    for number in 0..<4 {
      #expect(stage.places("m\(number)") == ["INBOX"], "\(when)")
      #expect(try stage.folders(of: "m\(number)") == ["INBOX"], "\(when)")
    }
  }

  @Test(arguments: Speaking.allCases) func `a renumbered mailbox is matched, not downloaded`(
    speaking: Speaking
  ) throws {
    let stage = try Stage(speaking.dialect)
    try renumber(stage)
    stage.pull()
    #expect(stage.bodyFetches == [] && stage.changes == [])
    try expectRenumbered(stage, "renumbered")
    try stage.expectSettled()
  }

  @Test(arguments: Speaking.swept) func `a crash at any commit sends and deletes nothing`(
    speaking: Speaking
  ) throws {
    try Stage.crashes(
      of: .pull, on: { try Stage(speaking.dialect) }, renumber, expect: expectRenumbered)
  }

  // MARK: MailboxWindow, WindowPruning

  /// Two messages in Work, one of them 40 days old.
  private func aged() throws -> Stage {
    let now = Int64(Date().timeIntervalSince1970)
    return try Stage(more: { account in
      account.change("Work") { box in
        box.deliver(SampleMessage(token: "old", date: now - 40 * 86_400))
        box.deliver(SampleMessage(token: "young", date: now - 86_400))
      }
    })
  }

  private func narrow(_ stage: Stage) throws {
    stage.sync.window = .days(30)
    stage.reopen()
  }

  @Test func `what leaves the window goes here, and comes back with it`() throws {
    let stage = try aged()
    try narrow(stage)
    stage.pull()
    #expect(try stage.folders(of: "old") == [] && stage.places("old") == ["Work"])
    #expect(try stage.folders(of: "young") == ["Work"])
    try stage.expectSettled(agrees: false)
    stage.sync.window = .all
    stage.reopen()
    stage.pull()
    try stage.expectSettled()
  }

  private func days(_ count: Int64) -> Int64 {
    Int64(Date().timeIntervalSince1970) - count * 86_400
  }

  @Test func `older mail that was asked for comes, and stays`() throws {
    let stage = try Stage()
    for age in [100, 60, 40] as [Int64] {
      stage.account.change("Work") {
        _ = $0.deliver(SampleMessage(token: "\(age)", date: days(age)))
      }
    }
    try narrow(stage)
    stage.pull()
    func kept() throws -> [Bool] {
      try ["40", "60", "100"].map { try stage.folders(of: $0) == ["Work"] }
    }
    #expect(try kept() == [false, false, false])
    let summary = stage.pull(0, PullOptions(beyond: BeyondWindow(since: days(70))))
    #expect(summary.new == 2)
    #expect(try kept() == [true, true, false])
    stage.pull()
    stage.push()
    #expect(try kept() == [true, true, false])
    // Marks go both ways as ever, and what is expunged goes.
    try stage.setFlagsThere("60", ["\\Seen"], in: "Work")
    stage.account.change("Work") { $0.messages.removeLast() }
    stage.pull()
    #expect(try kept() == [false, true, false])
  }

  @Test func `what is here already and was asked for stays when the window leaves it`() throws {
    let stage = try aged()
    stage.sync.window = .days(50)
    stage.reopen()
    stage.pull()
    stage.pull(0, PullOptions(beyond: BeyondWindow(since: days(45))))
    #expect(try stage.folders(of: "old") == ["Work"])
    // Nothing of it was beyond the window then; now it is.
    try narrow(stage)
    stage.pull(0, PullOptions(beyond: BeyondWindow(since: days(45))))
    #expect(try stage.folders(of: "old") == ["Work"])
    stage.pull()
    #expect(try stage.folders(of: "old") == ["Work"])
  }

  @Test(arguments: [
    (Window(days: 30, bytes: 1_000_000), ["young"]), (Window(days: 50, bytes: 1), ["young"]),
    (Window(days: 50, bytes: 1_000_000), ["old", "young"]),
  ]) func `of days and bytes the narrower holds`(window: Window, kept: [String]) throws {
    let stage = try aged()
    stage.sync.window = window
    stage.reopen()
    stage.pull()
    #expect(try ["old", "young"].filter { try !stage.folders(of: $0).isEmpty } == kept)
  }

  @Test func `older mail that was asked for does not count for a window of bytes`() throws {
    let size = Int64(SampleMessage(token: "0").bytes.count)
    let stage = try Stage(count: 0) { account in
      account.change("Work") { box in
        for age in 1...6 as ClosedRange<Int64> {
          box.deliver(SampleMessage(token: "\(age)", date: days(age * 10)))
        }
      }
    }
    func kept() throws -> Int { try stage.tree()["Work"].count }
    stage.sync.window = .bytes(size * 3 + size / 2)
    stage.reopen()
    stage.pull()
    let few = try kept()
    #expect(few < 6)
    stage.pull(0, PullOptions(beyond: BeyondWindow(since: days(65))))
    #expect(try kept() == 6)
    stage.pull()
    #expect(try kept() == 6)
  }

  @Test func `a crash at any commit deletes nothing on the server`() throws {
    try Stage.crashes(of: .pull, on: aged, agrees: false, narrow) { stage, when in
      let (old, young) = (try stage.folders(of: "old"), try stage.folders(of: "young"))
      #expect(old == [] && young == ["Work"], "\(when)")
      #expect(stage.places("old") == ["Work"], "\(when)")
    }
  }

  // MARK: OutOfView

  @Test func `what slides out of a view stays, is told, and comes back with it`() throws {
    let stage = try Stage(count: 40)
    let whole = try #require(stage.account["INBOX"])
    stage.account.change("INBOX") { $0.messages.removeFirst(30) }
    let told = stage.pull(1).problems
    #expect(told.contains { $0.problem.contains("30 of 40 messages") }, "\(told)")
    stage.push(nil)
    #expect(try stage.tree()["INBOX"].count == 40)
    stage.account["INBOX"] = whole
    stage.forget()
    stage.pull()
    #expect(stage.bodyFetches == [])
    try stage.expectSettled()
  }

  @Test func `a view that slides with each pull stays once a day's worth is gone`() throws {
    let stage = try Stage(count: 40)
    func slide(by count: Int) { stage.account.change("INBOX") { $0.messages.removeFirst(count) } }
    for _ in 0..<4 {
      slide(by: 5)
      stage.pull()
    }
    #expect(try stage.tree()["INBOX"].count == 20)
    slide(by: 5)
    let told = stage.pull(1).problems
    #expect(told.contains { $0.problem.contains("5 of 20 messages") }, "\(told)")
    slide(by: 1)
    stage.pull(1)
    #expect(try stage.tree()["INBOX"].count == 20)
    stage.pull(0, PullOptions(allowsMassDelete: true))
    #expect(try stage.tree()["INBOX"].count == 14)
    slide(by: 5)
    stage.pull()
    try stage.expectSettled()
  }

  @Test func `what was moved away on the server is no view that slid`() throws {
    let stage = try Stage(count: 40)
    var moved: [ModelMessage] = []
    stage.account.change("INBOX") { box in
      moved = Array(box.messages.prefix(30))
      box.messages.removeFirst(30)
    }
    stage.account.change("Work") { box in
      for message in moved {
        let uid = box.deliver(SampleMessage(token: "x"))
        box.messages[box.messages.count - 1] = message
        box.messages[box.messages.count - 1].uid = uid
      }
    }
    stage.pull()
    let tree = try stage.tree()
    #expect(tree["INBOX"].count == 10 && tree["Work"].count == 30)
    try stage.expectSettled()
  }

  @Test func `Trash may be emptied there`() throws {
    let stage = try Stage { account in
      account.change("Trash") { box in
        for number in 0..<30 { box.deliver(SampleMessage(token: "t\(number)")) }
      }
    }
    stage.account.change("Trash") { $0.messages.removeAll() }
    stage.pull()
    #expect(try stage.tree()["Trash"].count == 0)
    try stage.expectSettled()
  }

  // MARK: ServerDoubts

  @Test func `VANISHED of a message that is still there is not believed`() throws {
    let stage = try Stage()
    try stage.setFlagsThere("m0", ["\\Seen"])
    stage.alter.value = { command, replies in
      guard command.name == "SELECT" || command.name == "EXAMINE" else { return replies }
      guard command.text.contains("QRESYNC"), command.text.contains("INBOX") else { return replies }
      return replies.dropLast() + [.line("* VANISHED (EARLIER) 2")] + replies.suffix(1)
    }
    stage.pull(nil)
    stage.alter.value = nil
    #expect(try stage.folders(of: "m1") == ["INBOX"])
    try stage.expectSettled()
  }
}
