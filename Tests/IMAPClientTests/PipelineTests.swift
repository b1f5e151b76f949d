import IMAPClient
import IMAPWire
import MailCore
import Testing

struct PipelineTests {
  private let ok = TaggedResult(status: .ok, text: "done")

  @Test func `commands go out together and their answers are told apart`() throws {
    let (session, stream) = try openSession(
      then: """
        C: A2 SELECT "INBOX"
        C: A3 UID FETCH 1:* (FLAGS)
        C: A4 UID FETCH 7 (BODY.PEEK[])
        S: * 1 EXISTS
        S: A2 OK done
        S: * 1 FETCH (UID 7 FLAGS (\\Seen))
        S: A3 OK done
        S: * 1 FETCH (UID 7 BODY[] {4}
        S: ab
        S: )
        S: A4 NO done
        """)
    var recorder = Recorder()
    try session.run(
      [
        .select(Array("INBOX".utf8)), .uidFetch(UIDSet(1...UInt32.max), .flags),
        .uidFetch(UIDSet(7...7), .body),
      ],
      handler: &recorder)
    var flags = FetchData(sequence: SequenceNumber(1))
    flags.uid = UID(7)
    flags.marks = MessageMarks(flags: .seen)
    var body = FetchData(sequence: SequenceNumber(1))
    body.uid = UID(7)
    #expect(
      recorder.entries == [
        .received(.exists(1), 0), .completed(0, ok), .fetched(flags, 1), .completed(1, ok),
        .body(BodySection(kind: .whole), Array("ab\r\n".utf8)), .fetched(body, 2),
        .completed(2, TaggedResult(status: .no, text: "done")),
      ])
    #expect(stream.rest == [])
    #expect(session.isUsable)
  }

  @Test func `a refusal does not end the session`() throws {
    let (session, _) = try openSession(
      then: """
        C: A2 SELECT "x"
        S: A2 NO [NONEXISTENT] no such mailbox
        C: A3 NOOP
        S: A3 OK done
        """)
    #expect(throws: IMAPError.noSuchMailbox("no such mailbox")) {
      try session.execute(.select(Array("x".utf8)))
    }
    try session.execute(.noop)
  }

  @Test func `the depth is kept and refilled`() throws {
    let (session, stream) = try openSession(
      then: """
        C: A2 NOOP
        C: A3 NOOP
        S: A2 OK done
        C: A4 NOOP
        S: A3 OK done
        S: A4 OK done
        """)
    var left = 3
    var recorder = Recorder()
    try session.pipeline(
      depth: 2,
      next: {
        left -= 1
        return left >= 0 ? .noop : nil
      }, handler: &recorder)
    #expect(recorder.completions == [0, 1, 2])
    #expect(stream.bursts == [1, 2, 1, 0])
    #expect(stream.rest == [])
  }

  @Test func `unanswered commands are bounded in bytes`() throws {
    var script = ""
    var waiting: [String] = []
    // Seventeen commands of a kilobyte reach the bound; from then on each waits for an answer.
    for i in 2..<32 {
      if i >= 19 { script += waiting.removeFirst() }
      script += "C: A\(i) STATUS…\n"
      waiting.append("S: A\(i) OK done\n")
    }
    let (session, stream) = try openSession(then: script + waiting.joined())
    let name = [UInt8](repeating: 65, count: 990)
    var recorder = Recorder()
    try session.run(
      (2..<32).map { _ in .status(name, .messages) }, handler: &recorder)
    #expect(recorder.completions == Array(0..<30))
    #expect(stream.bursts[1] == 17)
    #expect(stream.rest == [])
  }

  @Test func `answers out of order find their command`() throws {
    let (session, _) = try openSession(
      then: """
        C: A2 NOOP
        C: A3 NOOP
        S: A3 OK done
        S: zzz OK whoever that is
        S: A2 OK done
        """)
    var recorder = Recorder()
    try session.run([.noop, .noop], handler: &recorder)
    #expect(recorder.completions == [1, 0])
  }

  @Test func `BYE in the middle ends the run with the server's words`() throws {
    let (session, _) = try openSession(
      then: """
        C: A2 NOOP
        S: * BYE Session expired, please login again
        S: * BYE again
        CLOSE
        """)
    #expect(throws: IMAPError.bye("Session expired, please login again")) {
      try session.execute(.noop)
    }
    #expect(!session.isUsable)
    #expect(throws: IMAPError.sessionOver) { try session.execute(.noop) }
  }

  @Test func `a connection that ends within a literal is lost, not finished`() throws {
    let (session, _) = try openSession(
      then: """
        C: A2 UID FETCH…
        S: * 1 FETCH (UID 1 BODY[] {1000}
        S: abc
        CLOSE
        """)
    var recorder = Recorder()
    #expect(throws: IMAPError.connectionLost) {
      try session.run([.uidFetch(UIDSet(1...1), .body)], handler: &recorder)
    }
    #expect(recorder.entries == [])
  }

  @Test func `what the handler throws ends the session`() throws {
    struct Full: Error {}
    struct Thrower: ResponseHandler {
      mutating func bodyBytes(_ bytes: UnsafeRawBufferPointer) throws { throw Full() }
    }
    let (session, _) = try openSession(
      then: """
        C: A2 UID FETCH…
        S: * 1 FETCH (UID 1 BODY[] {3}
        S: a)
        S: A2 OK done
        """)
    var thrower = Thrower()
    #expect(throws: Full.self) {
      try session.run([.uidFetch(UIDSet(1...1), .body)], handler: &thrower)
    }
    #expect(!session.isUsable)
  }

  @Test func `a message is streamed behind the server's plus`() throws {
    let (session, stream) = try openSession(
      "IMAP4rev1",
      then: """
        C: A2 APPEND "Sent" (\\Seen) {9}
        S: + go on
        C: line one
        C:\u{20}
        S: A2 OK [APPENDUID 5 77] done
        """)
    let source = IMAPCommand.Source(size: 9) { sink in
      for piece in ["line", " one\n"] { try Array(piece.utf8).withUnsafeBytes { try sink($0) } }
    }
    let result = try session.execute(
      .append(to: Array("Sent".utf8), marks: MessageMarks(flags: .seen), body: .stream(source)))
    #expect(result.code == .appendUID(UIDValidity(5), UIDSet(77...77)))
    #expect(stream.rest == [])
  }

  @Test func `a refused literal is not sent`() throws {
    let (session, stream) = try openSession(
      "IMAP4rev1",
      then: """
        C: A2 APPEND "Sent" {9}
        S: A2 NO [OVERQUOTA] full
        C: A3 NOOP
        S: A3 OK done
        """)
    let error = #expect(throws: IMAPError.self) {
      try session.execute(.append(to: Array("Sent".utf8), body: .bytes(Array("123456789".utf8))))
    }
    guard case .refused("APPEND", let result) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(result.code == .overQuota)
    try session.execute(.noop)
    #expect(stream.rest == [])
  }

  @Test func `a message that changes its size ends the session`() throws {
    for content in ["short", "much too long"] {
      let (session, _) = try openSession(then: "C: A2 APPEND…")
      let source = IMAPCommand.Source(size: 9) { sink in
        try Array(content.utf8).withUnsafeBytes { try sink($0) }
      }
      #expect(throws: IMAPError.self) {
        try session.execute(.append(to: Array("x".utf8), body: .stream(source)))
      }
      #expect(!session.isUsable)
    }
  }

  @Test func `answers of earlier commands are taken while a plus is awaited`() throws {
    let (session, stream) = try openSession(
      "IMAP4rev1",
      then: """
        C: A2 NOOP
        C: A3 CREATE {2}
        S: * 4 EXISTS
        S: A2 OK done
        S: + go on
        C: ü
        S: A3 OK done
        """)
    var recorder = Recorder()
    try session.run([.noop, .create(Array("ü".utf8))], handler: &recorder)
    #expect(recorder.completions == [0, 1])
    #expect(recorder.entries.first == .received(.exists(4), 0))
    #expect(stream.rest == [])
  }

  @Test func `ENABLE and ID ride along with the first command and stay unseen`() throws {
    let (session, stream) = try openSession(
      "IMAP4rev1 ENABLE QRESYNC CONDSTORE ID",
      then: """
        C: A2 ID ("name" "mirror")
        C: A3 ENABLE QRESYNC
        C: A4 NOOP
        S: * ID ("name" "hMailServer")
        S: A2 OK done
        S: * ENABLED QRESYNC
        S: A3 OK done
        S: A4 OK done
        C: A5 NOOP
        S: A5 OK done
        """)
    var recorder = Recorder()
    try session.run([.noop], handler: &recorder)
    #expect(recorder.entries == [.completed(0, ok)])
    #expect(session.enabled.contains(.qresync))
    #expect(session.quirks.contains(.oneConnection))
    try session.execute(.noop)
    #expect(stream.rest == [])
  }

  @Test func `compression starts behind its completion, with the bytes that came along`() throws {
    let (session, stream) = try openSession(
      "IMAP4rev1 COMPRESS=DEFLATE",
      then: """
        C: A2 COMPRESS DEFLATE
        S: A2 OK go
        COMPRESS
        C: A3 NOOP
        S: A3 OK done
        """)
    #expect(try session.startCompression())
    try session.execute(.noop)
    #expect(stream.rest == [])
    #expect(try !session.startCompression())
  }

  @Test func `compression that is refused, or not offered, is done without`() throws {
    let (offered, _) = try openSession(
      "IMAP4rev1 COMPRESS=DEFLATE",
      then: """
        C: A2 COMPRESS DEFLATE
        S: A2 NO [COMPRESSIONACTIVE] TLS does that
        C: A3 NOOP
        S: A3 OK done
        """)
    #expect(try !offered.startCompression())
    try offered.execute(.noop)
    let (plain, stream) = try openSession(then: "")
    #expect(try !plain.startCompression())
    #expect(stream.lines.count == 1)
  }

  @Test func `logging out says so and does not wait`() throws {
    let (session, stream) = try openSession(then: "C: A2 LOGOUT")
    session.logout()
    #expect(stream.isClosed)
    #expect(stream.rest == [])
    session.logout()
  }

  @Test func `throttling is told with its time`() throws {
    let (session, _) = try openSession(
      then: """
        C: A2 NOOP
        S: A2 BAD Request is throttled. Suggested Backoff Time: 61000 milliseconds
        """)
    let words = "Request is throttled. Suggested Backoff Time: 61000 milliseconds"
    #expect(throws: IMAPError.throttled(seconds: 61, words)) { try session.execute(.noop) }
  }
}
