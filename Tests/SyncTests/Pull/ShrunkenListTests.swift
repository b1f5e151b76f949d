import MailTestKit
import Testing

/// LIST that leaves out mailboxes which are there, or all of them (Zimbra with one share that is broken).
struct ShrunkenListTests {
  /// - Parameter names: none are listed where there are none.
  private static func hiding(_ names: String...) -> ModelServer.Hook {
    { command, replies in
      guard command.name == "LIST" else { return replies }
      return replies.filter { reply in
        !reply.text.hasPrefix("* ")
          || !names.isEmpty && !names.contains { reply.text.contains($0) }
      }
    }
  }

  private func stage(_ speaking: Speaking) throws -> Stage {
    try Stage(
      speaking.dialect,
      more: { $0.deliver(SampleMessage(token: "w0"), labelled: ["Work"]) })
  }

  @Test(arguments: Speaking.allCases)
  func `a mailbox that the list leaves out is mirrored all the same`(speaking: Speaking) throws {
    let stage = try stage(speaking)
    stage.alter.value = Self.hiding("Work")
    stage.account.deliver(SampleMessage(token: "w1"), labelled: ["Work"])
    try stage.deliver("fresh", to: "Work")
    let outcome = stage.pull()
    #expect(outcome.told.contains("left this mailbox out of its list"), "\(outcome.told)")
    #expect(try stage.folders(of: "w1") == ["Work"])
    stage.push()
    #expect(stage.changes(named: "CREATE") == [])
    #expect(stage.places("w0") == ["Work"] && stage.places("fresh") == ["Work"])
    stage.alter.value = nil
    stage.forget()
    try stage.expectSettled()
    #expect(stage.bodyFetches == [])
  }

  @Test func `where the list is empty, all that is known is asked for`() throws {
    let stage = try stage(.modern)
    stage.alter.value = Self.hiding()
    stage.account.deliver(SampleMessage(token: "m9"), labelled: ["INBOX"])
    stage.pull()
    #expect(try stage.folders(of: "m9") == ["INBOX"])
    stage.alter.value = nil
    try stage.expectSettled()
  }

  @Test func `one that is gone is gone`() throws {
    let stage = try stage(.modern)
    stage.account.change { boxes in boxes.removeAll { $0.name == "Work" } }
    let outcome = stage.pull()
    #expect(outcome.told.contains("no longer has this mailbox"), "\(outcome.told)")
  }
}
