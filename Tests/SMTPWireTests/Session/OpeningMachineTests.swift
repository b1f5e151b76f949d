import MailCore
import SASL
import Testing

@testable import SMTPWire

@Suite struct OpeningMachineTests {
  @Test func `Postfix with STARTTLS and PLAIN`() throws {
    var dialogue = Dialogue(
      """
      S: 220 mail.example.org ESMTP Postfix (Debian)
      C: EHLO [127.0.0.1]
      S: 250-mail.example.org
      S: 250-PIPELINING
      S: 250-STARTTLS
      S: 250 AUTH PLAIN LOGIN
      C: STARTTLS
      S: 220 2.0.0 Ready to start TLS
      C: EHLO [127.0.0.1]
      S: 250-mail.example.org
      S: 250-SIZE 10240000
      S: 250 AUTH PLAIN LOGIN
      C: AUTH PLAIN AGFsaWNlAHB3
      S: 235 2.7.0 Authentication successful
      """)
    let extensions = try dialogue.open(.init(wantsStartTLS: true))
    #expect(dialogue.notes == ["TLS"])
    #expect(dialogue.rest.isEmpty)
    // What was said before TLS does not count.
    #expect(!extensions.pipelining && extensions.maximumSize == 10_240_000)
  }

  @Test func `Exchange's LOGIN, question by question`() throws {
    var dialogue = Dialogue(
      """
      S: 220 AM0PR01CA0123.outlook.office365.com Microsoft ESMTP MAIL Service ready
      C: EHLO [127.0.0.1]
      S: 250-AM0PR01CA0123.outlook.office365.com Hello [203.0.113.9]
      S: 250 AUTH LOGIN XOAUTH2
      C: AUTH LOGIN
      S: 334 VXNlcm5hbWU6
      C: YWxpY2U=
      S: 334 UGFzc3dvcmQ6
      C: cHc=
      S: 235 2.7.0 Authentication successful target host x.prod.outlook.com
      """)
    _ = try dialogue.open(.init())
    #expect(dialogue.rest.isEmpty)
  }

  @Test func `a long initial response waits for the server's question`() throws {
    let secret = String(repeating: "x", count: 600)
    var dialogue = Dialogue(
      """
      S: 220 hi
      C: EHLO [127.0.0.1]
      S: 250-hi
      S: 250 AUTH PLAIN
      C: AUTH PLAIN
      S: 334 go ahead
      C: \(String(decoding: Base64.encode(Array("\0alice\0\(secret)".utf8)), as: UTF8.self))
      S: 235 ok
      """)
    _ = try dialogue.open(.init(), secret: secret)
    #expect(dialogue.rest.isEmpty)
  }

