import Foundation
import MailTestKit
import SyncPlan
import Testing

/// A server that was restored from a backup made before a push: it gives the UIDs that it told the push to others.
struct RestoredAfterPushTests {
  private static let dialects = LaggingSessionTests.dialects

  private func stage(_ dialect: Int, old places: String...) throws -> Stage {
    try Stage(Self.dialects[dialect]) { account in
      for place in places {
        account.change(place) { $0.deliver(SampleMessage(token: "old")) }
      }
    }
  }

  /// Another message comes to a mailbox that is again as it was before a push.
  private func restore(_ mailbox: String, _ before: ModelMailbox?, _ stage: Stage) {
    stage.account[mailbox] = before
    stage.account.change(mailbox) { $0.deliver(SampleMessage(token: "theirs")) }
    stage.forget()
  }

  private func expectUntouched(
    _ mailbox: String, _ stage: Stage, location: SourceLocation = #_sourceLocation
  ) {
    #expect(stage.places("theirs") == [mailbox], sourceLocation: location)
    #expect(stage.flags("theirs") == [], sourceLocation: location)
  }

  @Test(arguments: dialects.indices, [false, true])
  func `a message that took a deleted one's place in Trash is not expunged`(
    dialect: Int, pullsFirst: Bool
  ) throws {
    let stage = try stage(dialect, old: "Trash")
    let before = stage.account["Trash"]
    try stage.move("m0", to: "Trash")
    stage.push()
    restore("Trash", before, stage)
    try stage.reader.remove(stage.local("m0", in: "Trash"))
    if pullsFirst { stage.pull(nil) }
    let outcome = stage.push(1)
    #expect(outcome.told.contains("another on the server"), "\(outcome.told)")
    expectUntouched("Trash", stage)
    stage.pull(nil)
    _ = try stage.local("theirs", in: "Trash")
    #expect(stage.places("m0") == [])
    try stage.expectSettled()
  }

  @Test(arguments: dialects.indices)
  func `flags are not put on a message that took a moved one's place`(dialect: Int) throws {
    let stage = try stage(dialect, old: "Work")
    let before = stage.account["Work"]
    try stage.move("m0", to: "Work")
    stage.push()
    restore("Work", before, stage)
    try stage.setFlags("m0", "F")
    let outcome = stage.push(1)
    #expect(outcome.told.contains("restored"), "\(outcome.told)")
    expectUntouched("Work", stage)
    stage.push()
    #expect(stage.places("m0") == ["Work"] && stage.flags("m0") == ["\\Flagged"])
    expectUntouched("Work", stage)
    stage.pull(nil)
    _ = try stage.local("theirs", in: "Work")
    try stage.expectSettled()
  }

  @Test(arguments: dialects.indices)
  func `a message that took a moved one's place does not move on in its stead`(dialect: Int) throws
  {
    let stage = try stage(dialect, old: "Work")
    let before = stage.account["Work"]
    try stage.move("m0", to: "Work")
    stage.push()
    restore("Work", before, stage)
    try stage.move("m0", to: "INBOX")
    let outcome = stage.push(1)
    #expect(outcome.told.contains("restored"), "\(outcome.told)")
    expectUntouched("Work", stage)
    stage.push()
    #expect(stage.places("m0") == ["INBOX"])
    stage.pull(nil)
    _ = try stage.local("theirs", in: "Work")
    try stage.expectSettled()
  }

  @Test(arguments: dialects.indices)
  func `a message that took a moved one's place is not copied in its stead`(dialect: Int) throws {
    let stage = try stage(dialect, old: "Work")
    let before = stage.account["Work"]
    try stage.move("m0", to: "Work")
    stage.push()
    restore("Work", before, stage)
    try stage.reader.deliver(stage.local("m0").raw, name: "18.1_copy.host", to: "INBOX")
    stage.push()
    expectUntouched("Work", stage)
    #expect(stage.places("m0") == ["INBOX"])
    stage.pull(nil)
    stage.push()
    #expect(stage.places("m0").sorted() == ["INBOX", "Work"])
    _ = try stage.local("theirs", in: "Work")
    try stage.expectSettled()
  }

  @Test(arguments: dialects.indices)
  func `a message that took an edited draft's place stays`(dialect: Int) throws {
    let stage = try stage(dialect, old: "Drafts")
    let before = stage.account["Drafts"]
    try stage.deliver("mine", to: "Drafts")
    stage.push()
    restore("Drafts", before, stage)
    let draft = try stage.local("mine")
    try stage.reader.rewrite(draft, draft.raw + Array("one more line\n".utf8))
    stage.push(1)
    expectUntouched("Drafts", stage)
    #expect(stage.count(of: "one more line", in: "Drafts") == 1)
    stage.pull(nil)
    _ = try stage.local("theirs", in: "Drafts")
    try stage.expectSettled()
  }

