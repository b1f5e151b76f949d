import MailTestKit
import Testing

/// Answers that are larger than anything.
extension LiarTests {
  @Test func `a literal of four gigabytes that never comes loses nothing`() throws {
    let lie = try Lie(.modern)
    lie.server.alter { command, replies in
      guard command.asksForMessages(of: "INBOX") else { return replies }
      return [
        .raw(Array("* 1 FETCH (UID 1 BODY[] {4294967296}\r\nSubject: huge\r\n\r\nabc".utf8)),
        .hangUp,
      ]
    }
    let outcome = try lie.pull(1, 69)
    lie.expectNamed("INBOX", outcome)
    #expect(outcome.seconds < 20)
    #expect(try lie.mirror.tree().temporaries == [])
    try lie.expectWhole()
  }

  @Test(.enabled(if: Machine.canMount))
  func `a literal of four gigabytes fills no more than the disk`()
    throws
  {
    let disk = try TinyDisk(megabytes: 12)
    let lie = try Lie(.modern, root: disk.path)
    let sent = Locked(0)
    let piece = [UInt8](repeating: 65, count: 1 << 20)
    lie.server.alter { command, replies in
      guard command.asksForMessages(of: "INBOX") else { return replies }
      sent.change { $0 += 1 }
      // More than fits, and more than the program may hold in memory.
      return [.raw(Array("* 1 FETCH (UID 1 BODY[] {4294967296}\r\nSubject: huge\r\n\r\n".utf8))]
        + (0..<96).map { _ in .raw(piece) } + [.hangUp]
    }
    lie.server.forget()
    let (outcome, peak) = try lie.mirror.peakMemory(["pull", "--no-index"], limit: 180)
    #expect(outcome.status != 0 && outcome.status != nil, "\(outcome.summary)")
    lie.expectNamed("INBOX", outcome)
    #expect(outcome.errorText.localizedCaseInsensitiveContains("full"), "\(outcome.errorText)")
    #expect(sent.value == 1, "a full disk stops the run: nothing is asked for again")
    #expect(peak < 88 << 10, "\(peak) KiB")
    #expect(try lie.mirror.tree().temporaries == [])
    try lie.expectWhole()
  }

  @Test func `a line without an end is not swallowed whole`() throws {
    let lie = try Lie(.modern)
    lie.server.alter { command, replies in
      guard command.name == "UID FETCH" else { return replies }
      return [.raw(Array("* 1 FETCH (UID 1 FLAGS (".utf8))]
        + (0..<64).map { _ in .raw([UInt8](repeating: 65, count: 1 << 20)) } + [.hangUp]
    }
    let (outcome, peak) = try lie.mirror.peakMemory(["pull", "--no-index"], limit: 180)
    #expect(outcome.status != 0 && outcome.status != nil, "\(outcome.summary)")
    // Of 64 MiB; an unoptimised program takes half of this before it begins.
    #expect(peak < 88 << 10, "\(peak) KiB")
    try lie.expectWhole()
  }

  @Test func `deep nesting ends in an error, not a crash`() throws {
    let lie = try Lie(.modern)
    lie.server.alter { command, replies in
      guard command.name == "UID FETCH" else { return replies }
      return [.line("* 1 FETCH (UID 1 X-DEEP " + String(repeating: "(", count: 200_000) + ")")]
        + replies
    }
    let outcome = try lie.pull()
    #expect(outcome.status != nil, "\(outcome.summary)")
    try lie.expectWhole()
  }
}
