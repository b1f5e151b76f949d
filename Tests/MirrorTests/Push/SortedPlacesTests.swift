import Foundation
import MailTestKit
import Testing

/// Where commands by query put messages, and what they say when the index does not follow.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct SortedPlacesTests {
  private func query(_ token: String) -> String { "id:\(token)@example.org" }

  private func stage(_ folders: String...) throws -> PushStage {
    let stage = try PushStage(.modern) { account in
      account.change { $0.removeAll { $0.name == "Trash" } }
      for folder in folders { account.add(folder) }
    }
    #expect(try stage.mirror.run(["index"]).status == 0)
    return stage
  }

  @Test(arguments: [
    ("Deleted Items", "Archives"), ("INBOX/Trash", "INBOX/Archive"), ("Bin", "archive"),
  ])
  func `the trash is the same for a command and a push, whatever the server calls it`(
    trash: String, archive: String
  ) throws {
    let stage = try stage(trash, archive)
    #expect(try stage.mirror.run(["delete", query("m0")]).status == 0)
    #expect(try stage.mirror.run(["archive", query("m2")]).status == 0)
    try stage.reader.remove(stage.local("m1"))
    try stage.push()
    #expect(stage.places("m0") == [trash])
    #expect(stage.places("m1") == [trash])
    #expect(stage.places("m2") == [archive])
    // Out of there it is gone for good.
    #expect(try stage.mirror.run(["delete", query("m0")]).status == 0)
    try stage.push()
    #expect(stage.places("m0") == [])
    try stage.expectSettled()
  }

  @Test(.enabled(if: Machine.canInject))
  func `an index that does not follow the change is a problem, and the change stays`() throws {
    let stage = try stage("Trash")
    var run = FaultRun(stage.mirror)
    // What the query's own update writes.
    run.arguments = ["flag", "--dry-run", "+flagged", query("m0")]
    let writes = try run.counts(of: ["pwrite64"]).counts["pwrite64"] ?? 0
    run.arguments = ["flag", "+flagged", query("m0")]
    let outcome = try run.fail("pwrite64", with: "ENOSPC", from: writes + 1)
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.outputText == "1 message changed\n")
    #expect(
      outcome.errorText.hasPrefix("index: The disk took or gave nothing of the index"),
      "\(outcome.summary)")
    #expect(try stage.local("m0").flags == "F")
  }
}
