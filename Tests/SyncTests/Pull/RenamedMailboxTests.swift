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

  @Test(arguments: Speaking.swept) func `a crash at any commit leaves each message once`(
    speaking: Speaking
  ) throws {
    try Stage.crashes(of: .pull, on: { try stage(speaking) }, rename, expect: expectFollowed)
  }
}
