import Foundation
import MailTestKit
import Testing

/// Another client renames mailboxes: the folders here follow, each to its own.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct RenamedMailboxTests {
  /// Mailboxes with a message each, called after them.
  private func scenario(_ mailboxes: [String], _ options: DovecotServer.Options = .init()) throws
    -> Scenario
  {
    let scenario = try Scenario(options)
    for name in mailboxes {
      try scenario.client.create(name)
      try scenario.append([token(name)], to: name)
    }
    try scenario.pull()
    return scenario
  }

  private func token(_ mailbox: String) -> String {
    mailbox.filter { $0 != "/" && $0 != "." } + "0"
  }

  /// Every message lies where the server has it, no name stands for another mailbox, and all is at rest.
  private func expect(
    _ places: [String: String], _ scenario: Scenario, location: SourceLocation = #_sourceLocation
  ) throws {
    let tree = try scenario.mirror.tree()
    for (mailbox, place) in places {
      #expect(
        tree.message(with: token(mailbox) + "@")?.folder == place, "\(mailbox)",
        sourceLocation: location)
    }
    #expect(scenario.bodyFetches == [], sourceLocation: location)
    try scenario.expectMirrored()
    try scenario.expectSettled()
  }

  @Test func `a folder that has followed does not go along with the next`() throws {
    let scenario = try scenario(["b", "c"])
    try scenario.client.rename("c", to: "a")
    try scenario.client.rename("b", to: "c/x")
    try scenario.pull()
    try expect(["b": "c/x", "c": "a"], scenario)
  }

  @Test func `two that took each other's places, one below a new name`() throws {
    let scenario = try scenario(["x", "b", "b/k"])
    try scenario.client.rename("x", to: "tt")
    try scenario.client.rename("b", to: "x")
    try scenario.client.rename("tt", to: "b/y")
    try scenario.pull()
    try expect(["x": "b/y", "b": "x", "b/k": "x/k"], scenario)
  }

  @Test(arguments: [true, false]) func `a mailbox may end below its own old name`(isRemade: Bool)
    throws
  {
    let scenario = try scenario(["job", "job/k", "other"])
    try scenario.client.rename("job", to: "tt")
    if isRemade { try scenario.client.create("job") }
    try scenario.client.rename("tt", to: "job/x")
    try scenario.append(["fresh"])
    let outcome = try scenario.mirror.pull()
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try scenario.mirror.tree().message(with: "fresh@") != nil)
    scenario.proxy.forget()
    try expect(["job": "job/x", "job/k": "job/x/k", "other": "other"], scenario)
  }

  @Test func `a name is free when its mailbox and its empty folder are gone`() throws {
    let scenario = try Scenario()
    for name in ["a", "b"] { try scenario.client.create(name) }
    try scenario.append(["a0"], to: "a")
    try scenario.pull()
    try scenario.client.delete("b")
    try scenario.client.rename("a", to: "b")
    let outcome = try scenario.mirror.pull()
    #expect(outcome.status == 0 && outcome.errors == [], "\(outcome.summary)")
    scenario.proxy.forget()
    try expect(["a": "b"], scenario)
    #expect(!FileManager.default.fileExists(atPath: scenario.mirror.account + "/a"))
    let verified = try scenario.mirror.run(["verify"])
    #expect(verified.outputText.contains("all as on the server"), "\(verified.summary)")
    #expect(!verified.outputText.contains("deleted"), "\(verified.summary)")
  }

  /// A run that was cut off leaves names like these, and a push makes mailboxes of them.
  @Test func `those that make room take names that are nobody's`() throws {
    let aside = (1...14).flatMap { id in
      ["a", "b"].map { "\($0) (renamed \(id))" } + ["a (deleted \(id))"]
    }
    let scenario = try scenario(["a", "b"])
    for name in aside { try scenario.client.create(name) }
    try scenario.pull()
    try scenario.client.rename("a", to: "tt")
    try scenario.client.rename("b", to: "a")
    try scenario.client.rename("tt", to: "b")
    let outcome = try scenario.mirror.pull()
    #expect(outcome.status == 0 && outcome.errors == [], "\(outcome.summary)")
    scenario.proxy.forget()
    try expect(["a": "b", "b": "a"], scenario)
  }

  /// Dovecot over Maildir lists it as if it were there.
  @Test func `a deleted mailbox with others below it is gone`() throws {
    let scenario = try scenario(["b", "b/c", "x"], .init(store: .maildir))
    try scenario.client.delete("b")
    #expect(try scenario.client.mailboxes().contains("b"), "Dovecot's list shows it")
    let outcome = try scenario.mirror.pull()
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(outcome.errorText.contains("no longer has this mailbox"), "\(outcome.summary)")
    // What is put there then is sent nowhere, and that is told each time.
    try Reader(scenario.mirror).deliver(
      SampleMessage(token: "fresh").bytes.filter { $0 != 13 }, name: "17.1_2.host", to: "b")
    for _ in 0..<2 {
      let pushed = try scenario.push()
      #expect(pushed.errorText.contains("holds 1 new message: not sent"), "\(pushed.summary)")
    }
    #expect(scenario.appends == [])
    // Its name is another's now.
    try scenario.client.rename("x", to: "b")
    let renamed = try scenario.mirror.pull()
    #expect(renamed.status == 0, "\(renamed.summary)")
    #expect(try scenario.mirror.tree().message(with: "x0@")?.folder == "b")
    #expect(scenario.bodyFetches == [])
    try scenario.expectQuiet()
  }

  @Test func `what is to be sent to a mailbox that is gone is no folder to be removed`() throws {
    let stage = try PushStage(.modern, count: 1) { $0.add("a") }
    try stage.deliver("fresh", to: "a")
    try stage.killPush(at: "APPEND")
    stage.account["a"] = nil
    let pulled = try stage.mirror.pull()
    #expect(pulled.errorText.contains("was sending when it was cut off"), "\(pulled.summary)")
    #expect(!pulled.errorText.contains("Remove the folder"), "\(pulled.summary)")
    try stage.push()
    #expect(stage.places("fresh") == ["a"])
    try stage.expectSettled()
  }

  // MARK: Renamed meanwhile

  /// Right behind the list, another client is at work.
  private func pull(_ stage: PushStage, while change: @escaping @Sendable (MailAccount) -> Void)
    throws -> Outcome
  {
    let isDone = Locked(false)
    let account = stage.account
    stage.server.alter { command, replies in
      if command.name == "LIST", !isDone.value {
        isDone.value = true
        change(account)
      }
      return replies
    }
    defer { stage.server.alter(nil) }
    return try stage.mirror.pull()
  }

  /// Without MAILBOXID the content tells.
  private func stage(_ dialect: Dialect = .condstore) throws -> PushStage {
    try PushStage(dialect, count: 1) { account in
      for (number, name) in ["a", "b"].enumerated() {
        account.add(name, uidValidity: 1_600_000_000 + UInt32(number))
        account.change(name) { box in
          for token in 0..<2 { box.deliver(SampleMessage(token: "\(name)\(token)")) }
        }
      }
    }
  }

  private static func exchange(_ account: MailAccount) { rename(["a": "b", "b": "a"], account) }

  private static func rename(_ names: [String: String], _ account: MailAccount) {
    account.change { boxes in
      for index in boxes.indices {
        boxes[index].name = names[boxes[index].name] ?? boxes[index].name
      }
    }
  }

  @Test func `a name that came to another mailbox behind the list is left for the next run`() throws
  {
    let stage = try stage()
    stage.account.change("a") { $0.deliver(SampleMessage(token: "fresh")) }
    let outcome = try pull(stage) { Self.exchange($0) }
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.errorText.contains("came to another mailbox"), "\(outcome.summary)")
    try stage.expectOnce(["a0": "b", "a1": "b", "fresh": "b", "b0": "a", "b1": "a"])
  }

  @Test func `nor is what a new one had when it was listed`() throws {
    let stage = try stage()
    stage.account.add("x", uidValidity: 1_600_000_009)
    let outcome = try pull(stage) { Self.rename(["b": "x", "x": "b"], $0) }
    #expect(outcome.status == 1, "\(outcome.summary)")
    try stage.expectOnce(["a0": "a", "a1": "a", "b0": "x", "b1": "x"])
    #expect(stage.changes == [])
  }

  @Test func `nor is a mailbox gone that was renamed between the list and its STATUS`() throws {
    var dialect = Dialect.condstore
    dialect.capabilities.remove("LIST-STATUS")
    let stage = try stage(dialect)
    try stage.reader.setFlags(stage.local("a0"), "F")
    let outcome = try pull(stage) { Self.rename(["a": "c"], $0) }
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try stage.mirror.tree()["a"] == [])
    try stage.expectOnce(["a0": "c", "a1": "c", "b0": "b", "b1": "b"])
    #expect(stage.flags("a0") == ["\\Flagged"])
  }

  @Test func `a list that is out of date is asked for again`() throws {
    let stage = try stage()
    Self.exchange(stage.account)
    let outcome = try pull(stage) { Self.rename(["a": "b/x"], $0) }
    #expect(outcome.status == 0, "\(outcome.summary)")
    try stage.expectOnce(["a0": "b", "a1": "b", "b0": "b/x", "b1": "b/x"])
  }

  @Test func `so it is where a new name has come to another mailbox`() throws {
    let stage = try stage()
    Self.rename(["b": "x"], stage.account)
    let outcome = try pull(stage) { Self.rename(["a": "x", "x": "c"], $0) }
    #expect(outcome.status == 0, "\(outcome.summary)")
    try stage.expectOnce(["a0": "x", "a1": "x", "b0": "c", "b1": "c"])
    #expect(stage.changes == [])
  }
}
