import MailTestKit
import Testing

/// A server that sends an item of FETCH against the grammar (pymap: `EMAILID ((M1))`).
struct UnreadableItemTests {
  /// EMAILID in two parentheses.
  private static let badly: ModelServer.Hook = { _, replies in
    replies.map { reply in
      guard case .line(let bytes) = reply else { return reply }
      let text = String(decoding: bytes, as: UTF8.self)
      return .line(text.replacing(/EMAILID \((M[0-9]*)\)/) { "EMAILID ((\($0.output.1)))" })
    }
  }

  @Test func `an item that cannot be read costs no message, and is not asked for again`() throws {
    let stage = try Stage(count: 2)
    stage.alter.value = Self.badly
    for number in 0..<3 {
      stage.account.deliver(SampleMessage(token: "new\(number)"), labelled: ["INBOX"])
    }
    stage.account.deliver(SampleMessage(token: "work"), labelled: ["Work"])
    stage.pull()
    let asked = stage.commands.filter { $0.contains("UID FETCH") }
    #expect(asked.contains { $0.contains("EMAILID") }, "\(asked)")
    #expect(asked.last?.contains("EMAILID") == false, "\(asked)")
    #expect(try stage.folders(of: "new2") == ["INBOX"])
    try stage.expectSettled()
  }
}
