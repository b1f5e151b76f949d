import MailTestKit
import SyncPlan
import Testing

/// What was sent again, and then came to light twice.
struct SecondArrivalTests {
  private static let copying = ServerDialect(capabilities: ["UIDPLUS"])

  /// A push died over this command; the server carries it out long after the next push has done it again.
  private func twice(
    _ dialect: ServerDialect = .modern, at command: String = "APPEND", _ token: String = "late",
    change: (Stage) throws -> Void = { try $0.deliver("late", to: "Work") }
  ) throws -> Stage {
    let stage = try Stage(dialect)
    try change(stage)
    let (account, fuse) = (stage.account, stage.fuse)
    let held = Locked<ModelMessage?>(nil)
    stage.alter.value = { received, replies in
      guard received.name == command else { return replies }
      account.change("Work") { held.value = $0.messages.removeLast() }
      fuse.burn()
      return replies
    }
    stage.push(nil)
    stage.alter.value = nil
    let message = try #require(held.value)
    stage.push()
    #expect(stage.places(token) == ["Work"], "sent again")
    account.change("Work") { box in
      box.deliver(
        SampleMessage(bytes: message.bytes, date: message.date, flags: Array(message.flags)))
    }
    return stage
  }

  @Test func `of what was appended late, one goes to the trash, and is told`() throws {
    let stage = try twice()
    let summary = stage.pull()
    #expect(summary.problems.contains { $0.problem.contains("came twice") }, "\(summary.problems)")
    #expect(summary.leavesPush)
    #expect(try stage.folders(of: "late") == ["Work"])
    let own = try stage.local("late")
    #expect(own.path.contains("17.1_late.host"), "the file that was there first stays")
    stage.push()
    #expect(stage.places("late") == ["Trash", "Work"])
    try stage.expectSettled()
  }

  @Test func `of what was copied late, one goes to the trash`() throws {
    let stage = try twice(Self.copying, at: "UID COPY", "m0") { try $0.move("m0", to: "Work") }
    stage.pull()
    stage.push()
    #expect(stage.places("m0") == ["Trash", "Work"])
    try stage.expectSettled()
  }

  @Test func `it goes wherever the run that takes it away dies`() throws {
    try Stage.crashes(
      of: .pull, on: { try twice() }, { _ in },
      expect: { stage, when in
        #expect(stage.places("late") == ["Trash", "Work"], "\(when)")
      })
  }

  @Test func `what another client marked stays`() throws {
    let stage = try twice()
    stage.account.change("Work") {
      $0.setFlags($0.messages[$0.messages.count - 1].uid, ["\\Flagged"])
    }
    stage.pull()
    stage.push()
    #expect(stage.places("late") == ["Work", "Work"])
    try stage.expectSettled()
  }

  @Test func `a message that a person saved twice is there twice`() throws {
    let stage = try twice()
    try stage.copy("late", to: "Work")
    stage.pull()
    stage.push()
    #expect(stage.places("late") == ["Work", "Work"])
    #expect(try stage.folders(of: "late") == ["Work", "Work"])
    try stage.expectSettled()
  }

  @Test func `what came twice before anything was sent again stays`() throws {
    let stage = try Stage()
    let message = try stage.remote("m0")
    stage.account.change("INBOX") {
      $0.deliver(SampleMessage(bytes: message.bytes, date: message.date))
    }
    stage.pull()
    #expect(try stage.folders(of: "m0") == ["INBOX", "INBOX"])
    stage.push()
    #expect(stage.places("m0") == ["INBOX", "INBOX"])
  }

  /// A replica that lagged for so long that it passed for a server that was restored.
  @Test func `what a replica shows again after it was sent again goes to the trash`() throws {
    let stage = try Stage()
    let before = try #require(stage.account["INBOX"])
    for token in ["one", "two"] {
      stage.account.change("INBOX") { $0.deliver(SampleMessage(token: token)) }
    }
    stage.pull()
    let later = try #require(stage.account["INBOX"])
    stage.account["INBOX"] = before
    stage.account.change("INBOX") { $0.setFlags(1, ["\\Flagged"]) }
    stage.pull(nil)
    stage.push(nil)
    #expect(stage.places("one") == ["INBOX"] && stage.places("two") == ["INBOX"])
    let shown = later.messages.suffix(2)
    stage.account.change("INBOX") { box in
      for message in shown {
        box.deliver(SampleMessage(bytes: message.bytes, date: message.date))
      }
    }
    stage.pull()
    stage.push()
    for token in ["one", "two"] { #expect(stage.places(token) == ["INBOX", "Trash"]) }
    try stage.expectSettled()
  }
}
