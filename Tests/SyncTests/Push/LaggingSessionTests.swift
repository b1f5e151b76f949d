import MailTestKit
import SyncPlan
import Testing

/// A session that lags behind another (Gmail, Fastmail, replicas) shows a mailbox as it was before a push.
struct LaggingSessionTests {
  static let dialects = [ServerDialect(capabilities: ["UIDPLUS"]), .condstore, .modern]

  @Test(arguments: dialects.indices)
  func `what a push brought stays while a session does not show it yet`(dialect: Int) throws {
    let stage = try stage(dialect)
    let before = try #require(stage.account["Work"])
    try stage.deliver("new", to: "Work")
    stage.push()
    let after = try #require(stage.account["Work"])
    #expect(after.uidNext == before.uidNext + 1)

    stage.account["Work"] = before
    // Something else happened there, so that the mailbox is looked at.
    stage.account.change("Work") { $0.setFlags(1, ["\\Flagged"]) }
    stage.pull(nil)
    _ = try stage.local("new", in: "Work")

    stage.account["Work"] = after
    stage.forget()
    stage.pull(nil)
    #expect(stage.bodyFetches == [])
    #expect(stage.places("new") == ["Work"])
    // The mark that went with the restore is still here.
    try stage.expectSettled(agrees: false)
  }

  @Test(arguments: dialects.indices)
  func `what was expunged after a push goes once a session is beyond it`(dialect: Int) throws {
    let stage = try stage(dialect)
    try stage.deliver("new", to: "Work")
    stage.push()
    let uid = try stage.remote("new", in: "Work").uid
    stage.account.change("Work") { $0.expunge(uid) }
    stage.pull(nil)
    #expect(try stage.tree().message(with: "<new@") == nil)
    try stage.expectSettled()
  }

  @Test(arguments: dialects.indices)
  func `a session that catches up is waited for`(dialect: Int) throws {
    let stage = try stage(dialect)
    let before = try #require(stage.account["Work"])
    try stage.deliver("new", to: "Work")
    stage.push()
    stage.pull(nil)
    let after = try #require(stage.account["Work"])
    stage.account["Work"] = before
    let account = stage.account
    let openings = Locked(0)
    stage.alter.value = { command, replies in
      if command.name == "EXAMINE", command.text.contains("Work") {
        openings.change { $0 += 1 }
        if openings.value == 2 { account["Work"] = after }
      }
      return replies
    }
    let outcome = stage.pull(nil)
    stage.alter.value = nil
    #expect(openings.value >= 2, "the session was behind")
    #expect(!outcome.told.contains("backwards"), "\(outcome.told)")
    #expect(stage.places("new") == ["Work"])
    try stage.expectSettled()
  }

  private func stage(_ dialect: Int) throws -> Stage {
    try Stage(Self.dialects[dialect]) { account in
      account.change("Work") { $0.deliver(SampleMessage(token: "old")) }
    }
  }
}

/// What the server itself has lost since a push.
struct RestoredServerTests {
  @Test(arguments: LaggingSessionTests.dialects.indices)
  func `another message under a pushed message's UID is another message`(dialect: Int) throws {
    let stage = try Stage(LaggingSessionTests.dialects[dialect]) { account in
      account.change("Work") { $0.deliver(SampleMessage(token: "old")) }
    }
    let before = try #require(stage.account["Work"])
    try stage.deliver("mine", to: "Work")
    stage.push()
    stage.account["Work"] = before
    stage.account.change("Work") { $0.deliver(SampleMessage(token: "theirs")) }
    let outcome = stage.pull(nil)
    #expect(outcome.exitStatus == 0 && outcome.told.contains("restored"), "\(outcome.told)")
    for token in ["old", "mine", "theirs"] { _ = try stage.local(token, in: "Work") }
    stage.push()
    for token in ["old", "mine", "theirs"] { #expect(stage.places(token) == ["Work"], "\(token)") }
    try stage.expectSettled()
  }
}
