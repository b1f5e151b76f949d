import Foundation
import MailTestKit
import Testing

/// After a state was lost, new mail waits until every message that may be one was looked for. What cannot be had keeps
/// nothing waiting for ever but a file that is known to be it.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct AdoptionEndTests {
  private func lose(_ stage: PushStage) { removeTree(stage.mirror.account + "/.mirror") }

  private func write(_ token: String, to folder: String, _ stage: PushStage) throws {
    try stage.reader.deliver(
      SampleMessage(token: token).bytes.filter { $0 != 13 }, name: "17.\(token).host", to: folder)
  }

  /// - Returns: after how many runs the message had been sent.
  private func runs(until token: String, _ stage: PushStage) throws -> Int {
    for run in 1...8 {
      _ = try stage.mirror.run(["sync", "--no-index"])
      if !stage.places(token).isEmpty { return run }
    }
    return .max
  }

  @Test func `a mailbox that cannot be opened keeps its own mail, and no other's`() throws {
    let stage = try PushStage(.modern) {
      $0.deliver(SampleMessage(token: "w0"), labelled: ["Work"])
      $0.deliver(SampleMessage(token: "w1"), labelled: ["Work"])
    }
    // A message of that mailbox lies elsewhere.
    try stage.reader.move(stage.local("w0"), to: "INBOX")
    lose(stage)
    stage.refuseOnce("Work", times: .max)
    try write("mine", to: "INBOX", stage)
    try write("there", to: "Work", stage)
    let count = try runs(until: "mine", stage)
    #expect((3...6).contains(count), "\(count)")
    #expect(stage.places("there") == [])
    #expect(stage.places("w0") == ["Work"])
    stage.server.alter(nil)
    for _ in 0..<2 { _ = try stage.mirror.run(["sync", "--no-index"]) }
    #expect(stage.places("mine") == ["INBOX"])
    #expect(stage.places("there") == ["Work"])
    #expect(stage.places("w0") == ["INBOX"], "moved, not sent")
    #expect(stage.places("w1") == ["Work"])
    #expect(try stage.mirror.tree().count(of: "<w0@") == 1)
  }

  @Test func `what another client moved into it is not sent, however long it takes`() throws {
    let stage = try PushStage(.modern)
    let moved = SampleMessage(token: "m1")
    stage.account.change("INBOX") { $0.expunge(2) }
    stage.account.change("Work") { $0.deliver(moved) }
    lose(stage)
    stage.refuseOnce("Work", times: .max)
    try write("mine", to: "INBOX", stage)
    #expect(try runs(until: "mine", stage) <= 6)
    for _ in 0..<3 { _ = try stage.mirror.run(["sync", "--no-index"]) }
    #expect(stage.places("m1") == ["Work"])
    stage.server.alter(nil)
    for _ in 0..<2 { _ = try stage.mirror.run(["sync", "--no-index"]) }
    #expect(stage.places("m1") == ["Work"])
    #expect(stage.places("mine") == ["INBOX"])
  }

  @Test func `a message that never comes keeps its own file, and no other`() throws {
    let stage = try PushStage(.modern)
    try stage.reader.move(stage.local("m1"), to: "Work")
    lose(stage)
    stage.server.alter { command, replies in
      guard command.name == "UID FETCH", command.mailbox == "INBOX", command.text.contains("BODY")
      else { return replies }
      return replies.filter { !$0.text.contains("UID 2 ") }
    }
    try write("mine", to: "INBOX", stage)
    let count = try runs(until: "mine", stage)
    #expect((3...6).contains(count), "\(count)")
    #expect(stage.places("m1") == ["INBOX"])
    stage.server.alter(nil)
    for _ in 0..<2 { _ = try stage.mirror.run(["sync", "--no-index"]) }
    #expect(stage.places("m1") == ["Work"], "moved, not sent")
    #expect(stage.places("mine") == ["INBOX"])
    #expect(try stage.mirror.tree().count(of: "<m1@") == 1)
  }

  /// What the server does not hand out of it: the body, or the header, either.
  @Test(arguments: ["BODY.PEEK[]", "BODY.PEEK["])
  func `what another client moved is not sent while its new place does not deliver it`(
    part: String
  ) throws {
    let stage = try PushStage(.modern) {
      $0.deliver(SampleMessage(token: "gone", date: 1_500_000_000), labelled: ["INBOX"])
    }
    for uid in [2, 7] { stage.account.change("INBOX") { $0.expunge(UInt32(uid)) } }
    stage.account.change("Work") { $0.deliver(SampleMessage(token: "m1")) }
    lose(stage)
    stage.server.alter { command, replies in
      guard command.name == "UID FETCH", command.mailbox == "Work", command.text.contains(part)
      else { return replies }
      return replies.filter { !$0.text.contains("UID 1 ") }
    }
    #expect((3...6).contains(try runs(until: "gone", stage)), "the server has it nowhere")
    for _ in 0..<4 { _ = try stage.mirror.run(["sync", "--no-index"]) }
    #expect(stage.places("m1") == ["Work"])
    #expect(stage.places("gone") == ["INBOX"])
    let told = try stage.mirror.run(["pull", "--no-index"])
    #expect(told.errorText.contains("1 file here may be a message"), "\(told.summary)")
    let status = try stage.mirror.run(["status"])
    #expect(status.outputText.contains("before a pull has seen"), "\(status.summary)")
    stage.server.alter(nil)
    for _ in 0..<2 { _ = try stage.mirror.run(["sync", "--no-index"]) }
    #expect(stage.places("m1") == ["Work"])
    #expect(try stage.mirror.tree()["Work"].count == 1)
  }

  /// One's own mail lies in Work, and another client moved it to Drafts while the state was away.
  @Test(arguments: [false, true])
  func `what was written here and moved there waits while another message fails to come`(
    isRewritten: Bool
  ) throws {
    let stage = try PushStage(.modern)
    try write("own", to: "Work", stage)
    try stage.push()
    try stage.mirror.pull()
    let message = try #require(stage.remote("own", in: "Work"))
    stage.account.change("Work") { $0.expunge(message.uid) }
    stage.account.change("Drafts") {
      $0.deliver(SampleMessage(bytes: message.bytes, date: message.date))
    }
    lose(stage)
    try write("mine", to: "Work", stage)
    stage.server.alter { command, replies in
      guard command.name == "UID FETCH", command.mailbox == "INBOX", command.text.contains("BODY")
      else { return replies }
      return replies.filter { !$0.text.contains("UID 2 ") }
    }
    _ = try stage.mirror.run(["pull", "--no-index"])
    #expect(try stage.push(1).errorText.contains("wait"))
    if isRewritten {
      // As a command leaves it that writes the keywords line anew.
      let folder = stage.mirror.account + "/Work/cur/"
      try FileManager.default.moveItem(
        atPath: folder + "17.own.host:2,S", toPath: folder + "17.own.host~k1:2,S")
    }
    stage.server.alter(nil)
    for _ in 0..<2 { _ = try stage.mirror.run(["sync", "--no-index"]) }
    #expect(stage.places("own") == ["Drafts"])
    #expect(stage.places("mine") == ["Work"])
  }
}
