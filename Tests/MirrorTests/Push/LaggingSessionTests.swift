import MailTestKit
import Testing

/// A session that lags behind another (Gmail, Fastmail, replicas) shows a mailbox as it was before a push.
@Suite(.onBlockingThreads)
struct LaggingSessionTests {
  static let dialects = [Dialect(capabilities: ["UIDPLUS"]), .condstore, .modern]

  @Test(arguments: dialects.indices)
  func `what a push brought stays while a session does not show it yet`(dialect: Int) throws {
    let stage = try stage(dialect)
    let before = try #require(stage.account["Work"])
    try stage.deliver("new", to: "Work")
    try stage.push()
    let after = try #require(stage.account["Work"])
    #expect(after.uidNext == before.uidNext + 1)

    stage.account["Work"] = before
    // Something else happened there, so that the mailbox is looked at.
    stage.account.change("Work") { $0.setFlags(1, ["\\Flagged"]) }
    try stage.mirror.pull()
    _ = try stage.local("new", in: "Work")

    stage.account["Work"] = after
    stage.server.forget()
    try stage.mirror.pull()
    #expect(stage.server.server.bodyFetches == [])
    #expect(stage.places("new") == ["Work"])
    try stage.expectSettled()
  }

  @Test(arguments: dialects.indices)
  func `what was expunged after a push goes once a session is beyond it`(dialect: Int) throws {
    let stage = try stage(dialect)
    try stage.deliver("new", to: "Work")
    try stage.push()
    let uid = try #require(stage.remote("new", in: "Work")).uid
    stage.account.change("Work") { $0.expunge(uid) }
    try stage.mirror.pull()
    #expect(try stage.mirror.tree().message(with: "<new@") == nil)
    try stage.expectSettled()
  }

  @Test(arguments: dialects.indices)
  func `a session that catches up is waited for`(dialect: Int) throws {
    let stage = try stage(dialect)
    let before = try #require(stage.account["Work"])
    try stage.deliver("new", to: "Work")
    try stage.push()
    try stage.mirror.pull()
    let after = try #require(stage.account["Work"])
    stage.account["Work"] = before
    let account = stage.account
    let openings = Locked(0)
    stage.server.alter { command, replies in
      if command.name == "EXAMINE", command.text.contains("Work") {
        openings.change { $0 += 1 }
        if openings.value == 2 { account["Work"] = after }
      }
      return replies
    }
    let outcome = try stage.mirror.pull()
    stage.server.alter(nil)
    #expect(openings.value >= 2, "the session was behind")
    #expect(!outcome.errorText.contains("backwards"), "\(outcome.summary)")
    #expect(stage.places("new") == ["Work"])
    try stage.expectSettled()
  }

  private func stage(_ dialect: Int) throws -> PushStage {
    try PushStage(Self.dialects[dialect]) { account in
      account.change("Work") { $0.deliver(SampleMessage(token: "old")) }
    }
  }
}

/// What the server itself has lost since a push.
@Suite(.onBlockingThreads)
struct RestoredServerTests {
  @Test(arguments: LaggingSessionTests.dialects.indices)
  func `another message under a pushed message's UID is another message`(dialect: Int) throws {
    let stage = try PushStage(LaggingSessionTests.dialects[dialect]) { account in
      account.change("Work") { $0.deliver(SampleMessage(token: "old")) }
    }
    let before = try #require(stage.account["Work"])
    try stage.deliver("mine", to: "Work")
    try stage.push()
    stage.account["Work"] = before
    stage.account.change("Work") { $0.deliver(SampleMessage(token: "theirs")) }
    let outcome = try stage.mirror.pull()
    #expect(outcome.status == 0 && outcome.errorText.contains("restored"), "\(outcome.summary)")
    for token in ["old", "mine", "theirs"] { _ = try stage.local(token, in: "Work") }
    try stage.push()
    for token in ["old", "mine", "theirs"] { #expect(stage.places(token) == ["Work"], "\(token)") }
    try stage.expectSettled()
  }
}
