import Foundation
import MailCore
import Maildir
import Testing

@testable import Outbox

/// What stands in the way of queueing and may be gone later: 75, so that mail programs keep the message.
@Suite struct NoRoomTests {
  @Test(arguments: [
    MaildirError.noSpace(path: "/mail", needed: 1, free: 0), .overQuota(path: "/mail", needed: 1),
    .readOnly(path: "/mail"), .treeVanished(path: "/mail"),
    .system(call: "write", path: "/mail", code: 5),
  ])
  func `the disk's troubles are told as a message that was not queued`(error: MaildirError) {
    let words = AcceptanceError.files(error).explanation
    #expect(words.exitStatus == .busy && words.problem.hasPrefix("The message was not queued. "))
    #expect(words.problem.contains("/mail") && words.remedy != nil)
    #expect(words.remedy?.contains("what is here stays") == false)
  }

  @Test func `a missing permission does not go away by itself`() {
    let words = AcceptanceError.files(.notPermitted(path: "/mail")).explanation
    #expect(words.exitStatus == .refused && words.problem.contains("was not queued"))
  }

  @Test func `no room to read it into is nothing that the message can help`() throws {
    let spool = MessageSpool(directory: NSTemporaryDirectory() + "nowhere-\(UUID().uuidString)")
    let block = [UInt8](repeating: 65, count: MessageSpool.memoryLimit + 1)
    let error = #expect(throws: AcceptanceError.self) { try spool.append(block) }
    #expect(error?.explanation.exitStatus == .busy)
    #expect(error?.explanation.problem.contains("was not queued") == true)
  }

  @Test func `a queue that cannot be made is told so`() throws {
    let lab = try OutboxLab()
    // A file where the account's directory should be.
    try Data().write(to: URL(fileURLWithPath: lab.root + "/work"))
    let error = #expect(throws: AcceptanceError.self) { try lab.accept("Subject: x\n\nx\n") }
    #expect(error?.explanation.exitStatus == .busy)
  }
}
