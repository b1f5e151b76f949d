import IMAPClient
import IMAPWire
import MailCore
import Testing

struct RestingTests {
  private let capabilities = "IMAP4rev1 LITERAL+ UNSELECT"
  private let ok = TaggedResult(status: .ok, text: "done")

  @Test func `what comes of the mailbox that was left reaches nobody`() throws {
    let (session, stream) = try openSession(
      capabilities,
      then: """
        C: A2 SELECT "INBOX"
        S: A2 OK done
        C: A3 UNSELECT
        S: * 2 EXISTS
        S: * 2 FETCH (UID 9 FLAGS (\\Seen))
        S: A3 OK done
        C: A4 SELECT "Work"
        S: * 1 EXISTS
        S: A4 OK done
        """)
    try session.execute(.select(Array("INBOX".utf8)))
    #expect(session.rest())
    #expect(session.isUsable)
    var recorder = Recorder()
    try session.run([.select(Array("Work".utf8))], handler: &recorder)
    #expect(recorder.entries == [.received(.exists(1), 0), .completed(0, ok)])
    #expect(stream.rest == [])
  }

  @Test func `with no mailbox open there is none to leave`() throws {
    let (session, stream) = try openSession(
      capabilities,
      then: """
        C: A2 NOOP
        S: A2 OK done
        C: A3 LOGOUT
        """)
    try session.execute(.noop)
    #expect(session.rest() && session.rest())
    session.logout()
    #expect(stream.rest == [])
  }

  @Test func `a session that rests can be logged out`() throws {
    let (session, stream) = try openSession(
      capabilities,
      then: """
        C: A2 SELECT "INBOX"
        S: A2 OK done
        C: A3 UNSELECT
        C: A4 LOGOUT
        """)
    try session.execute(.select(Array("INBOX".utf8)))
    #expect(session.rest() && session.rest())
    session.logout()
    #expect(stream.rest == [])
    #expect(!session.rest())
  }

  @Test func `without UNSELECT a mailbox cannot be left`() throws {
    let (session, _) = try openSession(
      then: """
        C: A2 EXAMINE "INBOX"
        S: A2 OK done
        """)
    try session.execute(.select(Array("INBOX".utf8), readOnly: true))
    #expect(!session.rest())
  }
}