  @Test func `a wrong password is told at once and not tried in another way`() throws {
    var dialogue = Dialogue(
      """
      S: 220 smtp.gmail.com ESMTP
      C: EHLO [127.0.0.1]
      S: 250-smtp.gmail.com at your service
      S: 250 AUTH LOGIN PLAIN
      C: AUTH PLAIN AGFsaWNlAHB3
      S: 535-5.7.8 Username and Password not accepted. For more information, go to
      S: 535 5.7.8  https://support.google.com/mail/?p=BadCredentials 5b1f17b1804b1 - gsmtp
      """)
    #expect {
      try dialogue.open(.init())
    } throws: { error in
      guard case SMTPError.loginRefused(let reply, _) = error else { return false }
      return reply.enhanced == EnhancedStatus(5, 7, 8)
    }
  }

  @Test func `a mechanism that the server cannot do gives way to the next`() throws {
    var dialogue = Dialogue(
      """
      S: 220 hi
      C: EHLO [127.0.0.1]
      S: 250-hi
      S: 250 AUTH PLAIN LOGIN
      C: AUTH PLAIN AGFsaWNlAHB3
      S: 504 5.5.4 Unrecognized authentication type
      C: AUTH LOGIN
      S: 334 VXNlcm5hbWU6
      C: YWxpY2U=
      S: 334 UGFzc3dvcmQ6
      C: cHc=
      S: 235 ok
      """)
    _ = try dialogue.open(.init())
    #expect(dialogue.rest.isEmpty)
  }

  /// GNU mailutils and Dovecot over hashed passwords announce what they have no secrets for.
  @Test func `a mechanism refused before a proof gives way once, and no further`() throws {
    let opening = """
      S: 220 hi
      C: EHLO [127.0.0.1]
      S: 250-hi
      S: 250 AUTH SCRAM-SHA-256 CRAM-MD5 LOGIN PLAIN
      C: AUTH SCRAM-SHA-256 biws…
      S: 535 5.7.8 authentication failed
      C: AUTH PLAIN AGFsaWNlAHB3

      """
    var taken = Dialogue(opening + "S: 235 ok\n")
    _ = try taken.open(.init(), digests: .inert)
    #expect(taken.rest.isEmpty)
    // Not LOGIN, nor CRAM-MD5: the password is judged, and servers lock accounts.
    var refused = Dialogue(opening + "S: 535 5.7.8 authentication failed\nC: QUIT\n")
    #expect {
      try refused.open(.init(), digests: .inert)
    } throws: { error in
      if case SMTPError.loginRefused = error { true } else { false }
    }
    #expect(refused.rest == [.client("QUIT")])
  }

  @Test(arguments: [
    ("S: 421 4.3.2 try later", true), ("S: 554 5.7.1 you are listed", false),
    ("S: 220 x\nC: EHLO [127.0.0.1]\nS: 250 nothing", false),
    (
      "S: 220 x\nC: EHLO [127.0.0.1]\nS: 250-x\nS: 250 STARTTLS\nC: STARTTLS\nS: 454 4.7.0 TLS not available",
      true
    ),
  ])
  func `who is turned away knows whether to come back`(script: String, mayPass: Bool) {
    var dialogue = Dialogue(script)
    #expect {
      try dialogue.open(.init(wantsStartTLS: true))
    } throws: { error in
      switch error as? SMTPError {
      case .turnedAway(let reply), .refused(_, let reply): reply.isDeferral == mayPass
      case let other: other == .startTLSUnavailable && !mayPass
      }
    }
  }

  @Test func `busy at log-in is no wrong password`() {
    var dialogue = Dialogue(
      """
      S: 220 hi
      C: EHLO [127.0.0.1]
      S: 250-hi
      S: 250 AUTH PLAIN
      C: AUTH PLAIN AGFsaWNlAHB3
      S: 454 4.7.0 Temporary authentication failure
      """)
    #expect {
      try dialogue.open(.init())
    } throws: { error in
      if case .loginUnavailable = error as? SMTPError { true } else { false }
    }
  }

  @Test func `a challenge that is no base64 is cancelled`() throws {
    var dialogue = Dialogue(
      """
      S: 220 hi
      C: EHLO [127.0.0.1]
      S: 250-hi
      S: 250 AUTH CRAM-MD5
      C: AUTH CRAM-MD5
      S: 334 ???
      C: *
      S: 501 cancelled
      """)
    #expect(throws: SASLError.self) { try dialogue.open(.init()) }
    #expect(dialogue.rest.isEmpty)
  }

  @Test func `a server of this machine without log-in, and one without EHLO`() throws {
    var dialogue = Dialogue(
      """
      S: 220 hi
      C: EHLO [127.0.0.1]
      S: 502 what?
      C: HELO [127.0.0.1]
      S: 250 hello
      """)
    #expect(try dialogue.open(.init(wantsLogin: false)) == ServerExtensions())
  }
}

extension SASLDigests {
  /// Enough for a first message of SCRAM.
  fileprivate static let inert = SASLDigests(
    hash: { _, _ in [] }, hmac: { _, _, _ in [] }, pbkdf2: { _, _, _, _ in [] },
    randomBytes: { [UInt8](repeating: 7, count: $0) }, compatibilityNormalised: { $0 })
}
