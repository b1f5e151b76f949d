import Foundation
import MailTestKit
import Testing

/// What a server can make as much of as it likes costs neither memory, nor room in the state, nor a screen full of lines.
extension LiarTests {
  /// Beyond what an honest server costs the same program, in KiB.
  private static let allowance = 12 * 1024

  private func honestPeak() throws -> Int {
    let honest = try Lie(.modern)
    let (outcome, peak) = try honest.mirror.peakMemory(["pull", "--no-index"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    return peak
  }

  @Test func `messages that are announced and never sent are told in a few lines`() throws {
    let count = 30_000
    let lie = try Lie(.modern)
    lie.server.alter { command, replies in
      guard command.mailbox == "INBOX" || command.text.contains("INBOX") else { return replies }
      switch command.name {
      case "SELECT", "EXAMINE":
        return replies.map {
          .line($0.text.replacing("* 12 EXISTS", with: "* \(count) EXISTS"))
        }
      case "UID SEARCH":
        return [.line("* ESEARCH (TAG \"\(command.tag)\") UID ALL 1:\(count)")] + replies.suffix(1)
      case "UID FETCH": return replies.suffix(1)
      default: return replies
      }
    }
    let (outcome, peak) = try lie.mirror.peakMemory(["pull", "--no-index"])
    #expect(outcome.status == 1, "\(outcome.summary)")
    let lines = outcome.errorText.split(separator: "\n")
    #expect(lines.count < 40, "\(lines.count) lines: \(lines.prefix(30).joined(separator: "\n"))")
    #expect(outcome.errorText.contains("more messages of “INBOX”"), "\(outcome.errorText)")
    #expect(try peak < honestPeak() + Self.allowance)
    let state = try readFile(lie.mirror.account + "/.mirror/state.db").count
    #expect(state < 300_000)
    #expect(try lie.mirror.tree().messages.count == 3)
    // They are tried again, and told again in as few lines.
    lie.server.forget()
    let again = try lie.pull(1)
    #expect(lie.server.received.contains { $0.contains("UID FETCH") && $0.contains("BODY") })
    #expect(again.errorText.split(separator: "\n").count < 40)
    let told = try lie.mirror.run(["status"])
    #expect(told.summary.contains("others could not be pulled"), "\(told.summary)")
    try lie.expectWhole()
    let after = try lie.mirror.run(["status"])
    #expect(!after.summary.contains("could not be pulled"), "\(after.summary)")
  }

  @Test func `one message of many that comes leaves the others to be tried again`() throws {
    let lie = try Lie(.modern)
    lie.account.change("INBOX") { box in
      for number in 0..<40 { box.deliver(SampleMessage(token: "x\(number)")) }
    }
    let turn = Locked(0)
    lie.server.alter { command, replies in
      guard command.name == "UID FETCH", command.mailbox == "INBOX", command.text.contains("BODY")
      else { return replies }
      // In the second run those come that have a record of their own.
      return replies.filter { reply in
        !reply.text.hasPrefix("* ")
          || turn.value == 1 && (1...30).contains { reply.text.contains("UID \($0) ") }
      }
    }
    _ = try lie.pull(1)
    turn.value = 1
    _ = try lie.pull(1)
    #expect(try lie.mirror.tree()["INBOX"].count == 30)
    try lie.expectWhole()
  }

  @Test(arguments: ["EXAMINE", "UID SEARCH", "UID FETCH"], [true, false])
  func `data that nobody asked for is not kept`(command name: String, ofOne: Bool) throws {
    let lie = try Lie(.modern)
    _ = try lie.pull(0)
    lie.account.change("INBOX") { $0.deliver(SampleMessage(token: "late")) }
    var flood: [UInt8] = []
    for number in 1...120_000 {
      let uid = ofOne ? 3 : 1000 + number
      flood += Array("* 1 FETCH (UID \(uid) FLAGS (\\Seen word\(number)))\r\n".utf8)
    }
    // Of what was said of one message the last counts.
    let bytes = flood + Array("* 3 FETCH (UID 3 FLAGS ())\r\n".utf8)
    lie.server.alter { command, replies in
      command.name == name ? [.raw(bytes)] + replies : replies
    }
    let (outcome, peak) = try lie.mirror.peakMemory(["pull", "--no-index"])
    #expect(outcome.status != nil, "\(outcome.summary)")
    #expect(try peak < honestPeak() + Self.allowance)
    try lie.expectWhole()
  }
}
