import MailTestKit
import SyncPlan
import Testing

/// Some readers give a message's file another name when they change its header. Another client changed the message
/// meanwhile, and a pull comes before the next push.
struct RenamedFileTests {
  /// As neomutt writes an edited label.
  private func label(_ token: String, _ stage: Stage) throws {
    let message = try stage.local(token)
    try stage.reader.deliver(
      Array("X-Keywords: todo\n".utf8) + message.content(), name: "17.5_r.host", to: message.folder,
      flags: "FS")
    try stage.reader.remove(message)
  }

  private func expunge(_ token: String, _ stage: Stage) throws -> ModelMessage {
    let message = try stage.remote(token)
    stage.account.change("INBOX") { $0.expunge(message.uid) }
    return message
  }

  @Test func `moved there, it is in one place, with what was set here`() throws {
    let stage = try Stage(.modern)
    try label("m1", stage)
    let message = try expunge("m1", stage)
    stage.account.change("Work") { box in
      let uid = box.deliver(SampleMessage(token: "m1"))
      box.setFlags(uid, message.flags)
    }
    stage.pull(nil)
    stage.push()
    #expect(stage.places("m1") == ["Work"])
    #expect(stage.flags("m1") == ["\\Flagged", "\\Seen", "todo"])
    try stage.expectSettled()
    #expect(try stage.tree().count(of: "<m1@") == 1)
  }

  @Test func `expunged there, it does not come back`() throws {
    let stage = try Stage(.modern)
    try label("m1", stage)
    _ = try expunge("m1", stage)
    stage.pull(nil)
    stage.push()
    #expect(stage.places("m1") == [])
    try stage.expectSettled()
    #expect(try stage.tree().count(of: "<m1@") == 0)
  }

  @Test func `edited here, and expunged there, it stays`() throws {
    let stage = try Stage(.modern)
    let message = try stage.local("m1")
    try stage.reader.deliver(
      message.raw + Array("one more line\n".utf8), name: "17.5_r.host", to: "INBOX")
    try stage.reader.remove(message)
    _ = try expunge("m1", stage)
    stage.pull(nil)
    stage.push()
    #expect(stage.count(of: "one more line", in: "INBOX") == 1)
    try stage.expectSettled()
  }

  /// Its like was expunged in INBOX, where a person put this one.
  @Test(arguments: ["Work", "Trash"], [true, false])
  func `a file that was moved here is no renamed one`(origin: String, keepsName: Bool) throws {
    let stage = try Stage(.modern) { account in
      account.change(origin) { $0.deliver(SampleMessage(token: "m1")) }
    }
    try stage.reader.remove(stage.local("m1", in: "INBOX"))
    let other = try stage.local("m1", in: origin)
    if keepsName {
      try stage.reader.move(other, to: "INBOX")
    } else {
      try stage.reader.deliver(other.raw, name: "17.5_r.host", to: "INBOX")
      try stage.reader.remove(other)
    }
    _ = try expunge("m1", stage)
    stage.pull(nil)
    #expect(try stage.tree().count(of: "<m1@") == 1)
    stage.push()
    try stage.expectSettled()
    #expect(stage.places("m1") == ["INBOX"])
  }
}
