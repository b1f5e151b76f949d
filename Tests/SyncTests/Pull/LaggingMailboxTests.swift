import MailTestKit
import Settings
import SyncPlan
import Testing

/// A mailbox that shows less than it did: a copy of the server that lags, or a server that was restored.
struct LaggingMailboxTests {
  @Test func `a server that lags is waited for, and one that stays so was restored`() throws {
    let stage = try Stage()
    let whole = try #require(stage.account["INBOX"])
    func goBack() {
      stage.account.change("INBOX") { box in
        box.messages.removeLast()
        box.uidNext -= 1
        box.highestModSequence -= 1
      }
    }
    (stage.lag, stage.sync.fsync) = (3600, false)
    stage.reopen()
    goBack()
    let told = stage.pull(1).problems
    #expect(told.contains { $0.problem.contains("shows less of “INBOX”") }, "\(told)")
    stage.push(nil)
    stage.pull(1)
    #expect(try stage.places("m3") == [] && stage.folders(of: "m3") == ["INBOX"])
    stage.account["INBOX"] = whole
    stage.pull()
    #expect(stage.places("m3") == ["INBOX"])
    try stage.expectSettled()
    goBack()
    stage.lag = 0
    stage.reopen()
    stage.pull(nil)
    stage.push()
    stage.pull()
    #expect(stage.places("m3") == ["INBOX"])
    try stage.expectSettled()
  }

  @Test func `what waits for a mailbox that lags waits as long as that may`() throws {
    let stage = try Stage(more: { account in
      account.change("Work") { $0.deliver(SampleMessage(token: "w0")) }
    })
    // It could not be opened for so long that nothing waited for it any more.
    try stage.setFlagsThere("w0", ["\\Seen"], in: "Work")
    stage.refusals.value = [.init(name: "EXAMINE", part: "Work", words: "NO not now")]
    for _ in 0..<5 { stage.pull(1) }
    stage.refusals.value = []
    stage.lag = 3600
    stage.reopen()
    try stage.setFlags("m1", "F")
    try stage.move("m2", to: "Other")
    for token in ["m1", "m2"] { try stage.moveThere(token, from: "INBOX", to: "Work") }
    let now = try #require(stage.account["Work"])
    stage.account.change("Work") { box in
      box.messages = []
      box.uidNext = 1
      box.highestModSequence = 1
    }
    for _ in 0..<5 {
      stage.pull(nil)
      stage.push(nil)
    }
    #expect(stage.places("m2") == [])
    stage.account["Work"] = now
    stage.pull()
    stage.push()
    #expect(try stage.remote("m1", in: "Work").flags.contains("\\Flagged"))
    #expect(stage.places("m2").count == 1, "\(stage.places("m2"))")
    try stage.expectSettled()
  }

  @Test func `a mailbox that lags holds nothing up once it is not mirrored`() throws {
    let stage = try Stage(more: { account in
      account.change("Work") { $0.deliver(SampleMessage(token: "w0")) }
    })
    stage.lag = 3600
    stage.reopen()
    // It may be there.
    stage.account.change("INBOX") { box in
      box.renumber()
      box.messages.removeAll { $0.bytes == SampleMessage(token: "m2").bytes }
    }
    stage.account.change("Work") { box in
      box.messages = []
      box.uidNext = 1
    }
    stage.pull(nil)
    stage.push(nil)
    #expect(stage.places("m2") == [])
    stage.sync.folders = FolderPatterns(["*", "!Work"])
    stage.reopen()
    for _ in 0..<5 {
      stage.pull(nil)
      stage.push(nil)
    }
    #expect(stage.places("m2") == ["INBOX"])
  }
}
