import MailCore
import SASL
import SMTPClient
import SMTPWire

/// Suites of sessions with a scripted server.
protocol ScriptedSessions {}

extension ScriptedSessions {
  static var opening: String {
    """
    S: 220 mail.example.org ESMTP
    C: EHLO [127.0.0.1]
    S: 250-mail.example.org
    S: 250-PIPELINING
    S: 250-CHUNKING
    S: 250 AUTH PLAIN
    C: AUTH PLAIN AGFsaWNlAHB3
    S: 235 2.7.0 ok

    """
  }

  func session(
    _ stream: ScriptedSMTPStream, _ change: (inout SMTPSessionOptions) -> Void = { _ in }
  ) -> SMTPSession {
    var options = SMTPSessionOptions(host: "mail.example.org", port: 465, user: "alice")
    change(&options)
    return SMTPSession(options: options, connect: { stream }, credential: { Secret("pw") })
  }

  func open(_ script: String) throws -> (SMTPSession, ScriptedSMTPStream) {
    let stream = ScriptedSMTPStream(Self.opening + script)
    let session = session(stream)
    try session.open()
    return (session, stream)
  }

  func plan(size: UInt64 = 10) throws -> SubmissionPlan {
    SubmissionPlan(
      sender: try SubmissionAddress("a@x.org"), recipients: [try SubmissionAddress("b@y.org")],
      size: size)
  }

  /// Hands out the text, at most `piece` bytes at a time.
  func body(_ text: String, piece: Int = 5) -> (inout [UInt8]) throws -> Int {
    var rest = Array(text.utf8)[...]
    return { buffer in
      let count = min(piece, rest.count, buffer.count)
      for index in 0..<count { buffer[index] = rest[rest.startIndex + index] }
      rest = rest.dropFirst(count)
      return count
    }
  }

  static var transaction: String {
    """
    C: MAIL FROM:<a@x.org>
    C: RCPT TO:<b@y.org>
    C: DATA
    S: 250 ok
    S: 250 ok
    S: 354 go

    """
  }
}
