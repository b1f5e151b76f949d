import IMAPClient
import IMAPWire
import MailCore
import Testing
import Transport

/// A session that listens, with servers that follow a script.
struct ListeningTests {
  private static let set =
    "NOTIFY SET STATUS (personal (MessageNew MessageExpunge FlagChange MailboxName))"

  /// What was reported, and what ended it.
  private func listen(
    _ capabilities: String, _ script: String, chunk: Int = .max, mailbox: String = "INBOX"
  ) throws -> (reports: [String], failure: IMAPError?, stream: ScriptedStream) {
    let (session, stream) = try openSession(capabilities, then: script)
    stream.chunk = chunk
    var reports: [String] = []
    var memory = ListeningMemory()
    do {
      try session.listen(
        in: MailboxName(mailbox, delimiter: "/"), memory: &memory, bell: Doorbell()
      ) { report in
        switch report {
        case .listening(let way): reports.append("by \(way)")
        case .hint(let hint): reports.append("\(hint)")
        case .alive: reports.append("alive")
        case .closedMailbox: reports.append("closed mailbox")
        }
      }
    } catch let failure as IMAPError {
      return (reports, failure, stream)
    }
    #expect(session.isUsable)
    return (reports, nil, stream)
  }

  private func raw(_ name: String) -> [UInt8] { Array(name.utf8) }

  @Test(arguments: [1, 2, 7, .max]) func `NOTIFY follows ENABLE, and tells until the line is cut`(
    chunk: Int
  ) throws {
    let (reports, failure, stream) = try listen(
      "IMAP4rev1 LITERAL+ ENABLE CONDSTORE NOTIFY",
      """
      C: A2 ENABLE CONDSTORE
      S: * ENABLED CONDSTORE
      S: A2 OK done
      C: A3 \(Self.set)
      S: * STATUS INBOX (MESSAGES 1 UIDNEXT 2 HIGHESTMODSEQ 3)
      S: A3 OK done
      S: * STATUS INBOX (MESSAGES 2 UIDNEXT 3 UNSEEN 1 HIGHESTMODSEQ 4)
      S: * STATUS INBOX (HIGHESTMODSEQ 5)
      CLOSE
      """, chunk: chunk)
    #expect(
      reports == ["by notify", "\(ServerHint.arrived(raw("INBOX")))"]
        + ["\(ServerHint.changed(raw("INBOX")))"])
    #expect(failure == .connectionLost && stream.rest.isEmpty)
  }

  @Test func `unknown events are left out, and an overflow is followed by a look at everything`()
    throws
  {
    let (reports, failure, stream) = try listen(
      "NOTIFY IDLE",
      """
      C: A2 \(Self.set)
      S: A2 NO [BADEVENT MailboxName] Unsupported NOTIFY events
      C: A3 NOTIFY SET STATUS (personal (MessageNew MessageExpunge FlagChange))
      S: A3 OK done
      S: * OK [NOTIFICATIONOVERFLOW] too much
      S: * BYE going
      """)
    #expect(reports == ["by notify", "\(ServerHint.everything(reason: "too much"))"])
    #expect(failure == .bye("going") && stream.rest.isEmpty)
  }

  @Test func `IDLE in a mailbox with a name of any bytes`() throws {
    let (reports, failure, stream) = try listen(
      "IMAP4rev1 IDLE",
      """
      C: A2 EXAMINE "Entw&APw-rfe"
      S: * 3 EXISTS
      S: A2 OK [READ-ONLY] done
      C: A3 IDLE
      S: + idling
      S: * 4 EXISTS
      S: A3 OK the server ends it
      """, mailbox: "Entwürfe")
    // So soon that it cannot be meant.
    #expect(
      reports == ["by idle", "\(ServerHint.arrived(raw("Entw&APw-rfe")))", "by poll"])
    #expect(failure == nil && stream.rest.isEmpty)
  }

  @Test func `a literal waits for its invitation, which is none to IDLE`() throws {
    let (reports, failure, stream) = try listen(
      "IMAP4rev1 ENABLE UTF8=ACCEPT IDLE",
      """
      C: A2 ENABLE UTF8=ACCEPT
      S: * ENABLED UTF8=ACCEPT
      S: A2 OK done
      C: A3 EXAMINE {9}
      S: + go on
      C: Entwürfe
      S: A3 OK [READ-ONLY] done
      C: A4 IDLE
      S: A4 BAD what
      """, mailbox: "Entwürfe")
    #expect(reports == ["by poll"] && failure == nil && stream.rest.isEmpty)
  }

  @Test func `a server that has neither is not listened to`() throws {
    let (reports, failure, stream) = try listen("IMAP4rev1", "")
    #expect(reports == ["by poll"] && failure == nil && stream.lines.count == 1)
  }
}
