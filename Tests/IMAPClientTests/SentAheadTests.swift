import IMAPClient
import IMAPWire
import MailCore
import Testing

/// Commands for the next mailbox, sent behind the last ones of this.
struct SentAheadTests {
  private let ok = TaggedResult(status: .ok, text: "done")
  private let fetch = IMAPCommand.uidFetch(UIDSet(1...2), .body)
  private func select(_ name: String) -> IMAPCommand {
    .select(Array(name.utf8), readOnly: true)
  }

  /// One FETCH in “a”, and after it the openings of others.
  private func fetch(
    _ session: IMAPSession, andAhead next: [[IMAPCommand]], _ recorder: inout Recorder
  ) throws {
    var commands = [fetch][...]
    var next = next[...]
    try session.pipeline(
      depth: 4,
      next: {
        if let command = commands.popFirst() { return command }
        while let opening = next.popFirst() {
          let isSent = try session.sendAhead(opening)
          #expect(isSent)
        }
        return nil
      }, handler: &recorder)
  }

  private func fetchWithAhead(_ session: IMAPSession, _ recorder: inout Recorder) throws {
    try fetch(session, andAhead: [[select("b"), .uidSearch(.all)]], &recorder)
  }

  @Test func `the next run hears the answers to what was sent for it, and no other does`() throws {
    let (session, stream) = try openSession(
      then: """
        C: A2 UID FETCH 1:2 (BODY.PEEK[])
        C: A3 EXAMINE "b"
        C: A4 UID SEARCH ALL
        S: * 1 FETCH (UID 1 BODY[] {4}
        S: ab
        S: )
        S: A2 OK done
        S: * 3 EXISTS
        S: A3 OK done
        S: * SEARCH 1 2 3
        S: A4 OK done
        C: A5 NOOP
        S: A5 OK done
        """, greeting: "Dovecot ready.")
    var first = Recorder()
    try fetchWithAhead(session, &first)
    #expect(first.entries.last == .completed(0, ok))
    #expect(first.entries.count == 3, "\(first.entries)")
    #expect(session.isUsable)
    var second = Recorder()
    try session.run([select("b"), .uidSearch(.all), .noop], handler: &second)
    #expect(second.entries.first == .received(.exists(3), 0))
    #expect(second.entries.suffix(3).contains(.completed(1, ok)))
    #expect(second.entries.last == .completed(2, ok))
    #expect(stream.rest == [])
  }

  @Test func `another run lets them pass by, messages and all`() throws {
    let (session, stream) = try openSession(
      then: """
        C: A2 UID FETCH 1:2 (BODY.PEEK[])
        C: A3 EXAMINE "b"
        C: A4 UID FETCH 1:2 (BODY.PEEK[])
        S: A2 OK done
        S: * 3 EXISTS
        S: A3 OK done
        S: * 1 FETCH (UID 1 BODY[] {4}
        S: ab
        S: )
        S: A4 OK done
        C: A5 EXAMINE "a"
        C: A6 UID FETCH 2 (BODY.PEEK[])
        S: * 2 EXISTS
        S: A5 OK done
        S: A6 OK done
        """, greeting: "Dovecot ready.")
    var first = Recorder()
    try fetch(session, andAhead: [[select("b"), fetch]], &first)
    #expect(first.entries == [.completed(0, ok)])
    var second = Recorder()
    try session.run([select("a"), .uidFetch(UIDSet(2...2), .body)], handler: &second)
    #expect(
      second.entries == [.received(.exists(2), 0), .completed(0, ok), .completed(1, ok)],
      "\(second.entries)")
    #expect(stream.rest == [])
  }

  /// “b” and “c”, after “a”.
  private func openTwoAhead(then last: String) throws -> (IMAPSession, ScriptedStream) {
    let (session, stream) = try openSession(
      then: """
        C: A2 UID FETCH 1:2 (BODY.PEEK[])
        C: A3 EXAMINE "b"
        C: A4 UID SEARCH ALL
        C: A5 EXAMINE "c"
        C: A6 UID SEARCH ALL
        S: A2 OK done
        S: * 3 EXISTS
        S: A3 OK done
        S: * SEARCH 1 2 3
        S: A4 OK done
        S: * 4 EXISTS
        S: A5 OK done
        S: * SEARCH 4
        S: A6 OK done

        """ + last, greeting: "Dovecot ready.")
    var first = Recorder()
    try fetch(
      session, andAhead: [[select("b"), .uidSearch(.all)], [select("c"), .uidSearch(.all)]], &first)
    #expect(first.entries == [.completed(0, ok)])
    return (session, stream)
  }

  @Test func `each run hears the answers to what was sent for it`() throws {
    let (session, stream) = try openTwoAhead(then: "C: A7 NOOP\nS: A7 OK done")
    for exists in 3...4 {
      let name = exists == 3 ? "b" : "c"
      #expect(session.hasSentAhead)
      var recorder = Recorder()
      try session.run([select(name), .uidSearch(.all)], handler: &recorder)
      #expect(recorder.entries.first == .received(.exists(exists), 0), "\(recorder.entries)")
      #expect(recorder.entries.count == 4, "\(recorder.entries)")
    }
    #expect(!session.hasSentAhead)
    try session.execute(.noop)
    #expect(stream.rest == [])
  }

  @Test func `no message of the next mailbox is asked for in place of this one's`() throws {
    let (session, stream) = try openTwoAhead(then: "")
    var second = Recorder()
    #expect(throws: IMAPError.sessionOver) {
      try session.run([select("b"), .uidSearch(.all), fetch], handler: &second)
    }
    #expect(!session.isUsable)
    #expect(stream.rest == [])
  }

  @Test func `begun as it was sent, the run may go on otherwise`() throws {
    let (session, stream) = try openSession(
      then: """
        C: A2 UID FETCH 1:2 (BODY.PEEK[])
        C: A3 EXAMINE "b"
        C: A4 UID SEARCH ALL
        S: A2 OK done
        S: * 3 EXISTS
        S: A3 OK done
        S: * SEARCH 1 2 3
        S: A4 OK done
        C: A5 NOOP
        S: A5 OK done
        """, greeting: "Dovecot ready.")
    var first = Recorder()
    try fetchWithAhead(session, &first)
    var second = Recorder()
    try session.run([select("b"), .noop], handler: &second)
    #expect(
      second.entries == [.received(.exists(3), 0), .completed(0, ok), .completed(1, ok)],
      "\(second.entries)")
    #expect(stream.rest == [])
  }

  /// Else the messages of “b” would be those of “a”, under the same UIDs.
  @Test func `an answer before its turn ends the session`() throws {
    let (session, _) = try openSession(
      then: """
        C: A2 UID FETCH 1:2 (BODY.PEEK[])
        C: A3 EXAMINE "b"
        C: A4 UID SEARCH ALL
        S: * 3 EXISTS
        S: A3 OK done
        """, greeting: "Dovecot ready.")
    var first = Recorder()
    #expect(throws: IMAPError.protocolViolation("an answer before its turn")) {
      try fetchWithAhead(session, &first)
    }
    #expect(!session.isUsable)
  }

  @Test func `a server that is not known to answer in order gets nothing ahead`() throws {
    let (session, stream) = try openSession(
      then: "C: A2 NOOP\nS: A2 OK done", greeting: "some server ready")
    #expect(try !session.sendAhead([select("b")]))
    try session.execute(.noop)
    #expect(stream.rest == [])
  }
}
