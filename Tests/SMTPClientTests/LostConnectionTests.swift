import MailCore
import SASL
import SMTPClient
import SMTPWire
import Testing

@testable import Transport

/// Servers that hang up, stay silent, or take their time.
@Suite struct LostConnectionTests: ScriptedSessions {
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

  enum Fault: CaseIterable { case silence, hangUp, closing }

  /// The one end of a message that nobody can tell is behind its dot.
  @Test(arguments: Fault.allCases)
  func `at whichever reply a server falls silent, hangs up or closes, only the dot leaves a doubt`(
    fault: Fault
  ) throws {
    let whole = (Self.opening + Self.transaction + "C: Hi\nC: .\nS: 250 ok\n").split(
      separator: "\n")
    let dot = try #require(whole.firstIndex(of: "C: ."))
    let replies = whole.indices.filter { whole[$0].hasPrefix("S: ") }
    #expect(replies.count == 10)
    for place in replies {
      var script = Array(whole[..<place])
      if fault == .closing { script.append("S: 421 4.3.2 closing") }
      if fault != .silence { script.append("CLOSE") }
      let stream = ScriptedSMTPStream(script.joined(separator: "\n") + "\n")
      stream.isSilentAtEnd = fault == .silence
      let session = session(stream) {
        $0.greetingSeconds = 0.1
        $0.commandSeconds = 0.1
        $0.endSeconds = 0.1
      }
      guard (try? session.open()) != nil else {
        #expect(place < 8, "\(place)")
        continue
      }
      let outcome = try session.submit(plan(), body: body("Hi\n"), willEnd: {})
      switch outcome.result {
      case .accepted: Issue.record("\(place): \(outcome)")
      case .unknown: #expect(place > dot && fault != .closing, "\(place): \(outcome)")
      default: #expect(place < dot || fault == .closing, "\(place): \(outcome)")
      }
      #expect(!session.isUsable, "\(place)")
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
}
