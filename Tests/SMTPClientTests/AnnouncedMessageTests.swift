import MailCore
import SMTPClient
import SMTPWire
import Testing

/// The envelope of the next message leaves behind the end of this one (RFC 2920 §3.1).
@Suite struct AnnouncedMessageTests: ScriptedSessions {
  private static var announced: String {
    """
    C: Hi
    C: .
    C: MAIL FROM:<a@x.org>
    C: RCPT TO:<b@y.org>
    C: DATA
    S: 250 first

    """
  }

  private func next(_ plan: SubmissionPlan?) -> () -> SubmissionPlan? { { plan } }

  @Test func `of many messages each takes one round trip`() throws {
    let answers = "S: 250 ok\nS: 250 ok\nS: 354 go\n"
    let (session, stream) = try open(
      Self.transaction + Self.announced + answers + Self.announced + answers
        + "C: Hi\nC: .\nS: 250 last\nC: QUIT\n")
    let before = stream.waits
    for number in 1...3 {
      let outcome = try session.submit(
        plan(), body: body("Hi\n"), next: next(number < 3 ? plan() : nil), willEnd: {})
      guard case .accepted = outcome.result else {
        Issue.record("\(outcome)")
        return
      }
    }
    #expect(stream.waits - before == 4)
    session.quit()
    #expect(stream.rest.isEmpty)
  }

  @Test func `each message has its own answers, whatever the one before was told`() throws {
    let (session, stream) = try open(
      Self.transaction
        + Self.announced.replacing("250 first", with: "554 5.7.1 spam")
        + "S: 250 ok\nS: 550 5.1.1 nobody\nS: 503 no\nC: RSET\nS: 250 ok\n" + Self.transaction
        + "C: Hi\nC: .\nS: 250 last\n")
    let first = try session.submit(plan(), body: body("Hi\n"), next: next(plan()), willEnd: {})
    guard case .refused(command: "the message", _) = first.result else {
      Issue.record("\(first)")
      return
    }
    let second = try session.submit(plan(), body: body("Hi\n")) { Issue.record("the end came") }
    #expect(second.result == .noRecipient && second.needsReset)
    let third = try session.submit(plan(), body: body("Hi\n"), willEnd: {})
    guard case .accepted = third.result else {
      Issue.record("\(third)")
      return
    }
    #expect(stream.rest.isEmpty)
  }

  @Test func `another message, or none, costs the connection and nothing else`() throws {
    for goesOn in [true, false] {
      let (session, stream) = try open(
        Self.transaction + Self.announced + "S: 250 ok\nS: 250 ok\nS: 354 go\n")
      _ = try session.submit(plan(), body: body("Hi\n"), next: next(plan()), willEnd: {})
      #expect(session.isUsable)
      if goesOn {
        let other = try session.submit(plan(size: 11), body: body("other")) {
          Issue.record("the end came")
        }
        guard case .lost = other.result else {
          Issue.record("\(other)")
          return
        }
        #expect(!other.wasBegun && other.recipients == [.notTried] && !session.isUsable)
      } else {
        session.quit()
      }
      // Not a byte more: the server takes it for the announced message's text.
      #expect(stream.isClosed && stream.lines.last == "DATA")
    }
  }

  @Test
  func `a connection that dies before the answer leaves the first unknown, the next untouched`()
    throws
  {
    let (session, _) = try open(Self.transaction + "C: Hi\nC: .\nC: MAIL FROM:<a@x.org>\nCLOSE\n")
    let outcome = try session.submit(plan(), body: body("Hi\n"), next: next(plan()), willEnd: {})
    guard case .unknown = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
    #expect(!session.isUsable)
  }

  @Test func `a server that ends the session after a message has not begun the next`() throws {
    let (session, _) = try open(
      Self.transaction + Self.announced + "S: 421 4.3.2 shutting down\nCLOSE\n")
    _ = try session.submit(plan(), body: body("Hi\n"), next: next(plan()), willEnd: {})
    let second = try session.submit(plan(), body: body("Hi\n")) { Issue.record("the end came") }
    guard case .deferred(command: "MAIL", _) = second.result else {
      Issue.record("\(second)")
      return
    }
    #expect(!second.wasBegun)
  }

  @Test func `a server that forgets an announcement is waited for as for any command`() throws {
    let stream = ScriptedSMTPStream(Self.opening + Self.transaction + Self.announced)
    let session = session(stream) { $0.commandSeconds = 0.1 }
    try session.open()
    stream.isSilentAtEnd = true
    let first = try session.submit(plan(), body: body("Hi\n"), next: next(plan()), willEnd: {})
    guard case .accepted = first.result else {
      Issue.record("\(first)")
      return
    }
    let second = try session.submit(plan(), body: body("Hi\n")) { Issue.record("the end came") }
    guard case .lost = second.result else {
      Issue.record("\(second)")
      return
    }
    #expect(!second.wasBegun && !session.isUsable)
  }

  @Test func `nothing is announced to a server without PIPELINING, nor beyond MAILMAX`() throws {
    for capability in ["SIZE", "LIMITS MAILMAX=1", "PIPELINING"] {
      let stream = ScriptedSMTPStream(
        Self.opening.replacing("S: 250-PIPELINING\n", with: "S: 250-\(capability)\n")
          .replacing("CHUNKING", with: capability.hasPrefix("LIMITS") ? "PIPELINING" : "HELP")
          + "S: 250 ok\nS: 250 ok\nS: 354 go\nS: 250 done\n")
      let session = session(stream)
      try session.open()
      var isAsked = false
      _ = try session.submit(
        plan(), body: body("Hi\n"),
        next: {
          isAsked = true
          return try? plan()
        }, willEnd: {})
      let isAnnounced = stream.lines.last == "DATA"
      #expect(isAnnounced == (capability == "PIPELINING"), "\(stream.lines)")
      #expect(isAsked == !capability.hasPrefix("LIMITS"))
    }
  }
}
