import Foundation
import MailTestKit
import Testing

/// Folders of All Mail and Important that the configuration does not name: those of another program, of a state that was
/// lost, or of an earlier configuration. They stay, nothing of them is sent, and no message is thrown away for them.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushGmailUnnamedTests {
  private static let all = GmailStage.all

  @Test func `mail that another program mirrored there stays, and is not sent`() throws {
    let stage = try GmailStage(sync: "folders = [\"*\", \"[Gmail]/All Mail\"]")
    try FileManager.default.removeItem(atPath: stage.mirror.account + "/.mirror")
    try stage.mirror.configure { $0.sync = "" }
    let adopted = try stage.mirror.pull()
    #expect(adopted.errorText.contains("name it in `folders`"), "\(adopted.summary)")
    stage.server.forget()
    try stage.push()
    let pulled = try stage.mirror.pull()
    #expect(pulled.errorText == "", "\(pulled.summary)")
    try stage.push()
    #expect(try stage.mirror.tree()[Self.all].count == 11)
    #expect(stage.server.server.changingCommands == [])
    stage.expectNothingThrownAway()
  }

  @Test func `another program's folder of Important is no mailbox to be made`() throws {
    let stage = try GmailStage()
    stage.account.add("[Gmail]/Important", attributes: ["\\HasNoChildren", "\\Important"])
    for part in ["cur", "new", "tmp"] {
      try makeDirectory(stage.mirror.account + "/[Gmail]/Important/" + part)
    }
    try stage.copy(stage.local("m0"), to: "[Gmail]/Important", as: "17.1_7.host")
    try FileManager.default.removeItem(atPath: stage.mirror.account + "/.mirror")
    let adopted = try stage.mirror.pull()
    #expect(adopted.errorText.contains("name it in `folders`"), "\(adopted.summary)")
    stage.server.forget()
    try stage.push()
    #expect(stage.server.server.changingCommands == [])
    #expect(try stage.mirror.tree()["[Gmail]/Important"].count == 1)
  }

  @Test func `what goes from INBOX and lies in All Mail that is not mirrored waits`() throws {
    let stage = try GmailStage(sync: "folders = [\"*\", \"[Gmail]/All Mail\"]")
    try FileManager.default.removeItem(atPath: stage.mirror.account + "/.mirror")
    try stage.mirror.configure { $0.sync = "" }
    try stage.mirror.pull()
    try stage.reader.remove(stage.local("m0", in: "INBOX"))
    let waiting = try stage.push(1)
    #expect(
      waiting.errorText.contains("now in “[Gmail]/All Mail”, which is not mirrored"),
      "\(waiting.summary)")
    #expect(stage.places("m0") == ["INBOX"])
    // As the words say.
    try FileManager.default.moveItem(
      atPath: stage.mirror.account + "/[Gmail]/All Mail", toPath: stage.mirror.home + "/All Mail")
    try stage.push()
    #expect(stage.places("m0") == [GmailStage.trash])
    try stage.mirror.pull()
    try stage.archive("m1")
    try stage.push()
    #expect(stage.places("m1") == [] && stage.isArchived("m1"))
  }

  @Test func `files of All Mail that go when it is no longer named are not thrown away`() throws {
    let stage = try GmailStage(sync: "folders = [\"*\", \"[Gmail]/All Mail\"]")
    try stage.mirror.configure { $0.sync = "" }
    try stage.mirror.pull()
    for message in try stage.mirror.tree()[Self.all] { try stage.reader.remove(message) }
    _ = try stage.mirror.run(["push", "--allow-mass-delete"])
    try stage.mirror.pull()
    _ = try stage.mirror.run(["push", "--allow-mass-delete"])
    #expect(stage.isArchived("old"))
    stage.expectNothingThrownAway()
    // And from now on its folder is there to archive.
    try stage.archive("m0")
    try stage.push()
    try stage.mirror.pull()
    #expect(stage.places("m0") == [] && stage.isArchived("m0"))
    #expect(try stage.count("m0") == 0)
  }

  @Test func `All Mail is mirrored once it is named, and stays here when it is no longer`() throws {
    let stage = try GmailStage()
    try stage.archive("m0")
    try stage.push()
    try stage.mirror.pull()
    #expect(try stage.mirror.tree()[Self.all].isEmpty)
    try stage.mirror.configure { $0.sync = "folders = [\"*\", \"[Gmail]/All Mail\"]" }
    try stage.mirror.pull()
    #expect(try stage.mirror.tree()[Self.all].count == 11)
    try stage.push()
    try stage.mirror.configure { $0.sync = "" }
    for _ in 0..<2 { try stage.mirror.pull() }
    try stage.push()
    #expect(try stage.mirror.tree()[Self.all].count == 11)
    stage.expectNothingThrownAway()
  }

  @Test func `beside All Mail that is no longer named, deletions and moves go on`() throws {
    let stage = try GmailStage(sync: "folders = [\"*\", \"[Gmail]/All Mail\"]")
    try stage.mirror.configure { $0.sync = "" }
    try stage.mirror.pull()
    try stage.reader.remove(stage.local("b0", in: "INBOX"))
    try stage.reader.move(stage.local("m2", in: "INBOX"), to: "Later")
    try stage.push()
    #expect(stage.places("b0") == ["Work"] && stage.places("m2") == ["Later"])
    try stage.mirror.pull()
    try stage.push()
    #expect(try stage.mirror.tree()[Self.all].count == 11)
    stage.expectNothingThrownAway()
  }

  private func unnamed() throws -> GmailStage {
    let stage = try GmailStage(sync: "folders = [\"*\", \"[Gmail]/All Mail\"]")
    try stage.mirror.configure { $0.sync = "" }
    try stage.mirror.pull()
    return stage
  }

  @Test func `what goes from it meanwhile comes again once it is named`() throws {
    let stage = try unnamed()
    for token in ["m0", "old"] { try stage.reader.remove(stage.local(token, in: Self.all)) }
    try stage.push()
    try stage.mirror.pull()
    #expect(try stage.mirror.tree()[Self.all].count == 9)
    try stage.mirror.configure { $0.sync = "folders = [\"*\", \"[Gmail]/All Mail\"]" }
    stage.server.forget()
    try stage.mirror.pull()
    let there = try stage.mirror.tree()[Self.all].map(\.base).sorted()
    #expect(there.count == 11, "\(there)")
    #expect(stage.server.server.bodyFetches.count <= 1, "\(stage.server.server.bodyFetches)")
    try stage.push()
    #expect(stage.server.server.changingCommands == [])
    stage.expectNothingThrownAway()
  }

  @Test(arguments: [GmailStage.trash, "Work"])
  func `a file that is moved out of it waits, and keeps nothing else from being ready`(
    target: String
  ) throws {
    let stage = try unnamed()
    stage.server.forget()
    try stage.reader.move(stage.local("m0", in: Self.all), to: target)
    let waiting = try stage.push(1)
    #expect(waiting.errorText.contains("not mirrored any more"), "\(waiting.summary)")
    #expect(stage.server.server.changingCommands == [])
    try stage.mirror.pull()
    #expect(try stage.mirror.run(["index"]).status == 0)
    let ready = try stage.mirror.run(["status", "--ready"])
    #expect(ready.status == 0, "\(ready.summary)")
    // As the words say.
    try stage.reader.move(stage.local("m0", in: target), to: Self.all)
    try stage.push()
    #expect(stage.server.server.changingCommands == [])
    stage.expectNothingThrownAway()
  }

  @Test func `a folder of All Mail that Gmail hides by now is no mailbox to be made`() throws {
    let stage = try GmailStage(sync: "folders = [\"*\", \"[Gmail]/All Mail\"]")
    try FileManager.default.removeItem(atPath: stage.mirror.account + "/.mirror")
    try stage.mirror.configure { $0.sync = "" }
    try stage.mirror.pull()
    let hidden = stage.account[Self.all]
    stage.account[Self.all] = nil
    stage.server.forget()
    for _ in 0..<2 {
      try stage.mirror.pull()
      try stage.push()
    }
    #expect(stage.server.server.changingCommands == [])
    stage.account[Self.all] = hidden
    try stage.mirror.pull()
    try stage.push()
    #expect(try stage.mirror.tree()[Self.all].count == 11)
    stage.expectNothingThrownAway()
  }
}
