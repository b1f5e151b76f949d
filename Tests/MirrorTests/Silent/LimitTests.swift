import Foundation
import MailTestKit
import Testing

/// What a server refuses for good is told at once, with what to do, and never waited for.
@Suite(.onBlockingThreads) struct LimitTests {
  @Test(arguments: ["LIMIT", "TOOBIG", "OVERQUOTA"])
  func `a new message`(code: String) throws {
    let stage = try PushStage(.modern)
    stage.refusals.value = [("APPEND", "", "NO [\(code)] no more of that")]
    try stage.deliver("fresh", to: "INBOX")
    let begun = Date()
    let outcome = try stage.mirror.run(
      ["push"], more: ["MIRROR_RETRY_SECONDS": "20,20,20"])
    #expect(Date().timeIntervalSince(begun) < 15)
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(stage.server.server.received(named: ["APPEND"]).count == 1)
    let words = ["LIMIT": "over a limit", "TOOBIG": "larger than", "OVERQUOTA": "Make room"]
    #expect(outcome.errorText.contains("no more of that"), "\(outcome.summary)")
    #expect(outcome.errorText.contains(words[code] ?? ""), "\(outcome.summary)")
    #expect(try stage.local("fresh").folder == "INBOX", "it stays here")
  }

  @Test func `a keyword`() throws {
    let stage = try PushStage(.modern)
    stage.refusals.value = [("UID STORE", "", "NO [LIMIT] too many keywords")]
    try stage.reader.setFlags(stage.local("m0"), "FS")
    let begun = Date()
    let outcome = try stage.mirror.run(
      ["push"], more: ["MIRROR_RETRY_SECONDS": "20,20,20"])
    #expect(Date().timeIntervalSince(begun) < 15)
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.errorText.contains("too many keywords"), "\(outcome.summary)")
    #expect(outcome.errorText.contains("has reached a limit"), "\(outcome.summary)")
    #expect(try stage.local("m0").flags == "FS", "it waits")
  }
}
