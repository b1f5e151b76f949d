import Foundation
import MailTestKit
import Testing

/// Folders whose names a person gave, and that mean something else, or something that is there already.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushFolderNameTests {
  /// An account with this mailbox, and a folder beside it that a person made.
  private func stage(mailbox: String, beside folder: String) throws -> PushStage {
    let stage = try PushStage(.modern) { account in
      account.add(mailbox)
      account.change(mailbox) { $0.deliver(SampleMessage(token: "theirs")) }
    }
    try stage.makeFolder(folder)
    try stage.deliver("mine", to: folder)
    return stage
  }

  private func loseState(_ stage: PushStage) throws {
    try FileManager.default.removeItem(atPath: stage.mirror.account + "/.mirror")
    let outcome = try stage.mirror.pull()
    #expect(outcome.ending == .exited(0), "\(outcome.summary)")
  }

  @Test(arguments: [
    ("per%cent", "per%cent"), ("%c3%a4", "%c3%a4"), ("50%25 off", "50% off"), ("%C3%A4", "&AOQ-"),
  ])
  func `a folder that a person named is one mailbox for good`(folder: String, mailbox: String)
    throws
  {
    let stage = try PushStage(.modern)
    try stage.makeFolder(folder)
    try stage.deliver("mine", to: folder)
    try stage.push()
    #expect(stage.places("mine") == [mailbox])
    try stage.mirror.pull()
    stage.server.forget()
    try loseState(stage)
    #expect(stage.server.server.bodyFetches == [])
    #expect(try stage.local("mine").folder == folder)
    #expect(try stage.mirror.tree().count(of: "<mine@") == 1)
    try stage.mirror.pull()
    stage.server.forget()
    try stage.push()
    #expect(stage.changes == [] && stage.places("mine") == [mailbox])
    try stage.deliver("more", to: folder)
    try stage.push()
    #expect(stage.places("more") == [mailbox])
  }

  @Test(arguments: [("ä", "%C3%A4"), ("a:b", "a%3Ab"), ("a/b", "a%2Fb"), ("50% off", "50% off")])
  func `a folder that stands for a mailbox which has another takes nothing over, and is told`(
    mailbox: String, folder: String
  ) throws {
    let stage = try stage(mailbox: mailbox, beside: folder)
    let own = try stage.local("theirs").folder
    try stage.reader.move(stage.local("m0"), to: folder)
    for arguments in [["push", "--dry-run"], ["push"], ["push"]] {
      let outcome = try stage.mirror.run(arguments)
      #expect(outcome.ending == .exited(1), "\(outcome.summary)")
      let words = "Two folders stand for one mailbox, “\(own)” and “\(folder)”"
      #expect(outcome.errorText.contains(words), "\(outcome.summary)")
    }
    #expect(stage.changes == [])
    #expect(stage.places("m0") == ["INBOX"] && stage.places("mine") == [])
    try stage.deliver("fresh", to: own)
    try stage.push(1)
    #expect(stage.places("fresh") == [mailbox], "the mailbox keeps its own folder")
    try FileManager.default.moveItem(
      atPath: stage.mirror.account + "/" + folder, toPath: stage.mirror.account + "/Other")
    try stage.push()
    #expect(stage.places("mine") == ["Other"] && stage.places("m0") == ["Other"])
    try stage.mirror.pull()
    stage.server.forget()
    try stage.push()
    #expect(stage.changes == [])
  }

  /// é as one character, and as e with an accent, which other systems and programs write.
  private static let (one, two) = ("\u{E9}t", "e\u{301}t")

  @Test func `an accent that is a character of its own makes no other mailbox`() throws {
    let stage = try PushStage(.modern)
    try stage.makeFolder(Self.two)
    try stage.deliver("mine", to: Self.two)
    try stage.push()
    #expect(stage.places("mine") == ["&AOk-t"])
    try stage.mirror.pull()
    stage.server.forget()
    try loseState(stage)
    #expect(stage.server.server.bodyFetches == [])
    #expect(try stage.mirror.tree().count(of: "<mine@") == 1)
    try stage.mirror.pull()
    stage.server.forget()
    try stage.push()
    #expect(stage.changes == [])
    try stage.deliver("more", to: Self.two)
    try stage.push()
    #expect(stage.places("more") == ["&AOk-t"])
  }

  @Test func `two folders that differ in their accents' spelling are told, and mixed up nowhere`()
    throws
  {
    let stage = try stage(mailbox: "&AOk-t", beside: Self.two)
    try stage.reader.move(stage.local("m0"), to: Self.two)
    try stage.deliver("fresh", to: Self.one)
    for _ in 0..<2 {
      let outcome = try stage.push(1)
      #expect(outcome.errorText.contains("Two folders stand for one"), "\(outcome.errorText)")
      #expect(outcome.errorText.contains("accents"), "\(outcome.errorText)")
    }
    #expect(stage.places("mine") == [] && stage.places("m0") == ["INBOX"])
    #expect(stage.places("fresh") == ["&AOk-t"])
    // With the search index, which has both.
    let pulled = try stage.mirror.run(["pull"])
    #expect(pulled.ending == .exited(0), "\(pulled.summary)")
    try stage.reader.move(stage.local("mine"), to: "INBOX")
    try stage.reader.move(stage.local("m0"), to: Self.one)
    try FileManager.default.removeItem(atPath: stage.mirror.account + "/" + Self.two)
    try stage.push()
    #expect(stage.places("mine") == ["INBOX"] && stage.places("m0") == ["&AOk-t"])
    try stage.mirror.pull()
    #expect(try stage.mirror.run(["pull"]).ending == .exited(0))
  }

  @Test func `a folder whose name is spelled in another way stays its mailbox's`() throws {
    let stage = try PushStage(.modern) { account in
      account.add("&AOk-t")
      account.change("&AOk-t") { $0.deliver(SampleMessage(token: "theirs")) }
    }
    let account = stage.mirror.account
    try #require(rename(account + "/" + Self.one, account + "/" + Self.two) == 0)
    try stage.push()
    #expect(stage.changes == [])
    try stage.deliver("fresh", to: Self.two)
    try stage.push()
    #expect(stage.places("fresh") == ["&AOk-t"])
  }

  @Test(arguments: [
    ("nested", "inbox"), ("nested", "Inbox"), ("maildir++", ".INBOX"), ("maildir++", ".inbox"),
  ])
  func `a folder that is called like INBOX, and is not, is told`(layout: String, folder: String)
    throws
  {
    let stage = try PushStage(.modern, sync: "layout = \"\(layout)\"")
    let inbox = try stage.local("m0").folder
    try stage.makeFolder(folder)
    try stage.deliver("mine", to: folder)
    try stage.reader.move(stage.local("m0"), to: folder)
    for arguments in [["push", "--dry-run"], ["push"], ["push", "--full"]] {
      let outcome = try stage.mirror.run(arguments)
      #expect(outcome.ending == .exited(1), "\(outcome.summary)")
      let words = "Two folders stand for one mailbox, “INBOX” and “\(folder)”"
      #expect(outcome.errorText.contains(words), "\(outcome.errorText)")
    }
    #expect(stage.changes == [] && stage.places("m0") == ["INBOX"])
    for token in ["mine", "m0"] { try stage.reader.move(stage.local(token), to: inbox) }
    try FileManager.default.removeItem(atPath: stage.mirror.account + "/" + folder)
    try stage.push()
    #expect(stage.places("mine") == ["INBOX"] && stage.places("m0") == ["INBOX"])
  }

  @Test(arguments: [Dialect.modern, .condstore, .bare])
  func `a mailbox that somebody made anew is not renamed`(dialect: Dialect) throws {
    let stage = try PushStage(dialect) { account in
      account.add("Work/sub")
      for name in ["Work", "Work/sub"] {
        account.change(name) { $0.deliver(SampleMessage(token: name == "Work" ? "w0" : "s0")) }
      }
    }
    let account = stage.mirror.account
    try FileManager.default.moveItem(atPath: account + "/Work", toPath: account + "/Job")
    try stage.reader.setFlags(stage.local("m0"), "F")
    stage.account["Work"] = nil
    stage.account.add("Work", uidValidity: 1_600_000_000)
    stage.account.change("Work") { $0.deliver(SampleMessage(token: "theirs")) }
    for _ in 0..<2 {
      let outcome = try stage.push(1)
      #expect(outcome.errorText.contains("renumbered"), "\(outcome.errorText)")
      #expect(stage.changes.allSatisfy { !$0.contains("RENAME") }, "\(stage.changes)")
      #expect(stage.places("theirs") == ["Work"] && stage.places("s0") == ["Work/sub"])
    }
    #expect(stage.flags("m0") == ["\\Flagged"], "the rest goes on")
    for _ in 0..<2 {
      _ = try stage.mirror.pull()
      _ = try stage.mirror.run(["push"])
    }
    #expect(stage.places("theirs") == ["Work"])
    #expect(try stage.mirror.tree().count(of: "<w0@") == 1)
    #expect(try stage.local("theirs").folder == "Work" && stage.local("w0").folder == "Job")
  }

  @Test func `a folder is not renamed into a mailbox that has a folder`() throws {
    let stage = try stage(mailbox: "ä", beside: "Other")
    stage.account.change("Work") { $0.deliver(SampleMessage(token: "w0")) }
    try stage.mirror.pull()
    stage.server.forget()
    try FileManager.default.moveItem(
      atPath: stage.mirror.account + "/Work", toPath: stage.mirror.account + "/%C3%A4")
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("Two folders stand for one"), "\(outcome.errorText)")
    #expect(stage.changes.allSatisfy { !$0.contains("RENAME") })
    #expect(stage.places("w0") == ["Work"] && stage.places("theirs") == ["ä"])
  }
}
