import Foundation
import MailTestKit
import Settings
import Sorting
import SyncPlan
import Testing

/// `mirror revert`: what was changed here and not pushed becomes the server's again, and nothing else.
struct RevertTests {
  /// Everything that a person can do to messages that the server has.
  private func change(_ stage: Stage) throws {
    try stage.setFlags("m0", "FS")
    try stage.move("m1", to: "Work")
    try stage.remove("m2")
    try stage.edit("m3")
    try stage.deliver("mine", to: "Drafts")
  }

  /// As the server has it, with what exists only here.
  private func expectReverted(_ stage: Stage, _ when: String = "") throws {
    #expect(try stage.folders(of: "m0") == ["INBOX"], "\(when)")
    #expect(try stage.local("m0").flags == "", "\(when)")
    #expect(try stage.folders(of: "m1") == ["INBOX"], "\(when)")
    #expect(try stage.folders(of: "m2") == ["INBOX"], "\(when)")
    #expect(try stage.folders(of: "m3") == ["INBOX"], "\(when)")
    #expect(try !contains(stage.local("m3").raw, Array("one more line".utf8)), "\(when)")
    #expect(try stage.folders(of: "mine") == ["Drafts"], "\(when)")
  }

  /// No message of the server's was touched.
  private func expectUntouched(_ stage: Stage, _ when: String = "") {
    for number in 0..<4 { #expect(stage.places("m\(number)") == ["INBOX"], "\(when)") }
    #expect(stage.flags("m0") == [], "\(when)")
  }

  @Test func `each kind of change is given up, and what exists only here stays`() throws {
    let stage = try Stage()
    try change(stage)
    let summary = stage.revert()
    #expect(summary.marked == 1 && summary.moved == 1)
    #expect(summary.restored == 1 && summary.setAside == 1)
    #expect(summary.kept == 1)
    #expect(summary.awaited == ["INBOX"])
    #expect(stage.changes == [])
    stage.pull()
    try expectReverted(stage)
    #expect(stage.bodyFetches.count <= 2, "only what was deleted or edited is fetched")
    stage.push()
    expectUntouched(stage)
    #expect(stage.places("mine") == ["Drafts"])
    try stage.expectSettled()
  }

  @Test func `a push before the pull changes nothing of what was given up`() throws {
    let stage = try Stage()
    try change(stage)
    stage.revert()
    stage.push(nil)
    expectUntouched(stage)
    stage.pull()
    try expectReverted(stage)
    expectUntouched(stage)
  }

  @Test func `a dry run tells the same, and touches nothing`() throws {
    let stage = try Stage()
    try change(stage)
    let before = try stage.tree().messages.map(\.path).sorted()
    let told = stage.revert(0, RevertOptions(dryRun: true))
    #expect(try stage.tree().messages.map(\.path).sorted() == before)
    let done = stage.revert()
    #expect(told.actions.map(\.kind) == done.actions.map(\.kind))
    #expect((told.marked, told.moved, told.restored) == (done.marked, done.moved, done.restored))
    #expect(stage.revert(0, RevertOptions(dryRun: true)).actions.filter { $0.kind != .keep } == [])
  }

  @Test func `what was pushed is not reverted`() throws {
    let stage = try Stage()
    try stage.setFlags("m0", "FS")
    try stage.move("m1", to: "Work")
    try stage.remove("m2")
    stage.push()
    let summary = stage.revert()
    #expect(summary.actions == [])
    stage.pull()
    #expect(try stage.local("m0").flags == "FS")
    #expect(try stage.folders(of: "m1") == ["Work"])
    #expect(try stage.folders(of: "m2") == ["Trash"])
    try stage.expectSettled()
  }

  @Test func `one mailbox's changes are given up, and another's wait for their push`() throws {
    let stage = try Stage { account in
      account.deliver(SampleMessage(token: "w0"), labelled: ["Work"])
    }
    try stage.setFlags("m0", "FS")
    try stage.setFlags("w0", "FS")
    stage.revert(0, RevertOptions(mailboxes: ["Work"]))
    stage.push()
    #expect(stage.flags("m0") == ["\\Flagged", "\\Seen"])
    #expect(stage.flags("w0") == [])
    #expect(stage.revert(64, RevertOptions(mailboxes: ["Wrok"])).problems.count == 1)
  }

  @Test func `a moved message with other flags goes back with those of the server`() throws {
    let stage = try Stage()
    try stage.setFlags("m1", "FS")
    try stage.move("m1", to: "Other")
    stage.revert()
    #expect(try stage.local("m1").folder == "INBOX")
    #expect(try stage.local("m1").flags == "")
    try stage.expectSettled()
    #expect(stage.changes == [])
  }

  @Test func `a renamed folder gets its name again`() throws {
    let stage = try Stage { account in
      account.deliver(SampleMessage(token: "w0"), labelled: ["Work"])
    }
    try stage.renameFolder("Work", to: "Jobs")
    let summary = stage.revert()
    #expect(summary.folders == 1 && summary.moved == 0)
    #expect(try stage.folders(of: "w0") == ["Work"])
    stage.push()
    #expect(stage.changes == [])
    try stage.expectSettled()
  }

  @Test func `a removed folder comes back with the next pull`() throws {
    let stage = try Stage { account in
      account.deliver(SampleMessage(token: "w0"), labelled: ["Work"])
    }
    try FileManager.default.removeItem(atPath: stage.path + "/Work")
    stage.revert()
    stage.push(nil)
    #expect(stage.places("w0") == ["Work"])
    stage.pull()
    #expect(try stage.folders(of: "w0") == ["Work"])
    try stage.expectSettled()
  }

  @Test func `deletions that were held back are given up`() throws {
    let stage = try Stage(count: 60)
    for number in 0..<50 { try stage.remove("m\(number)") }
    #expect(stage.push(nil).pending == 50)
    let summary = stage.revert()
    #expect(summary.restored == 50)
    stage.pull()
    #expect(try stage.tree().messages.count == 60)
    stage.push()
    #expect(stage.account["INBOX"]?.messages.count == 60)
    try stage.expectSettled()
  }

  @Test func `killed at any event, it goes on where it was, and nothing is deleted`() throws {
    func stage() throws -> Stage {
      let stage = try Stage()
      try change(stage)
      stage.forget()
      return stage
    }
    let whole = try stage()
    whole.fuse.arm(nil)
    whole.revert()
    let events = whole.fuse.events
    #expect(events > 1)
    for event in 0..<events {
      for place in [Fuse.Place.before(event), .after(event)] {
        let when = "\(place) of \(events)"
        let again = try stage()
        again.fuse.arm(place)
        again.revert(nil)
        again.revert(nil)
        again.pull()
        again.revert()
        again.pull()
        try expectReverted(again, when)
        again.push()
        expectUntouched(again, when)
        try again.expectSettled(when)

        // Whoever pushes instead: what was given up is not deleted, and no message is lost.
        let pushed = try stage()
        pushed.fuse.arm(place)
        pushed.revert(nil)
        pushed.push(nil)
        #expect(pushed.places("m3").count >= 1, "\(when): \(pushed.places("m3"))")
        #expect(!pushed.places("m3").contains("Trash"), "\(when)")
        pushed.revert(nil)
        pushed.pull(nil)
        pushed.push(nil)
        try pushed.expectSettled(when)
        for number in 0..<4 { #expect(!pushed.places("m\(number)").isEmpty, "\(when)") }
      }
    }
  }

  /// Nor does the word that lets a person's deletions go.
  @Test(arguments: 0...3, [false, true]) func `killed between two files`(
    steps: Int, isAllowed: Bool
  ) throws {
    let stage = try Stage()
    try change(stage)
    stage.forget()
    stage.revert(nil, dyingAfter: steps)
    stage.push(nil, PushOptions(allowsMassDelete: isAllowed))
    #expect(!stage.places("m3").contains("Trash"))
    stage.revert(nil)
    stage.pull()
    try stage.expectSettled()
    for number in 0..<4 { #expect(stage.places("m\(number)").count == 1) }
  }

  /// The file is aside, and the state does not know yet that its message is to come.
  private func cutOff() throws -> Stage {
    let stage = try Stage()
    try stage.edit("m3")
    stage.forget()
    stage.revert(nil, dyingAfter: 1)
    #expect(try stage.folders(of: "m3") == [])
    return stage
  }

  @Test func `cut off between two steps, a push tells what it was and what ends it`() throws {
    let stage = try cutOff()
    for _ in 0..<2 {
      let told = stage.push(nil, PushOptions(allowsMassDelete: true)).problems
      #expect(told.contains { $0.problem.contains("`mirror revert` was interrupted") }, "\(told)")
      #expect(told.contains { $0.remedy?.contains("Run `mirror revert`") == true }, "\(told)")
    }
    #expect(stage.changes == [])
    stage.revert()
    stage.pull()
    try stage.expectSettled()
    #expect(try stage.folders(of: "m3") == ["INBOX"])
  }

  @Test func `cut off between two steps, the next pull ends it`() throws {
    let stage = try cutOff()
    stage.pull()
    #expect(try stage.folders(of: "m3") == ["INBOX"])
    stage.push()
    #expect(stage.changes == [])
    #expect(try stage.undo().steps.count == 1)
    #expect(try contains(stage.local("m3").raw, Array("one more line".utf8)))
  }

  @Test func `cut off between two steps and taken back, nothing is left of it`() throws {
    for pulls in [false, true] {
      let stage = try cutOff()
      #expect(try stage.undo().steps.count == 1)
      if pulls { stage.pull() }
      let told = stage.push(nil).problems.map(\.problem).joined()
      #expect(!told.contains("revert` was interrupted") && !told.contains("not found"), "\(told)")
      try stage.remove("m3")
      stage.push(nil)
      #expect(stage.places("m3") == ["Trash"], "a later deletion is the person's own")
    }
  }

  /// What a person deleted beside it is held back and let go as ever, and the message goes with none of it.
  @Test(arguments: [true, false]) func `cut off beside deletions that are held back`(
    isHeldBefore: Bool
  ) throws {
    let stage = try Stage(count: 30)
    func deleteMany() throws { for number in 4..<30 { try stage.remove("m\(number)") } }
    if isHeldBefore {
      try deleteMany()
      #expect(stage.push(nil).pending == 26)
    }
    try stage.edit("m3")
    stage.forget()
    stage.revert(nil, RevertOptions(mailboxes: ["INBOX"]), dyingAfter: 1)
    #expect(try stage.folders(of: "m3") == [])
    if !isHeldBefore { try deleteMany() }
    for _ in 0..<2 {
      let told = stage.push(nil).problems
      #expect(told.contains { $0.problem.contains("`mirror revert` was interrupted") }, "\(told)")
      #expect(told.contains { $0.remedy?.contains("--allow-mass-delete") == true }, "\(told)")
    }
    let told = stage.push(nil, PushOptions(allowsMassDelete: true)).problems
    #expect(told.contains { $0.problem.contains("`mirror revert` was interrupted") }, "\(told)")
    #expect(stage.places("m3") == ["INBOX"] && stage.places("m4") == ["Trash"])
    stage.pull()
    #expect(try stage.folders(of: "m3") == ["INBOX"])
    stage.push()
    #expect(stage.places("m3") == ["INBOX"])
    try stage.expectSettled()
  }

  @Test func `cut off, and the folder is lost`() throws {
    let stage = try Stage { account in
      for number in 0..<2 {
        account.deliver(SampleMessage(token: "w\(number)"), labelled: ["Work"])
      }
    }
    try stage.edit("w0")
    stage.forget()
    stage.revert(nil, dyingAfter: 1)
    try FileManager.default.removeItem(atPath: stage.path + "/Work")
    stage.push(nil)
    stage.push(nil, PushOptions(allowsMassDelete: true))
    #expect(stage.places("w0") == ["Work"] && stage.places("w1") == ["Trash"])
    stage.pull()
    #expect(try stage.folders(of: "w0") == ["Work"])
    try stage.expectSettled()
  }

  /// By hand, out of where it was set aside. What is to become of the message another revert must judge: as of any that
  /// was saved under another name.
  @Test(arguments: [true, false]) func `cut off, and the edited file put back under another name`(
    isPushedBefore: Bool
  ) throws {
    let stage = try cutOff()
    let aside = stage.path + "/.mirror/undo/new"
    let name = try #require(FileManager.default.contentsOfDirectory(atPath: aside).first)
    try FileManager.default.moveItem(
      atPath: aside + "/" + name, toPath: stage.path + "/INBOX/cur/99.1_mine.host:2,S")
    if isPushedBefore {
      stage.push(nil, PushOptions(allowsMassDelete: true))
      #expect(stage.places("m3") == ["INBOX", "INBOX"])
    }
    stage.revert(nil)
    stage.push(nil)
    for run in [Stage.Run.pull, .push, .pull] { stage.play(run) }
    #expect(stage.count(of: "one more line", in: "INBOX") == 1)
    #expect(stage.places("m3").sorted() == ["INBOX", isPushedBefore ? "INBOX" : "Trash"])
    try stage.expectSettled()
  }

  @Test func `copies that were made here stay, and are told as what they are`() throws {
    let stage = try Stage()
    try stage.copy("m0", to: "Work")
    try stage.deliver("mine", to: "Work")
    let summary = stage.revert()
    #expect(summary.actions.map(\.kind) == [.keep, .keepCopy] && summary.kept == 2)
    #expect(try stage.folders(of: "m0") == ["INBOX", "Work"])
  }

  @Test func `what an interrupted push had under way is left until a pull has looked`() throws {
    let whole = try Stage(.bare)
    try whole.move("m1", to: "Work")
    whole.fuse.arm(nil)
    whole.push()
    for event in 0..<whole.fuse.events {
      let stage = try Stage(.bare)
      try stage.move("m1", to: "Work")
      stage.fuse.arm(.after(event))
      stage.push(nil)
      stage.revert(nil)
      stage.pull()
      stage.revert(nil)
      stage.pull()
      stage.push()
      try stage.expectSettled("\(event)")
      #expect(stage.places("m1").count == 1, "\(event)")
      #expect(try stage.tree().count(of: "<m1@") == 1, "\(event)")
    }
  }

  @Test func `a tree laid out as Maildir++, with keywords as lines`() throws {
    let stage = try Stage(sync: { $0.layout = .maildirPlusPlus })
    try stage.setKeywordsThere("m0", "todo")
    stage.pull()
    let message = try stage.local("m0")
    try stage.reader.rewrite(message, message.content())
    try stage.move("m1", to: ".Work")
    try stage.remove("m2")
    stage.forget()
    #expect(stage.revert().marked == 1)
    stage.push(nil)
    #expect(stage.changes == [])
    stage.pull()
    #expect(stage.flags("m0") == ["todo"])
    #expect(stage.places("m1") == ["INBOX"] && stage.places("m2") == ["INBOX"])
    try stage.expectSettled(agrees: false)
  }

  /// Its header is the same: a pull would take the new file for the message that it is to bring.
  @Test func `what was edited and saved under another name is left, and told`() throws {
    let stage = try Stage()
    let message = try stage.local("m0")
    try stage.reader.deliver(
      message.raw + Array("one more line\n".utf8), name: "18.2_again.host", to: "INBOX", flags: "S")
    try stage.remove("m0")
    let summary = stage.revert(1)
    #expect(summary.restored == 0 && summary.kept == 1)
    #expect(summary.problems.map(\.problem).joined().contains("saved under another name"))
    for run in [Stage.Run.pull, .push, .pull] { stage.play(run) }
    #expect(stage.count(of: "one more line", in: "INBOX") == 1)
    #expect(stage.places("m0").sorted() == ["INBOX", "Trash"])
    try stage.expectSettled()
  }
}

extension Stage {
  func setKeywordsThere(_ token: String, _ keyword: String) throws {
    try setFlagsThere(token, [keyword])
  }
}
