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

  private func stage(_ dialect: Int) throws -> PushStage {
    try PushStage(Self.dialects[dialect]) { account in
      account.change("Work") { $0.deliver(SampleMessage(token: "old")) }
    }
  }
}
