import MailCore
import SASL
import SMTPClient
import SMTPWire
import Testing

@testable import Transport

@Suite struct SMTPSessionTests {
  private static let opening = """
    S: 220 mail.example.org ESMTP
    C: EHLO [127.0.0.1]
    S: 250-mail.example.org
    S: 250-PIPELINING
    S: 250-CHUNKING
    S: 250 AUTH PLAIN
    C: AUTH PLAIN AGFsaWNlAHB3
    S: 235 2.7.0 ok

    """

  private func session(
    _ stream: ScriptedSMTPStream, _ change: (inout SMTPSessionOptions) -> Void = { _ in }
  ) -> SMTPSession {
    var options = SMTPSessionOptions(host: "mail.example.org", port: 465, user: "alice")
    change(&options)
    return SMTPSession(options: options, connect: { stream }, credential: { Secret("pw") })
  }

  private func open(_ script: String) throws -> (SMTPSession, ScriptedSMTPStream) {
    let stream = ScriptedSMTPStream(Self.opening + script)
    let session = session(stream)
    try session.open()
    return (session, stream)
  }

  private func plan(size: UInt64 = 10) throws -> SubmissionPlan {
    SubmissionPlan(
      sender: try SubmissionAddress("a@x.org"), recipients: [try SubmissionAddress("b@y.org")],
      size: size)
  }

  /// Hands out the text, at most `piece` bytes at a time.
  private func body(_ text: String, piece: Int = 5) -> (inout [UInt8]) throws -> Int {
    var rest = Array(text.utf8)[...]
    return { buffer in
      let count = min(piece, rest.count, buffer.count)
      for index in 0..<count { buffer[index] = rest[rest.startIndex + index] }
      rest = rest.dropFirst(count)
      return count
    }
  }

  private static let transaction = """
    C: MAIL FROM:<a@x.org>
    C: RCPT TO:<b@y.org>
    C: DATA
    S: 250 ok
    S: 250 ok
    S: 354 go

    """

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

  @Test func `a connection that dies in the body is lost, behind the dot unknown`() throws {
    let (first, _) = try open(Self.transaction + "C: Hi\nCLOSE\n")
    let lost = try first.submit(plan(), body: body("Hi\nthere\n")) { Issue.record("the end came") }
    guard case .lost = lost.result else {
      Issue.record("\(lost)")
      return
    }
    let (second, _) = try open(Self.transaction + "C: Hi\nC: .\nCLOSE\n")
    let unknown = try second.submit(plan(), body: body("Hi\n"), willEnd: {})
    guard case .unknown = unknown.result else {
      Issue.record("\(unknown)")
      return
    }
    #expect(!second.isUsable)
  }

  @Test func `a server that hangs up amid the message is heard out`() throws {
    let (session, _) = try open(
      Self.transaction + "C: Hi\nS: 552 5.3.4 Message too big for this host\nCLOSE\n")
    let outcome = try session.submit(plan(), body: body("Hi\nthere\n"), willEnd: {})
    guard case .refused(command: "the message", let reply) = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
    #expect(reply.code == 552)
  }

  @Test func `chunks hold the message, whole and in order`() throws {
    let line = String(repeating: "x", count: 76) + "\n"
    let text = ".\n" + String(repeating: line, count: 40_000)
    let (session, stream) = try open(
      """
      C: MAIL FROM:<a@x.org>
      C: RCPT TO:<b@y.org>
      S: 250 ok
      S: 250 ok
      C: BDAT …
      S: 250 ok
      S: 250 ok
      S: 250 ok
      """)
    let size = UInt64(text.utf8.count + 40_001)
    var noted = false
    let outcome = try session.submit(plan(size: size), body: body(text, piece: 50_000)) {
      noted = true
      // The end is still here, whatever was announced.
      #expect(stream.bytes.count < Int(size))
    }
    guard case .accepted = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
    #expect(noted)
    var rest = stream.bytes[...]
    var message: [UInt8] = []
    var headers: [String] = []
    while let end = rest.firstIndex(of: 10) {
      let line = String(decoding: rest[..<end], as: UTF8.self)
      rest = rest[(end + 1)...]
      guard line.hasPrefix("BDAT"), let count = Int(line.split { $0 == " " || $0 == "\r" }[1])
      else {
        continue
      }
      headers.append(line)
      message += rest.prefix(count)
      rest = rest.dropFirst(count)
    }
    #expect(headers.count == 3 && headers.last?.hasSuffix("LAST\r") == true)
    #expect(message == Array(text.replacing("\n", with: "\r\n").utf8))
    #expect(UInt64(message.count) == size)
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

  @Test
  func `the bytes of a chunk leave in pieces, each with a deadline of its own, the last one noted`()
    throws
  {
    let text = String(repeating: String(repeating: "x", count: 76) + "\n", count: 30_000)
    let (session, stream) = try open(
      """
      C: MAIL FROM:<a@x.org>
      C: RCPT TO:<b@y.org>
      S: 250 ok
      S: 250 ok
      C: BDAT …
      S: 250 ok
      S: 250 ok
      S: 250 ok
      """)
    let size = UInt64(text.utf8.count + 30_000)
    var before = 0
    let outcome = try session.submit(plan(size: size), body: body(text, piece: 50_000)) {
      before = stream.bytes.count
      // All but the very end has left, so a slow line dies before there is anything to be unknown.
      #expect(
        String(decoding: stream.bytes.suffix(50), as: UTF8.self).allSatisfy {
          $0 == "x" || $0.isNewline
        })
    }
    guard case .accepted = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
    #expect(stream.bytes.count - before <= 1024 && stream.bytes.count > before)
    #expect(stream.writes.allSatisfy { $0 <= 64 * 1024 })
  }