  @Test(arguments: dialects.indices)
  func `a message that took an upload's place in a mailbox that was empty is downloaded`(
    dialect: Int
  ) throws {
    let stage = try stage(dialect)
    let before = stage.account["Work"]
    #expect(before?.messages.isEmpty == true)
    try stage.deliver("mine", to: "Work", flags: "S")
    stage.push()
    restore("Work", before, stage)
    let outcome = stage.pull(nil)
    #expect(outcome.exitStatus == 0 && outcome.told.contains("restored"), "\(outcome.told)")
    for token in ["mine", "theirs"] { _ = try stage.local(token, in: "Work") }
    #expect(try stage.local("mine").flags == "S")
    stage.push()
    for token in ["mine", "theirs"] { #expect(stage.places(token) == ["Work"], "\(token)") }
    expectUntouched("Work", stage)
    try stage.expectSettled()
  }

  @Test(arguments: dialects.indices)
  func `what a push moved away and the server has again is downloaded`(dialect: Int) throws {
    let stage = try stage(dialect, old: "Work")
    let before = (stage.account["INBOX"], stage.account["Work"])
    try stage.move("m0", to: "Work")
    stage.push()
    (stage.account["INBOX"], stage.account["Work"]) = before
    stage.pull(nil)
    _ = try stage.local("m0", in: "INBOX")
    _ = try stage.local("m0", in: "Work")
    #expect(stage.places("m0") == ["INBOX"])
  }

  @Test(.enabled(if: findProgram("sqlite3") != nil), arguments: dialects.indices)
  func `what a push brought and no session shows for long is told of, and sent again`(dialect: Int)
    throws
  {
    let stage = try stage(dialect, old: "Work")
    let before = stage.account["Work"]
    try stage.deliver("mine", to: "Work")
    stage.push()
    stage.account["Work"] = before
    // It may be that only this session lags.
    let early = stage.pull(nil)
    #expect(early.exitStatus == 0 && !early.told.contains("backwards"), "\(early.told)")
    stage.push()
    #expect(stage.places("mine") == [])
    try age(stage, seconds: 3600)
    let told = stage.pull(nil)
    #expect(
      told.exitStatus == 0 && told.told.contains("does not show 1 message"), "\(told.told)")
    stage.push()
    #expect(stage.places("mine") == [])
    try age(stage, seconds: 86_400)
    let late = stage.pull(nil)
    #expect(late.exitStatus == 0 && late.told.contains("backwards"), "\(late.told)")
    _ = try stage.local("mine", in: "Work")
    stage.push()
    #expect(stage.places("mine") == ["Work"] && stage.places("old") == ["Work"])
    try stage.expectSettled()
  }

  private func age(_ stage: Stage, seconds: Int) throws {
    try runSuccessfully([
      "sqlite3", stage.path + "/.mirror/state.db",
      "UPDATE mailbox SET pushedSince = pushedSince - \(seconds)",
    ])
  }

  /// What a push brought is known with the message, and not only once the push has come to its end.
  @Test(.enabled(if: findProgram("sqlite3") != nil), arguments: dialects.indices)
  func `what a killed push brought is not sent twice where the server lags`(dialect: Int) throws {
    let stage = try stage(dialect, old: "Work")
    let before = stage.account["Work"]
    try stage.deliver("mine", to: "Work")
    stage.push()
    try runSuccessfully([
      "sqlite3", stage.path + "/.mirror/state.db", "DELETE FROM run WHERE kind = 'push'",
    ])
    let after = stage.account["Work"]
    stage.account["Work"] = before
    let early = stage.pull(nil)
    #expect(early.exitStatus == 0 && !early.told.contains("backwards"), "\(early.told)")
    stage.account["Work"] = after
    stage.pull(nil)
    stage.push()
    #expect(stage.places("mine") == ["Work"])
    try stage.expectSettled()
  }

  /// It is the same message all the same: nothing of this waits for a pull.
  @Test(arguments: dialects.indices)
  func `what a server rewrote is no stranger`(dialect: Int) throws {
    var dialect = Self.dialects[dialect]
    dialect.storing = { Array("X-Seen-By: server\r\n".utf8) + $0 }
    let stage = try Stage(dialect)
    try stage.deliver("fresh", to: "Work")
    try stage.deliver("draft", to: "Drafts")
    stage.push()
    try stage.setFlags("fresh", "F")
    let draft = try stage.local("draft")
    try stage.reader.rewrite(draft, draft.raw + Array("one more line\n".utf8))
    stage.push()
    #expect(stage.flags("fresh").contains("\\Flagged"))
    #expect(stage.places("draft") == ["Drafts"])
    #expect(stage.count(of: "one more line", in: "Drafts") == 1)
    try stage.move("fresh", to: "INBOX")
    stage.push()
    #expect(stage.places("fresh") == ["INBOX"])
    try stage.expectSettled(agrees: false)
  }
}
