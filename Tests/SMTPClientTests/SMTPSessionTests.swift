import MailCore
import SASL
import SMTPClient
import SMTPWire
import Testing

@testable import Transport

@Suite struct SMTPSessionTests: ScriptedSessions {
  @Test func `many messages on one connection, and a reset where one was left open`() throws {
    let (session, stream) = try open(
      Self.transaction + """
        C: Hi
        C: ..
        C: .
        S: 250 queued as 1
        C: MAIL FROM:<a@x.org>
        C: RCPT TO:<b@y.org>
        C: DATA
        S: 250 ok
        S: 550 no
        S: 503 no
        C: RSET
        S: 250 ok

        """ + Self.transaction + """
          C: Bye
          C: .
          S: 250 queued as 3
          C: QUIT
          """)
    var notes = 0
    let first = try session.submit(plan(), body: body("Hi\n.\n")) { notes += 1 }
    #expect(first.result == .accepted(Reply(code: 250, lines: ["queued as 1"])))
    let second = try session.submit(plan(), body: body("x")) { notes += 1 }
    #expect(second.result == .noRecipient)
    let third = try session.submit(plan(), body: body("Bye")) { notes += 1 }
    #expect(third.result == .accepted(Reply(code: 250, lines: ["queued as 3"])))
    #expect(notes == 2)
    session.quit()
    #expect(stream.rest.isEmpty && stream.isClosed)
    #expect(!stream.logged.contains { $0?.contains("AGFs") ?? false })
    #expect(stream.logged[1] == "hidden")
  }

  @Test func `the end is noted before it leaves, and not sent where it cannot be noted`() throws {
    struct DiskFull: Error {}
    let (session, stream) = try open(Self.transaction + "C: Hi\nC: .\nS: 250 ok\n")
    #expect(throws: DiskFull.self) {
      try session.submit(plan(), body: body("Hi\n")) {
        #expect(stream.lines.last == "Hi")
        throw DiskFull()
      }
    }
    #expect(stream.lines.last == "Hi")
    #expect(stream.isClosed && !session.isUsable)
    #expect(throws: SMTPError.sessionOver) {
      try session.submit(plan(), body: body("Hi\n"), willEnd: {})
    }
  }

  @Test func `a body that cannot be read is never half sent`() throws {
    struct Unreadable: Error {}
    let (session, stream) = try open(Self.transaction + "C: Hi\nC: .\nS: 250 ok\n")
    var reads = 0
    #expect(throws: Unreadable.self) {
      try session.submit(
        plan(),
        body: { buffer in
          reads += 1
          guard reads == 1 else { throw Unreadable() }
          return buffer.count
        }, willEnd: { Issue.record("the end came") })
    }
    #expect(!stream.lines.contains("."))
  }

  @Test
  func `a session that was left open is reset before the next message, whatever came between`()
    throws
  {
    let (session, stream) = try open(
      """
      C: MAIL FROM:<a@x.org>
      C: RCPT TO:<b@y.org>
      C: DATA
      S: 250 ok
      S: 550 no
      S: 503 no
      C: RSET
      S: 250 ok

      """ + Self.transaction + """
        C: Hi
        C: .
        S: 250 queued
        """)
    #expect(try session.submit(plan(), body: body("x"), willEnd: {}).result == .noRecipient)
    var unsuitable = try plan()
    unsuitable.hasEightBitBody = true
    let second = try session.submit(unsuitable, body: body("x"), willEnd: {})
    #expect(second.result == .unsuitable(.needsSevenBit) && second.needsReset)
    let third = try session.submit(plan(), body: body("Hi\n"), willEnd: {})
    guard case .accepted = third.result else {
      Issue.record("\(third)")
      return
    }
    #expect(stream.rest.isEmpty)
  }

  @Test func `MAILMAX ends the session in time`() throws {
    let stream = ScriptedSMTPStream(
      """
      S: 220 hi
      C: EHLO [127.0.0.1]
      S: 250-hi
      S: 250-LIMITS MAILMAX=1
      S: 250 AUTH PLAIN
      C: AUTH PLAIN AGFsaWNlAHB3
      S: 235 ok
      C: MAIL FROM:<a@x.org>
      S: 550 no
      """)
    let session = session(stream)
    try session.open()
    _ = try session.submit(plan(), body: body("x"), willEnd: {})
    #expect(!session.isUsable)
  }

  @Test func `what the server is told nothing of uses up none of MAILMAX`() throws {
    let stream = ScriptedSMTPStream(
      """
      S: 220 hi
      C: EHLO [127.0.0.1]
      S: 250-hi
      S: 250-PIPELINING
      S: 250-LIMITS MAILMAX=1
      S: 250 AUTH PLAIN
      C: AUTH PLAIN AGFsaWNlAHB3
      S: 235 ok

      """ + Self.transaction + "C: Hi\nC: .\nS: 250 queued\n")
    let session = session(stream)
    try session.open()
    var unsuitable = try plan()
    unsuitable.hasEightBitBody = true
    for _ in 0..<2 {
      let outcome = try session.submit(unsuitable, body: body("x"), willEnd: {})
      #expect(outcome.result == .unsuitable(.needsSevenBit) && session.isUsable)
    }
    let outcome = try session.submit(plan(), body: body("Hi\n"), willEnd: {})
    guard case .accepted = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
    #expect(!session.isUsable && stream.rest.isEmpty)
  }

  @Test(arguments: 1...7) func `where the server's bytes are cut makes no difference`(size: Int)
    throws
  {
    let stream = ScriptedSMTPStream(
      Self.opening + Self.transaction + "C: Hi\nC: .\nS: 250-2.0.0 a\nS: 250 2.0.0 b\n")
    stream.chunk = size
    let session = session(stream)
    try session.open()
    let outcome = try session.submit(plan(), body: body("Hi\n", piece: size), willEnd: {})
    #expect(
      outcome.result
        == .accepted(Reply(code: 250, enhanced: EnhancedStatus(2, 0, 0), lines: ["a", "b"])))
  }
}
