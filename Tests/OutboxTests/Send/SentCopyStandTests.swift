import Foundation
import Maildir
import Queue
import Testing

@testable import Outbox

/// Two who file copies, and what each says and sees so that only one of them does.
@Suite struct SentCopyStandTests {
  @Test func `a copy that a mail reader saves at the last moment is the copy`() throws {
    let send = try SendLab()
    let id = try send.queue()
    let messageID = try #require(try send.entry(id)?.envelope?.messageID)
    var saidBefore: [SentCopy?] = []
    send.looked = { [unowned send] in
      saidBefore.append(try? send.entry(id)?.phase.copy)
      if saidBefore.count == 2 { send.localCopies = [messageID] }
    }
    send.run()
    // A push that reads it between these looks knows that a copy may be on its way.
    #expect(saidBefore == [.undecided, .appending])
    #expect(send.mailboxes.appends == 0)
    #expect(try send.entry(id)?.phase.copy == .filed)
  }

  @Test func `a copy that may have arrived is looked for, and not made twice`() throws {
    let send = try SendLab()
    let id = try send.queue()
    send.mailboxes.appendFails = true
    send.run()
    #expect(try send.entry(id)?.phase.copy == .appending)
    send.run()
    #expect(send.mailboxes.appends == 1 && send.mailboxes.sent.count == 1)
    #expect(try send.entry(id)?.phase.copy == .filed)
  }

  @Test func `our own copies are free until one may be under way`() throws {
    let send = try SendLab()
    let id = try send.queue()
    #expect(try stand(send, id, .us) == .free)
    send.mailboxes.appendFails = true
    send.run()
    #expect(try stand(send, id, .us) == .isComing)
    send.run()
    #expect(try stand(send, id, .us) == .mayBeThere)
  }

  @Test func `a provider's copies are awaited until some time after the message was sent`() throws {
    let send = try SendLab()
    let id = try send.queue()
    let refused = try send.queue("Refused", to: "eve@example.net")
    send.server.recipientReplies = ["eve@example.net": "550 5.1.1 nobody"]
    #expect(try stand(send, id, .provider) == .isComing)
    send.run()
    #expect(try stand(send, id, .provider) == .isComing)
    send.minutes = SentCopyStand.providersTime / 60 + 1
    #expect(try stand(send, id, .provider) == .mayBeRenamed)
    // It may be tried again, and would be filed then.
    #expect(try stand(send, refused, .provider) == .isComing)
  }

  @Test func `of two messages with one Message-ID the more doubtful counts`() throws {
    let send = try SendLab()
    let text = "Message-ID: <same@x.org>\nSubject: x\n\nx\n"
    _ = try send.lab.accept(text)
    send.run()
    _ = try send.lab.accept(text)
    #expect(try stands(send, .us)["same@x.org"] == .mayBeThere)
    #expect(try stands(send, .provider)["same@x.org"] == .isComing)
  }

  private func stands(_ send: SendLab, _ rule: SentCopyRule) throws -> [String: SentCopyStand] {
    try SentCopyStand.all(
      account: send.lab.root + "/" + send.lab.accounts[0].name, rule: rule, at: send.now())
  }

  private func stand(_ send: SendLab, _ id: QueueID, _ rule: SentCopyRule) throws -> SentCopyStand?
  {
    let messageID = try #require(try send.entry(id)?.envelope?.messageID)
    return try stands(send, rule)[messageID]
  }

  @Test func `what comes into a folder, goes and is renamed is seen at the next look`() throws {
    let folder = NSTemporaryDirectory() + "ids-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for part in ["/new", "/cur", "/tmp"] {
      try FileManager.default.createDirectory(
        atPath: folder + part, withIntermediateDirectories: true)
    }
    func write(_ name: String, _ id: String) throws {
      try Data("Message-ID: <\(id)>\n\nx\n".utf8).write(
        to: URL(fileURLWithPath: folder + "/cur/" + name))
    }
    try write("1:2,S", "one@x")
    var ids = try LocalFolderIDs(folder: folder)
    #expect(ids.holds("one@x") && !ids.holds("two@x"))
    try write("2:2,", "two@x")
    try FileManager.default.moveItem(atPath: folder + "/cur/1:2,S", toPath: folder + "/cur/1:2,FS")
    try ids.refresh()
    #expect(ids.holds("two@x"))
    #expect(ids.files("one@x").map(\.description) == ["cur/1:2,FS"])
    try FileManager.default.removeItem(atPath: folder + "/cur/2:2,")
    try ids.refresh()
    #expect(!ids.holds("two@x"))
  }
}
