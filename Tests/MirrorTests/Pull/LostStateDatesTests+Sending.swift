import Foundation
import MailTestKit
import Testing

/// What is held back since the server may not show it, and is new by a person's word.
extension LostStateDatesTests {
  /// New mail of an old date, held back among 30 others.
  private func stageHeld() throws -> (PushStage, ModelServer, path: String) {
    let stage = try stage(inbox())
    try loseStateAndNames(stage)
    try stage.deliver("mine", to: "INBOX", written: Self.start)
    let narrow = try show(stage) { $0.viewLimit = 10 }
    try sync(stage, ["push", "--full"])
    #expect(stage.places("mine") == [])
    return (stage, narrow, try stage.mirror.account + "/" + stage.local("mine").path)
  }

  @Test func `new mail of an old date is sent by name, once and alone`() throws {
    let (stage, _, path) = try stageHeld()
    let told = try stage.mirror.run(["status"])
    #expect(told.outputText.contains("mirror push --send FILE"), "\(told.summary)")
    for _ in 0..<2 { try stage.push(0, "--send", path) }
    try sync(stage)
    expectOnce(tokens(0..<40) + ["mine"], in: "INBOX", stage)
    try show(stage) { $0.viewLimit = nil }
    try sync(stage)
    expectOnce(tokens(0..<40) + ["mine"], in: "INBOX", stage)
    #expect(try stage.mirror.tree()["INBOX"].count == 41)
  }

  @Test func `what the server finds is not sent by name, either`() throws {
    let (stage, narrow, path) = try stageHeld()
    stage.account.change("INBOX") {
      $0.deliver(SampleMessage(token: "mine", written: Self.start))
    }
    narrow.forget()
    let outcome = try stage.push(1, "--send", path)
    #expect(outcome.errorText.contains("a message that the server has"), "\(outcome.summary)")
    #expect(narrow.server.changingCommands == [])
    try sync(stage)
    expectOnce(tokens(0..<40) + ["mine"], in: "INBOX", stage)
    #expect(try stage.mirror.tree()["INBOX"].count == 41)
  }

  @Test func `a file that is not there, or in no account, is a mistake`() throws {
    let stage = try stage([])
    for path in [stage.mirror.account + "/INBOX/cur/none", "/dev/null"] {
      try stage.push(64, "--send", path)
    }
  }

  @Test func `new mail without a Message-ID is sent by name`() throws {
    let stage = try stage(inbox())
    try loseStateAndNames(stage)
    try stage.deliverNameless(to: "INBOX")
    let narrow = try show(stage) { $0.viewLimit = 10 }
    try sync(stage, ["push", "--full"])
    #expect(narrow.server.received(named: ["APPEND"]) == [])
    try stage.push(0, "--send", stage.mirror.account + "/" + stage.local("fresh").path)
    try sync(stage)
    #expect(stage.count(of: "no name", in: "INBOX") == 1)
    #expect(try stage.mirror.tree()["INBOX"].count == 41)
  }

  /// Nothing can be searched for: what is shown meanwhile is compared.
  @Test func `nor is what the server shows, and no Message-ID tells`() throws {
    let stage = try stage(inbox())
    stage.account.change("INBOX") { box in
      let text = "From: a@example.org\r\nSubject: fresh\r\n\r\nno name <fresh@example.org>\r\n"
      box.deliver(SampleMessage(bytes: Array(text.utf8)))
      for number in 40..<52 {
        let date = Self.start + Int64(number) * Self.day
        box.deliver(SampleMessage(token: "m\(number)", date: date, written: date))
      }
    }
    try stage.mirror.pull()
    try loseStateAndNames(stage)
    try show(stage) { $0.viewLimit = 10 }
    try sync(stage)
    let wide = try show(stage) { $0.viewLimit = nil }
    let path = try stage.mirror.account + "/" + stage.local("fresh").path
    let outcome = try stage.push(1, "--send", path)
    #expect(outcome.errorText.contains("a message that the server has"), "\(outcome.summary)")
    #expect(wide.server.received(named: ["APPEND"]) == [])
    try sync(stage)
    expectOnce(tokens(0..<52), in: "INBOX", stage)
    #expect(stage.count(of: "no name", in: "INBOX") == 1)
    #expect(try stage.mirror.tree()["INBOX"].count == 53)
  }

  @Test func `a held stub is not sent by name, and stays held`() throws {
    let stage = try stage(inbox())
    try loseStateAndNames(stage)
    let stub =
      Array("X-Mirror-Stub: 1; size=9000; parts=2\n".utf8)
      + SampleMessage(token: "big", written: Self.start).bytes.filter { $0 != 13 }
    try stage.reader.deliver(stub, name: "17.1_big.host", to: "INBOX")
    let narrow = try show(stage) { $0.viewLimit = 10 }
    try sync(stage)
    let path = try stage.mirror.account + "/" + stage.local("big").path
    for _ in 0..<2 {
      let outcome = try stage.push(1, "--send", path)
      #expect(outcome.errorText.contains("only a part of its message"), "\(outcome.summary)")
      #expect(outcome.errorText.contains("mirror fill"), "\(outcome.summary)")
    }
    #expect(narrow.server.received(named: ["APPEND"]) == [])
    try stage.push(0)
    let told = try stage.mirror.run(["status"])
    #expect(told.outputText.contains("31 files here are older than"), "\(told.summary)")
  }
}
