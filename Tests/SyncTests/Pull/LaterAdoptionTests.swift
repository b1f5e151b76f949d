import Foundation
import MailTestKit
import Settings
import SyncPlan
import Testing

/// A tree came back without its state, and not every mailbox is matched with it in one run. What lies in the folder of a
/// mailbox that the state never knew is sent only when that was looked into, however empty it is: its messages may have
/// been moved.
struct LaterAdoptionTests {
  private static let moved = ["w0", "w1"]

  /// Another client emptied Work while the state was lost.
  private func emptied(
    sync: (inout SyncSettings) -> Void = { _ in },
    more: (Stage) throws -> Void = { _ in }
  ) throws -> Stage {
    let stage = try Stage(
      more: { account in
        for token in Self.moved {
          account.deliver(SampleMessage(token: token), labelled: ["Work"])
        }
      })
    for token in Self.moved { try stage.moveThere(token, from: "Work", to: "Other") }
    stage.reopen()
    sync(&stage.sync)
    try more(stage)
    try loseState(stage)
    stage.forget()
    return stage
  }

  private func loseState(_ stage: Stage) throws {
    let control = stage.path + "/.mirror"
    for name in try FileManager.default.contentsOfDirectory(atPath: control)
    where name.hasPrefix("state") {
      try FileManager.default.removeItem(atPath: control + "/" + name)
    }
  }

  private var inbox: PullOptions {
    var options = PullOptions()
    options.mailboxes = ["INBOX"]
    return options
  }

  private func expectOnce(_ stage: Stage, _ when: String) throws {
    for token in Self.moved {
      #expect(stage.places(token) == ["Other"], "\(when): \(token)")
      #expect(try stage.folders(of: token) == ["Other", "Work"], "\(when): \(token)")
    }
    #expect(stage.places("m0") == ["INBOX"], "\(when)")
  }

  @Test func `an emptied mailbox is matched first, where a push comes between`() throws {
    let stage = try emptied()
    stage.pull(0, inbox)
    stage.push(nil)
    #expect(stage.changes == [])
    for _ in 0..<2 {
      stage.pull()
      stage.push()
    }
    try expectOnce(stage, "pushed")
    try stage.expectSettled(agrees: false)
    try expectOnce(stage, "settled")
  }

  @Test(arguments: [false, true])
  func `a crash at any commit sends nothing of it`(isPush: Bool) throws {
    try Stage.crashes(
      of: isPush ? .push : .pull,
      on: {
        let stage = try emptied()
        stage.pull(nil, inbox)
        if !isPush { stage.push(nil) }
        return stage
      }, agrees: false, { _ in }, expect: expectOnce)
  }

  @Test func `so is one that was made anew there`() throws {
    let stage = try emptied(more: { stage in
      stage.account.change { $0.removeAll { $0.name == "Work" } }
      stage.account.add("Work", uidValidity: 1_700_000_000)
    })
    stage.pull()
    for _ in 0..<2 {
      stage.push(nil)
      stage.pull()
    }
    try expectOnce(stage, "pushed")
    try stage.expectSettled(agrees: false)
    try expectOnce(stage, "settled")
  }

  @Test func `numbered anew, with an older state, it is no different`() throws {
    let stage = try Stage(more: { account in
      for token in Self.moved {
        account.deliver(SampleMessage(token: token), labelled: ["Work"])
      }
    })
    stage.reopen()
    try FileManager.default.copyItem(atPath: stage.path, toPath: stage.path + ".other")
    for token in Self.moved { try stage.moveThere(token, from: "Work", to: "Other") }
    stage.account.change { $0.removeAll { $0.name == "Work" } }
    stage.account.add("Work", uidValidity: 1_700_000_000)
    try FileManager.default.removeItem(atPath: stage.path)
    try FileManager.default.moveItem(atPath: stage.path + ".other", toPath: stage.path)
    stage.forget()
    for _ in 0..<2 {
      stage.pull(nil)
      stage.push(nil)
    }
    try expectOnce(stage, "pushed")
    try stage.expectSettled(agrees: false)
  }

  @Test func `what the server has nowhere is sent when all is matched`() throws {
    let stage = try emptied(more: { stage in
      try stage.expungeThere("w0", in: "Other")
      try stage.deliver("p0", to: "Work")
    })
    stage.pull(0, inbox)
    stage.push(nil)
    stage.pull()
    stage.push()
    #expect(stage.places("w0") == ["Work"])
    #expect(stage.places("w1") == ["Other"])
    #expect(stage.places("p0") == ["Work"])
    try stage.expectSettled(agrees: false)
  }

  /// p0 was saved here under a reader's name, sent, and moved by another client while the state was lost.
  private func movedOwn() throws -> Stage {
    let stage = try Stage()
    try stage.deliver("p0", to: "Work")
    stage.push()
    stage.pull()
    try stage.moveThere("p0", from: "Work", to: "Other")
    stage.reopen()
    try stage.deliver("p1", to: "Work")
    try loseState(stage)
    stage.forget()
    return stage
  }

