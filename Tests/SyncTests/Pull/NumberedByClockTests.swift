import Foundation
import MailTestKit
import Testing

/// UIDVALIDITY that is the time of day (GNU mailutils over Maildir).
struct NumberedByClockTests {
  private static var now: Int { Int(Date().timeIntervalSince1970) }

  /// Each look finds the INBOX numbered anew.
  private static func clock() -> ModelServer.Hook {
    let looks = Locked(now)
    return { command, replies in
      guard ["STATUS", "EXAMINE", "SELECT"].contains(command.name), command.text.contains("INBOX")
      else { return replies }
      let validity = looks.change {
        $0 += 1
        return $0
      }
      return replies.map { reply in
        guard case .line(let bytes) = reply else { return reply }
        let text = String(decoding: bytes, as: UTF8.self)
        return .line(text.replacing(/UIDVALIDITY [0-9]+/, with: "UIDVALIDITY \(validity)"))
      }
    }
  }

  @Test func `a mailbox that is numbered by the clock is told, and left as it is`() throws {
    let stage = try Stage(.bare, count: 2)
    stage.alter.value = Self.clock()
    stage.account.deliver(SampleMessage(token: "work"), labelled: ["Work"])
    let outcome = stage.pull(1)
    #expect(outcome.told.contains("UIDVALIDITY follows the clock"), "\(outcome.told)")
    #expect(try stage.folders(of: "m0") == ["INBOX"])
    #expect(try stage.folders(of: "work") == ["Work"])
    try stage.setFlags("m0", "F")
    stage.forget()
    stage.push(nil)
    #expect(stage.changes == [])
    stage.alter.value = nil
    stage.pull()
    stage.push()
    #expect(stage.flags("m0") == ["\\Flagged"])
    try stage.expectSettled()
  }

  @Test func `a mailbox that was made anew just now is not taken for one`() throws {
    let stage = try Stage(.bare, count: 2)
    stage.account.change("INBOX") { $0.renumber() }
    let made = Self.now
    stage.alter.value = { _, replies in
      replies.map { reply in
        guard case .line(let bytes) = reply else { return reply }
        let text = String(decoding: bytes, as: UTF8.self)
        return .line(text.replacing("UIDVALIDITY 1500000001", with: "UIDVALIDITY \(made)"))
      }
    }
    stage.pull()
    try stage.expectSettled()
  }
}
