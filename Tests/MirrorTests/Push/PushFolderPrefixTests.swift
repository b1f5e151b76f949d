import Foundation
import MailTestKit
import Testing

/// A server that has all of a person's mailboxes below INBOX, and folders that a person made beside it.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushFolderPrefixTests {
  private func stage(sync: String = "", more: (MailAccount) throws -> Void = { _ in }) throws
    -> PushStage
  {
    var dialect = Dialect.modern
    dialect.namePrefix = "INBOX/"
    dialect.sharedPrefix = "Public/"
    return try PushStage(dialect, sync: sync, more: more)
  }

  @Test func `what others share has no such prefix`() throws {
    let stage = try stage { account in
      account.add("Public/News")
      account.change("Public/News") { $0.deliver(SampleMessage(token: "n")) }
    }
    try stage.makeFolder("Public/Talk")
    try stage.deliver("t", to: "Public/Talk")
    try FileManager.default.moveItem(
      atPath: stage.mirror.account + "/Public/News", toPath: stage.mirror.account + "/Public/Olds")
    try stage.push()
    #expect(stage.places("t") == ["Public/Talk"] && stage.places("n") == ["Public/Olds"])
  }

  @Test(arguments: ["!Local", "!INBOX/Local"])
  func `a folder that is left out stays here under either name`(pattern: String) throws {
    let stage = try stage(sync: "folders = [\"*\", \"\(pattern)\"]")
    try stage.makeFolder("Local")
    try stage.deliver("mine", to: "Local")
    try stage.push()
    #expect(stage.changes == [] && stage.places("mine") == [])
  }

  @Test func `a new folder has its mailbox there, also when the state is lost`() throws {
    let stage = try stage()
    try stage.makeFolder("foo")
    try stage.deliver("mine", to: "foo")
    let rehearsal = try stage.push(0, "--dry-run")
    #expect(rehearsal.outputText.contains("INBOX/foo"), "\(rehearsal.summary)")
    try stage.push()
    #expect(stage.places("mine") == ["INBOX/foo"])
    try stage.mirror.pull()
    try FileManager.default.removeItem(atPath: stage.mirror.account + "/.mirror")
    stage.server.forget()
    try stage.mirror.pull()
    #expect(stage.server.server.bodyFetches == [])
    #expect(try stage.mirror.tree().count(of: "<mine@") == 1)
    _ = try stage.local("mine", in: "foo")
    try stage.push()
    #expect(stage.changes == [])
  }

  @Test func `a folder beside the mailbox's own is told before a push`() throws {
    let stage = try stage { account in
      account.add("INBOX/foo")
      account.change("INBOX/foo") { $0.deliver(SampleMessage(token: "theirs")) }
    }
    try stage.makeFolder("foo")
    try stage.reader.move(stage.local("m0"), to: "foo")
    for arguments in [["push", "--dry-run"], ["push"]] {
      let outcome = try stage.mirror.run(arguments)
      #expect(outcome.ending == .exited(1), "\(outcome.summary)")
      #expect(
        outcome.errorText.contains("Two folders stand for one mailbox, “INBOX/foo” and “foo”"),
        "\(outcome.summary)")
      #expect(!outcome.outputText.contains("make this mailbox"), "\(outcome.summary)")
    }
    #expect(stage.places("m0") == ["INBOX"])
  }
}
