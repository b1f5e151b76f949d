import Foundation
import MailTestKit
import Settings
import SyncPlan
import Testing

/// `mirror revert` where a window leaves out what is to come back: it was here all the same.
struct RevertWindowTests {
  private func days(_ count: Int64) -> Int64 {
    Int64(Date().timeIntervalSince1970) - count * 86_400
  }

  /// Old mail that is here because a person asked for it, or flagged it.
  private func stage() throws -> Stage {
    let old = days(200)
    let stage = try Stage(more: { account in
      account.change("Work") {
        $0.deliver(SampleMessage(token: "asked", date: old))
        $0.deliver(SampleMessage(token: "flagged", date: old, flags: ["\\Flagged"]))
      }
      account.change("Drafts") {
        $0.deliver(SampleMessage(token: "draft", date: old, flags: ["\\Draft"]))
      }
    })
    stage.pull(0, PullOptions(beyond: BeyondWindow(since: days(300))))
    stage.sync.window = .days(30)
    stage.reopen()
    stage.pull(0, PullOptions(beyond: BeyondWindow(since: days(300))))
    for token in ["asked", "flagged", "draft"] { #expect(try stage.folders(of: token).count == 1) }
    return stage
  }

  @Test func `what was deleted comes back, and stays`() throws {
    let stage = try stage()
    try stage.remove("asked")
    try stage.remove("flagged")
    #expect(stage.revert().restored == 2)
    for _ in 0..<2 {
      stage.reopen()
      stage.pull()
      #expect(try stage.folders(of: "asked") == ["Work"])
      #expect(try stage.folders(of: "flagged") == ["Work"])
    }
    stage.push()
    #expect(stage.places("asked") == ["Work"] && stage.places("flagged") == ["Work"])
    #expect(stage.changes == [])
  }

  @Test func `it comes back though the window was opened meanwhile`() throws {
    let stage = try stage()
    try stage.remove("asked")
    stage.revert()
    stage.sync.window = .all
    stage.reopen()
    stage.pull()
    #expect(try stage.folders(of: "asked") == ["Work"])
    try stage.expectSettled()
  }

  @Test func `an edited draft that is had back is sent in the place of the old one`() throws {
    let stage = try stage()
    try stage.edit("draft")
    stage.revert()
    #expect(try stage.undo().steps.isEmpty, "it waits for the pull")
    stage.pull()
    #expect(try stage.folders(of: "draft") == ["Drafts"])
    #expect(try stage.undo().steps.count == 1)
    stage.pull(0, PullOptions(beyond: BeyondWindow(since: days(300))))
    stage.push()
    #expect(stage.places("draft") == ["Drafts"])
    #expect(stage.count(of: "one more line", in: "Drafts") == 1)
  }
}