  private func expectOwnOnce(_ stage: Stage, _ when: String) throws {
    #expect(stage.places("p0") == ["Other"], "\(when)")
    #expect(try stage.folders(of: "p0") == ["Other", "Work"], "\(when)")
    #expect(stage.places("p1") == ["Work"], "\(when)")
  }

  @Test func `so does one's own mail, by whatever name`() throws {
    let stage = try movedOwn()
    var work = PullOptions()
    work.mailboxes = ["Work"]
    stage.pull(0, work)
    stage.push(nil)
    #expect(stage.changes == [])
    stage.pull()
    stage.push()
    try expectOwnOnce(stage, "pushed")
    try stage.expectSettled(agrees: false)
  }

  /// With a whole state nothing waits: neither a person's own mail nor copies, by whatever name.
  @Test(arguments: [false, true]) func `a person's new folder is sent at once`(isThere: Bool) throws
  {
    let stage = try Stage()
    try stage.makeFolder("Proj")
    if isThere { stage.account.add("Proj") }
    try stage.deliver("p0", to: "Proj")
    let message = try stage.local("m0")
    try stage.reader.deliver(message.raw, name: message.base, to: "Proj")
    try stage.move("m1", to: "Proj")
    stage.push()
    #expect(stage.places("p0") == ["Proj"])
    #expect(stage.places("m0") == ["INBOX", "Proj"])
    #expect(stage.places("m1") == ["Proj"])
    try stage.expectSettled()
  }

  // MARK: Moved on both sides

  enum Fate: String, CaseIterable { case stateFromBackup, olderTree }

  /// w0 went from Work to Other on the server; its file lies elsewhere in the tree that came back.
  private func contested(
    _ fate: Fate, target: String, isRenamed: Bool, movesThere: Bool = true
  ) throws -> Stage {
    let stage = try Stage(more: { account in
      account.deliver(SampleMessage(token: "w0"), labelled: ["Work"])
    })
    stage.reopen()
    try FileManager.default.copyItem(atPath: stage.path, toPath: stage.path + ".other")
    if movesThere { try stage.moveThere("w0", from: "Work", to: "Other") }
    if fate == .olderTree {
      stage.pull()
      stage.reopen()
    }
    try FileManager.default.removeItem(atPath: stage.path)
    try FileManager.default.moveItem(atPath: stage.path + ".other", toPath: stage.path)
    if fate == .stateFromBackup { unlink(stage.path + "/.mirror/state.db") }
    let message = try stage.local("w0")
    if isRenamed {
      try stage.reader.deliver(message.raw, name: "17.1_w0.host", to: target)
      try stage.reader.remove(message)
    } else {
      try stage.reader.move(message, to: target)
    }
    stage.forget()
    return stage
  }

  /// INBOX is matched before Work.
  @Test(arguments: Fate.allCases, ["INBOX", "Drafts", "Trash"])
  func `moved here before the first pull, it is not sent a second time`(
    fate: Fate, target: String
  ) throws {
    for isRenamed in [false, true] {
      let stage = try contested(fate, target: target, isRenamed: isRenamed)
      stage.pull()
      stage.push()
      #expect(stage.places("w0") == ["Other"], "\(isRenamed)")
      #expect(try stage.folders(of: "w0") == ["Other", target].sorted(), "\(isRenamed)")
      try stage.expectSettled(agrees: false)
    }
  }

  @Test(arguments: Fate.allCases) func `nothing of it is sent before all was looked into`(
    fate: Fate
  ) throws {
    for isRenamed in [false, true] {
      let stage = try contested(fate, target: "INBOX", isRenamed: isRenamed)
      stage.refusals.value = [.init(name: "EXAMINE", part: "Other", words: "NO not now")]
      stage.pull(nil)
      stage.push(nil)
      #expect(stage.changes == [])
      stage.refusals.value = []
      stage.pull()
      stage.push()
      #expect(stage.places("w0") == ["Other"], "\(isRenamed)")
      try stage.expectSettled(agrees: false)
    }
  }

  @Test(arguments: Fate.allCases) func `moved here alone, it is moved there`(fate: Fate) throws {
    let stage = try contested(fate, target: "INBOX", isRenamed: false, movesThere: false)
    stage.pull()
    stage.push()
    #expect(stage.places("w0") == ["INBOX"])
    try stage.expectSettled()
  }

  /// A copy that a person had made, and the file moved by its name: only that is known by it.
  @Test func `of two files one was moved, and the other is sent`() throws {
    let stage = try contested(.olderTree, target: "INBOX", isRenamed: false)
    let message = try stage.local("w0", in: "INBOX")
    try stage.reader.deliver(message.raw, name: "17.5_w0.host", to: "Drafts")
    stage.pull()
    stage.push()
    #expect(stage.places("w0") == ["Drafts", "Other"])
    #expect(try stage.folders(of: "w0") == ["Drafts", "INBOX", "Other"])
    try stage.expectSettled(agrees: false)
  }
}
