import MailTestKit
import SyncPlan
import Testing

/// `Mailbox/Renames` and `FolderRelocations`: folders follow mailboxes that the server renamed.
struct RenamedMailboxTests {
  private func stage(_ speaking: Speaking = .modern) throws -> Stage {
    try Stage(
      speaking.dialect,
      more: { account in
        account.add("Work/Sub", uidValidity: 1_500_000_001)
        account.change("Work") { box in
          box.uidValidity = 1_500_000_002
          box.deliver(SampleMessage(token: "w0"))
        }
        account.change("Work/Sub") { $0.deliver(SampleMessage(token: "s0")) }
      })
  }

  private func rename(_ stage: Stage) throws {
    stage.account.change { boxes in
      for index in boxes.indices where boxes[index].name.hasPrefix("Work") {
        boxes[index].name = "Job" + boxes[index].name.dropFirst(4)
      }
    }
  }

  private func expectFollowed(_ stage: Stage, _ when: String) throws {
    #expect(try stage.folders(of: "w0") == ["Job"] && stage.places("w0") == ["Job"], "\(when)")
    #expect(try stage.folders(of: "s0") == ["Job/Sub"], "\(when)")
    #expect(stage.account["Work"] == nil, "\(when)")
  }

  @Test(arguments: Speaking.allCases) func `the folder follows, without a download`(
    speaking: Speaking
  ) throws {
    let stage = try stage(speaking)
    try rename(stage)
    let summary = stage.pull()
    #expect(summary.mailboxes.contains { $0.renamedFrom == "Work" }, "\(summary.mailboxes)")
    #expect(stage.bodyFetches == [])
    try expectFollowed(stage, "renamed")
    try stage.expectSettled()
  }

  /// As Courier does.
  @Test(arguments: [Speaking.copying, .bare])
  func `a mailbox that is numbered anew as it is renamed keeps its folder`(speaking: Speaking)
    throws
  {
    let stage = try stage(speaking)
    stage.account.change { boxes in
      for index in boxes.indices where boxes[index].name == "Work/Sub" {
        boxes[index].name = "Elsewhere"
        boxes[index].uidValidity = 1_600_000_000
      }
    }
    let summary = stage.pull()
    #expect(summary.mailboxes.contains { $0.renamedFrom == "Work/Sub" }, "\(summary.mailboxes)")
    #expect(stage.bodyFetches == [])
    #expect(try stage.folders(of: "s0") == ["Elsewhere"])
    try stage.expectSettled()
  }

  @Test func `a new mailbox with as many messages is no new name of one that was deleted`() throws {
    let stage = try stage(.bare)
    stage.account.change { boxes in
      for index in boxes.indices where boxes[index].name == "Work/Sub" {
        boxes[index].name = "Elsewhere"
        boxes[index].uidValidity = 1_600_000_000
        boxes[index].messages[0].bytes = SampleMessage(token: "other").bytes
      }
    }
    let summary = stage.pull()
    #expect(!summary.mailboxes.contains { $0.renamedFrom != nil }, "\(summary.mailboxes)")
    #expect(try stage.folders(of: "s0") == ["Work/Sub"])
    #expect(try stage.folders(of: "other") == ["Elsewhere"])
  }

  @Test(arguments: Speaking.swept) func `a crash at any commit leaves each message once`(
    speaking: Speaking
  ) throws {
    try Stage.crashes(of: .pull, on: { try stage(speaking) }, rename, expect: expectFollowed)
  }
}
