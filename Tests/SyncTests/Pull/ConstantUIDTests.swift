import MailTestKit
import Testing

/// A message whose content changes on the server while it keeps its UID (Exchange), and one that comes in pieces
/// (hMailServer answers partial fetches wrongly).
struct ConstantUIDTests {
  @Test(arguments: Speaking.allCases)
  func `what changes under a UID replaces nothing here`(speaking: Speaking) throws {
    let stage = try Stage(speaking.dialect, count: 3)
    try stage.edit("m0")
    let before = try ["m0", "m1"].map { try stage.local($0).raw }
    stage.account.change("INBOX") { box in
      for index in 0..<2 {
        box.messages[index].bytes = SampleMessage(token: "m\(index)", body: "Another text.").bytes
        box.setFlags(box.messages[index].uid, ["\\Seen"])
      }
    }
    for _ in 0..<2 { stage.pull() }
    #expect(try ["m0", "m1"].map { try stage.local($0).raw } == before)
    #expect(try stage.local("m1").flags == "S")
    #expect(stage.bodyFetches == [])
  }

  @Test func `a message is asked for whole, also after its line was lost`() throws {
    let stage = try Stage(count: 1)
    stage.account.deliver(
      SampleMessage(token: "large", body: String(repeating: "text\r\n", count: 5000)),
      labelled: ["INBOX"])
    let isCut = Locked(false)
    stage.alter.value = { command, replies in
      guard command.name == "UID FETCH", command.text.contains("BODY.PEEK[]"), !isCut.value else {
        return replies
      }
      isCut.value = true
      guard case .line(let bytes)? = replies.first else { return replies }
      return [.raw(Array(bytes.prefix(bytes.count / 2))), .hangUp]
    }
    stage.pull(nil)
    stage.pull()
    #expect(isCut.value)
    #expect(stage.bodyFetches.count >= 2 && !stage.commands.contains { $0.contains("]<") })
    try stage.expectSettled()
  }
}