  @Test func `a line that dies before the last piece of a chunk is lost, not unknown`() throws {
    let text = String(repeating: String(repeating: "x", count: 76) + "\n", count: 20_000)
    let (session, stream) = try open(
      """
      C: MAIL FROM:<a@x.org>
      C: RCPT TO:<b@y.org>
      S: 250 ok
      S: 250 ok
      C: BDAT …
      S: 250 ok
      S: 250 ok
      S: 250 ok
      """)
    stream.diesBehind = 1_400_000
    let size = UInt64(text.utf8.count + 20_000)
    let outcome = try session.submit(plan(size: size), body: body(text, piece: 50_000)) {
      Issue.record("the end came")
    }
    guard case .lost = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test func `a dot that is never answered is unknown once its time is over, and no other step is`()
    throws
  {
    let whole = Self.opening + Self.transaction + "C: Hi\nC: .\n"
    for isAtEnd in [true, false] {
      let stream = ScriptedSMTPStream(isAtEnd ? whole : Self.opening + "C: MAIL FROM:<a@x.org>\n")
      stream.isSilentAtEnd = true
      let session = session(stream) {
        $0.commandSeconds = isAtEnd ? 60 : 0.1
        $0.endSeconds = isAtEnd ? 0.1 : 60
      }
      try session.open()
      let outcome = try session.submit(plan(), body: body("Hi\n"), willEnd: {})
      switch outcome.result {
      case .unknown: #expect(isAtEnd)
      case .lost: #expect(!isAtEnd)
      default: Issue.record("\(outcome)")
      }
      #expect(!session.isUsable)
    }
  }

  @Test func `a server that drips bytes gains no time`() throws {
    let stream = ScriptedSMTPStream(Self.opening + Self.transaction)
    let session = session(stream) { $0.commandSeconds = 0.2 }
    try session.open()
    stream.chunk = 1
    stream.pause = 0.05
    let outcome = try session.submit(plan(), body: body("Hi\n"), willEnd: {})
    guard case .lost = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test func `a session that is dead before MAIL is told from one that dies later`() throws {
    let (early, _) = try open("C: MAIL FROM:<a@x.org>\nCLOSE\n")
    #expect(try !early.submit(plan(), body: body("x"), willEnd: {}).wasBegun)
    let (later, _) = try open(Self.transaction + "C: Hi\nCLOSE\n")
    #expect(try later.submit(plan(), body: body("Hi\nthere\n"), willEnd: {}).wasBegun)
  }

  @Test func `what a server asks at the log-in is not logged`() {
    let lines = Lines()
    var transcript = WireTranscript(log: WireLog(label: "x") { lines.add($0) })
    transcript.hidesTraffic = true
    Array("334 cj1zZWNyZXQ=\r\n235 2.7.0 ok\r\n".utf8).withUnsafeBytes { transcript.received($0) }
    transcript.hidesTraffic = false
    Array("334 shown\r\n".utf8).withUnsafeBytes { transcript.received($0) }
    let text = lines.all.joined(separator: "\n")
    #expect(!text.contains("cj1z") && text.contains("235 2.7.0 ok") && text.contains("334 shown"))
  }

  private final class Lines: @unchecked Sendable {  // one thread
    private(set) var all: [String] = []
    func add(_ line: String) { all.append(line) }
  }

  @Test func `no password leaves in plain text, and none with what came before TLS`() throws {
    let plain = ScriptedSMTPStream("S: 220 hi")
    plain.isEncrypted = false
    #expect(throws: SMTPError.plaintextRefused) { try session(plain).open() }
    let injected = ScriptedSMTPStream(
      """
      S: 220 hi
      C: EHLO [127.0.0.1]
      S: 250-hi
      S: 250 STARTTLS
      C: STARTTLS
      S: 220 go
      S: 250 AUTH PLAIN
      TLS
      """)
    injected.isEncrypted = false
    #expect(throws: SMTPError.startTLSInjected) {
      try session(injected) { $0.opening.wantsStartTLS = true }.open()
    }
    #expect(injected.isClosed)
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
