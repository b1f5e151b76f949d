import Foundation
import MailTestKit
import SyncPlan
import Testing

/// What is written into a file leaves no trace in its directory: once found, it goes on being found.
struct InPlaceEditTests {
  /// A stage whose INBOX a push has found quiet, long enough ago for its directories to tell the next change.
  private func stage() throws -> Stage {
    let stage = try Stage(.modern)
    for part in ["new", "cur"] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -60)],
        ofItemAtPath: "\(stage.path)/INBOX/\(part)")
    }
    try stage.deliver("fresh", to: "Work")
    stage.push()
    return stage
  }

  private func write(_ text: (String) -> String, into message: LocalMessage, _ stage: Stage) throws
  {
    let handle = try #require(FileHandle(forWritingAtPath: "\(stage.path)/\(message.path)"))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data(text(String(decoding: message.raw, as: UTF8.self)).utf8))
    try handle.close()
  }

  @Test func `an edit that no push can carry waits until it is taken back`() throws {
    let stage = try stage()
    let message = try stage.local("m0")
    try write({ $0 + "in place\n" }, into: message, stage)
    #expect(stage.push().pending == 0, "the directory did not move")
    #expect(stage.push(1, PushOptions(full: true)).pending == 1)
    for _ in 0..<2 { #expect(stage.push(nil).pending == 1) }
    try write({ _ in String(decoding: message.raw, as: UTF8.self) }, into: message, stage)
    #expect(stage.push(nil).pending == 0)
    try stage.expectSettled()
  }

  @Test func `keywords that a killed push had found reach the server with the next`() throws {
    let stage = try stage()
    try write({ "X-Keywords: mine\n" + $0 }, into: stage.local("m0"), stage)
    stage.killPush(at: "UID STORE", PushOptions(full: true))
    stage.account.change("INBOX") { $0.setFlags(1, []) }
    stage.push()
    #expect(stage.flags("m0").contains("mine"))
  }
}
