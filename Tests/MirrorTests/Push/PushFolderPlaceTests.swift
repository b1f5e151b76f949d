import Foundation
import MailTestKit
import Testing

/// Folders that are not where, or not what, they were: what may be concluded from that, and what not.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushFolderPlaceTests {
  private func stage(
    _ mailboxes: [String], sync: String = "", prefix: String = "",
    more: (MailAccount) -> Void = { _ in }
  ) throws -> PushStage {
    var dialect = Dialect.modern
    dialect.namePrefix = prefix
    return try PushStage(dialect, count: 2, sync: sync) { account in
      for name in mailboxes {
        account.add(prefix + name)
        account.change(prefix + name) { box in
          let token = name.replacing("/", with: "")
          for number in 0..<2 { box.deliver(SampleMessage(token: token + "\(number)")) }
        }
      }
      more(account)
    }
  }

  private func move(_ folder: String, to other: String, _ stage: PushStage) throws {
    try FileManager.default.moveItem(
      atPath: stage.mirror.account + "/" + folder, toPath: stage.mirror.account + "/" + other)
  }

  private func unmount(_ folder: String, _ stage: PushStage) throws {
    try move(folder, to: "../../unmounted", stage)
    try FileManager.default.createDirectory(
      atPath: stage.mirror.account + "/" + folder, withIntermediateDirectories: false)
  }

  @Test func `old mail of a mailbox that is gone is not sent again, whatever is done to it`() throws
  {
    let stage = try stage(["g"])
    stage.account["g"] = nil
    try stage.mirror.pull()
    // A command writes the keywords line, and gives the file another name; a reader gives it any.
    #expect(try stage.mirror.run(["index"]).status == 0)
    #expect(try stage.mirror.run(["flag", "--yes", "+todo", "folder:g"]).status == 0)
    try stage.push()
    #expect(stage.changes == [] && stage.account["g"] == nil)
    for number in 0..<2 {
      let message = try stage.local("g\(number)", in: "g")
      try stage.reader.deliver(message.raw, name: "19.\(number)_r.host", to: "g")
      try stage.reader.remove(message)
    }
    try stage.push()
    #expect(stage.changes == [] && stage.account["g"] == nil)
  }

  @Test(arguments: ["", "deletions = \"expunge\""])
  func `another's mail that was moved is none of a disk that is not mounted`(sync: String) throws {
    let twin = SampleMessage(token: "twin")
    let stage = try stage(["arch", "b", "work"], sync: sync) { account in
      account.change("arch") { box in
        for message in box.messages { box.expunge(message.uid) }
        box.deliver(twin)
      }
      account.change("work") { $0.deliver(twin) }
    }
    try unmount("arch", stage)
    let message = try stage.local("twin", in: "work")
    try stage.reader.deliver(message.raw, name: "19.1_r.host", to: "b")
    try stage.reader.remove(message)
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("not mounted"), "\(outcome.summary)")
    #expect(stage.places("twin").sorted() == ["arch", "b"])
    try FileManager.default.removeItem(atPath: stage.mirror.account + "/arch")
    try move("../../unmounted", to: "arch", stage)
    try stage.push()
    #expect(stage.places("twin").sorted() == ["arch", "b"])
    try stage.expectAtRest()
  }

  @Test func `a disk's place below a renamed folder stays one`() throws {
    let stage = try stage(["a", "a/x"], sync: "layout = \"maildir++\"")
    try unmount(".a.x", stage)
    try move(".a", to: ".job", stage)
    for _ in 0..<2 {
      let outcome = try stage.push(1, "--allow-mass-delete")
      #expect(outcome.errorText.contains("not mounted"), "\(outcome.summary)")
    }
    #expect(stage.places("a0") == ["job"] && stage.places("ax0") == ["job/x"])
    try FileManager.default.removeItem(atPath: stage.mirror.account + "/.a.x")
    try move("../../unmounted", to: ".a.x", stage)
    for _ in 0..<2 {
      try stage.push()
      try stage.mirror.pull()
    }
    #expect(stage.places("ax0").count == 1 && stage.places("ax1").count == 1)
    try stage.expectAtRest()
  }

  @Test func `two folders that exchange their names beside the server's prefix get their messages`()
    throws
  {
    let stage = try stage(["a", "b"], prefix: "INBOX/")
    try move("INBOX/a", to: "b", stage)
    try move("INBOX/b", to: "a", stage)
    let dry = try stage.push(0, "--dry-run").outputText
    let pushed = try stage.push().outputText
    for words in ["4 moved"] { #expect(dry.contains(words) && pushed.contains(words), "\(dry)") }
    #expect(stage.places("a0") == ["INBOX/b"] && stage.places("b0") == ["INBOX/a"])
    try stage.expectAtRest()
    #expect(stage.places("a1") == ["INBOX/b"] && stage.places("b1") == ["INBOX/a"])
  }

  @Test func `folders put below each other's old names are done with in one push`() throws {
    let stage = try stage(["a", "b"])
    try move("a", to: "between", stage)
    try move("b", to: "other", stage)
    for name in ["a", "b"] {
      try FileManager.default.createDirectory(
        atPath: stage.mirror.account + "/" + name, withIntermediateDirectories: false)
    }
    try move("between", to: "b/x", stage)
    try move("other", to: "a/y", stage)
    try stage.push()
    #expect(stage.places("a0") == ["b/x"] && stage.places("b0") == ["a/y"])
    try stage.expectAtRest()
    #expect(stage.places("a1") == ["b/x"] && stage.places("b1") == ["a/y"])
  }
}
