import Foundation
import MailTestKit
import Testing

/// A server that was restored from a backup made before a push, and a person who went on meanwhile: what the push
/// brought has another place or another name here, and its UID there is another message's.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct RestoredCopyTests {
  private static let dialects = [Dialect(capabilities: ["UIDPLUS"]), .condstore, .modern]

  /// `token` was moved to Work by a push of which the server knows nothing any more.
  private func stage(_ dialect: Int, moved token: String) throws -> PushStage {
    let stage = try PushStage(Self.dialects[dialect]) { account in
      account.change("Work") { $0.deliver(SampleMessage(token: "old")) }
    }
    let before = stage.account["Work"]
    try stage.reader.move(stage.local(token), to: "Work")
    try stage.push()
    stage.account["Work"] = before
    stage.server.forget()
    return stage
  }

  private func deliverTheirs(_ stage: PushStage) {
    stage.account.change("Work") { $0.deliver(SampleMessage(token: "theirs")) }
  }

  private func expectUntouched(
    _ stage: PushStage, location: SourceLocation = #_sourceLocation
  ) {
    #expect(stage.places("theirs") == ["Work"], sourceLocation: location)
    #expect(stage.flags("theirs") == [], sourceLocation: location)
  }

  @Test(arguments: dialects.indices, ["INBOX", "Work"])
  func `flags are not put on a stranger when the file was moved on or renamed, too`(
    dialect: Int, folder: String
  ) throws {
    let stage = try stage(dialect, moved: "m0")
    deliverTheirs(stage)
    let account = stage.mirror.account
    try FileManager.default.moveItem(
      atPath: account + "/" + stage.local("m0").path,
      toPath: account + "/\(folder)/cur/19.1_other.host:2,FS")
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("another on the server"), "\(outcome.summary)")
    expectUntouched(stage)
    try stage.push()
    #expect(stage.places("m0") == [folder] && stage.flags("m0") == ["\\Flagged", "\\Seen"])
    expectUntouched(stage)
    try stage.mirror.pull()
    _ = try stage.local("theirs", in: "Work")
    try stage.expectSettled()
  }

  @Test(arguments: dialects.indices, [false, true])
  func `nor when the file goes away just then`(dialect: Int, isMoved: Bool) throws {
    let stage = try stage(dialect, moved: "m0")
    deliverTheirs(stage)
    if isMoved { try stage.reader.move(stage.local("m0"), to: "INBOX") }
    try stage.reader.setFlags(stage.local("m0"), "F")
    let path = try stage.mirror.account + "/" + stage.local("m0").path
    stage.server.alter { command, replies in
      if command.name == "UID FETCH" { unlink(path) }
      return replies
    }
    _ = try stage.mirror.run(["push"])
    stage.server.alter(nil)
    expectUntouched(stage)
  }

  /// m1 had the number in INBOX that it got in Work.
  @Test(arguments: dialects.indices, ["m0", "m1"])
  func `a copy that took a moved one's place is made once`(dialect: Int, moved: String) throws {
    let stage = try stage(dialect, moved: moved)
    try stage.reader.deliver(stage.local("m2").raw, name: "18.1_copy.host", to: "Work")
    for command in ["push", "push", "pull", "push"] {
      _ = try stage.mirror.run(command == "pull" ? ["pull", "--no-index"] : [command])
      #expect(stage.places("m2") == ["INBOX", "Work"])
      _ = try stage.local(moved, in: "Work")
    }
    #expect(stage.places(moved) == ["Work"])
    try stage.expectSettled()
  }

  @Test(arguments: dialects.indices, ["m0", "m1"])
  func `the file of a moved one stays when an upload took its place`(dialect: Int, moved: String)
    throws
  {
    let stage = try stage(dialect, moved: moved)
    try stage.deliver("mine", to: "Work")
    for command in ["push", "push", "pull", "push"] {
      _ = try stage.mirror.run(command == "pull" ? ["pull", "--no-index"] : [command])
      #expect(stage.places("mine") == ["Work"])
      _ = try stage.local(moved, in: "Work")
    }
    #expect(stage.places(moved) == ["Work"])
    try stage.expectSettled()
  }

  /// Only its content tells it from the message that had the number.
  @Test(arguments: dialects.indices, [false, true])
  func `what has no Message-ID is recognised in a moved one's place`(dialect: Int, isUpload: Bool)
    throws
  {
    let bytes = "From: a@example.org\r\nSubject: bare\r\n\r\nno name <bare@example.org>\r\n".utf8
    let stage = try PushStage(Self.dialects[dialect]) { account in
      account.change("Work") { $0.deliver(SampleMessage(token: "old")) }
      if !isUpload { account.change("INBOX") { $0.messages[2].bytes = Array(bytes) } }
    }
    let before = stage.account["Work"]
    try stage.reader.move(stage.local("m1"), to: "Work")
    try stage.push()
    stage.account["Work"] = before
    try stage.reader.deliver(bytes.filter { $0 != 13 }, name: "18.1_bare.host", to: "Work")
    for command in ["push", "push", "pull", "push"] {
      _ = try stage.mirror.run(command == "pull" ? ["pull", "--no-index"] : [command])
      #expect(stage.places("bare") == (isUpload ? ["Work"] : ["INBOX", "Work"]))
      _ = try stage.local("m1", in: "Work")
    }
    #expect(stage.places("m1") == ["Work"])
    try stage.expectSettled()
  }

  @Test(arguments: dialects.indices)
  func `an edited draft takes no flags from a stranger`(dialect: Int) throws {
    let stage = try PushStage(Self.dialects[dialect]) { account in
      account.change("Drafts") { $0.deliver(SampleMessage(token: "old")) }
    }
    let before = stage.account["Drafts"]
    try stage.deliver("mine", to: "Drafts")
    try stage.push()
    stage.account["Drafts"] = before
    stage.account.change("Drafts") {
      $0.deliver(SampleMessage(token: "theirs", flags: ["\\Flagged"]))
    }
    let draft = try stage.local("mine")
    try stage.reader.rewrite(draft, draft.raw + Array("one more line\n".utf8))
    try stage.push(1)
    #expect(stage.flags("mine") == ["\\Seen"] && stage.flags("theirs") == ["\\Flagged"])
    #expect(try stage.local("mine").flags == "S")
  }
}
