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

  /// - Returns: what the second of two SELECTs brought.
  private func second(_ capabilities: String, enabling: String = "", _ answer: String) throws
    -> [Recorder.Entry]
  {
    let first = enabling.isEmpty ? 2 : 3
    let (session, stream) = try openSession(
      capabilities,
      then: """
        \(enabling)
        C: A\(first) SELECT "INBOX"
        S: * OK [UIDVALIDITY 1] valid
        S: * 5 EXISTS
        S: A\(first) OK done
        C: A\(first + 1) SELECT "Work"
        \(answer.replacing("TAG", with: "A\(first + 1)"))
        """)
    try session.execute(.select(Array("INBOX".utf8)))
    var recorder = Recorder()
    try session.run([.select(Array("Work".utf8))], handler: &recorder)
    #expect(stream.rest == [])
    return recorder.entries
  }

  private let qresync = """
    C: A2 ENABLE QRESYNC
    S: * ENABLED QRESYNC
    S: A2 OK done
    """

  private func fetched(_ uid: UInt32) -> FetchData {
    var data = FetchData(sequence: SequenceNumber(1))
    data.uid = UID(uid)
    data.marks = MessageMarks(flags: .seen)
    return data
  }

  @Test func `what comes of the mailbox before, until that is closed, is not of the next`() throws {
    let entries = try second(
      capabilities + " ENABLE QRESYNC", enabling: qresync,
      """
      S: * 6 EXISTS
      S: * FLAGS (new)
      S: * 1 FETCH (UID 3 FLAGS (\\Seen))
      S: * 2 EXPUNGE
      S: * VANISHED 4
      S: * OK [CLOSED] left
      S: * 1 EXISTS
      S: * VANISHED (EARLIER) 9
      S: * 1 FETCH (UID 8 FLAGS (\\Seen))
      S: TAG OK done
      """)
    // The next one's own replace the numbers and the words.
    #expect(
      entries == [
        .received(.exists(6), 0), .received(.flags(["new"]), 0),
        .received(.status(.ok, ResponseText(code: .closed, text: "left")), 0),
        .received(.exists(1), 0), .received(.vanished(earlier: true, UIDSet(9...9)), 0),
        .fetched(fetched(8), 0), .completed(0, ok),
      ])
  }

  @Test(arguments: ["FLAGS (x)", "1 EXISTS", "OK [UIDVALIDITY 2] valid"])
  func `a server that says nothing of closing begins with the next all the same`(
    beginning: String
  ) throws {
    let entries = try second(
      capabilities,
      """
      S: * 1 FETCH (UID 3 FLAGS (\\Seen))
      S: * 2 EXPUNGE
      S: * \(beginning)
      S: * 1 FETCH (UID 8 FLAGS (\\Seen))
      S: TAG OK done
      """)
    #expect(entries.count == 3)
    #expect(entries.dropFirst() == [.fetched(fetched(8), 0), .completed(0, ok)])
  }

  @Test func `after QRESYNC was enabled, UIDVALIDITY does for a server that forgets CLOSED`() throws
  {
    let entries = try second(
      capabilities + " ENABLE QRESYNC", enabling: qresync,
      """
      S: * 1 EXISTS
      S: * OK [UIDVALIDITY 2] valid
      S: * VANISHED (EARLIER) 9
      S: TAG OK done
      """)
    #expect(entries.contains(.received(.vanished(earlier: true, UIDSet(9...9)), 0)))
  }

  @Test func `where none was open, all that comes is of the next`() throws {
    let (session, _) = try openSession(
      capabilities + " ENABLE QRESYNC",
      then: qresync + """

        C: A3 SELECT "INBOX"
        S: A3 NO not now
        C: A4 SELECT "Work"
        S: * VANISHED (EARLIER) 9
        S: A4 OK done
        """)
    var recorder = Recorder()
    try session.run([.select(Array("INBOX".utf8))], handler: &recorder)
    try session.run([.select(Array("Work".utf8))], handler: &recorder)
    #expect(recorder.entries.contains(.received(.vanished(earlier: true, UIDSet(9...9)), 0)))
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
