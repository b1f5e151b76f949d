import IMAPClient
import IMAPWire
import MailCore
import MailTestKit
import Testing

/// The list of mailboxes asked for together with the log-in.
struct AheadTests {
  private static let greeting = "Dovecot ready."
  private static let offer = "IMAP4rev1 ENABLE CONDSTORE NAMESPACE LIST-STATUS"
  private static let list =
    #"LIST "" "*" RETURN (STATUS (MESSAGES UIDNEXT UIDVALIDITY HIGHESTMODSEQ))"#
  private static let answers = """
    S: * ENABLED CONDSTORE
    S: A2 OK enabled
    S: * NAMESPACE (("" "/")) NIL NIL
    S: A3 OK namespace
    S: * LIST () "/" INBOX
    S: * STATUS INBOX (MESSAGES 3 UIDNEXT 9 UIDVALIDITY 7 HIGHESTMODSEQ 5)
    S: A4 OK done
    """
  private static let asked = "C: A2 ENABLE CONDSTORE\nC: A3 NAMESPACE\nC: A4 \(list)"

  private func meet(
    _ script: String, greeting: String = greeting, offer: String? = offer,
    known: String = greeting
  ) -> (IMAPSession, ScriptedStream) {
    let stream = ScriptedStream(
      "S: * OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] \(greeting)\n"
        + "C: A1 AUTHENTICATE PLAIN AGFsaWNlAHB3\n" + script)
    let session = session(stream) {
      $0.known = KnownServer(
        greeting: known,
        capabilities: offer.map { CapabilitySet($0.split(separator: " ").map(String.init)) })
    }
    return (session, stream)
  }

  @Test func `of a known server the list comes with the log-in`() throws {
    let (session, stream) = meet(
      "\(Self.asked)\nS: A1 OK [CAPABILITY \(Self.offer)] in\n\(Self.answers)")
    try session.open()
    let listings = try session.discover()
    #expect(listings.map(\.status?.messages) == [3])
    #expect(session.namespaces != nil && session.enabled.contains(.condstore))
    #expect(stream.roundTrips == 2)
    #expect(stream.rest == [] && session.isUsable)
    // The log shows what is no secret.
    #expect(stream.loggedAs == ["AUTHENTICATE …", nil] && stream.hiddenWrites == 1)
    #expect(session.met == session.options.known)
  }

  @Test func `a server that can do something else by now is asked anew`() throws {
    let (session, stream) = meet(
      """
      \(Self.asked)
      S: A1 OK [CAPABILITY IMAP4rev1 LIST-STATUS] in
      S: A2 BAD what
      S: A3 BAD what
      S: A4 BAD what
      C: A5 LIST "" "*" RETURN (STATUS (MESSAGES UIDNEXT UIDVALIDITY))
      S: * LIST () "/" INBOX
      S: * STATUS INBOX (MESSAGES 3 UIDNEXT 9 UIDVALIDITY 7)
      S: A5 OK done
      """)
    try session.open()
    #expect(try session.discover().map(\.status?.messages) == [3])
    #expect(stream.rest == [])
    #expect(session.met?.capabilities == CapabilitySet(["IMAP4rev1", "LIST-STATUS"]))
  }

  @Test func `a server that tells what it can do only when asked loses no answer`() throws {
    let (session, stream) = meet(
      """
      \(Self.asked)
      S: A1 OK in
      \(Self.answers)
      C: A5 CAPABILITY
      S: * CAPABILITY \(Self.offer)
      S: A5 OK told
      C: A6 ENABLE CONDSTORE
      C: A7 \(Self.list)
      S: A6 OK enabled
      S: * LIST () "/" INBOX
      S: A7 OK done
      C: A8 STATUS "INBOX"…
      S: A8 NO no
      """)
    try session.open()
    #expect(try session.discover().count == 1)
    #expect(stream.rest == [])
  }

  @Test func `a list that is refused is asked for again`() throws {
    let (session, stream) = meet(
      """
      \(Self.asked)
      S: A1 OK [CAPABILITY \(Self.offer)] in
      S: A2 OK
      S: A3 OK
      S: A4 NO not now
      C: A5 NAMESPACE
      C: A6 \(Self.list)
      S: A5 OK
      S: * LIST () "/" INBOX
      S: * STATUS INBOX (MESSAGES 3)
      S: A6 OK done
      """)
    try session.open()
    #expect(try session.discover().count == 1)
    #expect(stream.rest == [])
  }

  @Test(arguments: [
    (greeting: "Dovecot ready.", known: "Dovecot (Debian) ready.", offer: offer),
    (greeting: "IMAP4 ready", known: "IMAP4 ready", offer: offer),
    (greeting: "Dovecot ready.", known: "Dovecot ready.", offer: nil),
    (greeting: "Dovecot ready.", known: "Dovecot ready.", offer: "IMAP4rev1 CONDSTORE"),
  ])
  func `who is not known to answer is not asked`(
    greeting: String, known: String, offer: String?
  ) throws {
    let (session, stream) = meet(
      """
      S: A1 OK [CAPABILITY IMAP4rev1] in
      C: A2 LIST "" "*"
      S: * LIST (\\Noselect) "/" x
      S: A2 OK done
      """, greeting: greeting, offer: offer, known: known)
    try session.open()
    #expect(try session.discover().count == 1)
    #expect(stream.rest == [])
  }

  @Test func `a log-in that is refused is refused`() throws {
    let (session, _) = meet(
      "\(Self.asked)\nS: A1 NO [AUTHENTICATIONFAILED] no\nS: A2 BAD log in\nS: A3 BAD\nS: A4 BAD")
    let error = #expect(throws: IMAPError.self) { try session.open() }
    #expect(error == .loginRefused("no", hasCode: true))
    #expect(!session.isUsable)
  }

  @Test func `an AUTHENTICATE that has to be said otherwise comes behind the answers`() throws {
    let (session, stream) = meet(
      """
      \(Self.asked)
      S: A1 BAD no initial response
      S: A2 BAD log in
      S: A3 BAD log in
      S: A4 BAD log in
      C: A5 AUTHENTICATE PLAIN
      S: +\\x20
      C: AGFsaWNlAHB3
      S: A5 OK [CAPABILITY IMAP4rev1] in
      C: A6 LIST "" "*"
      S: * LIST (\\Noselect) "/" x
      S: A6 OK done
      """)
    try session.open()
    #expect(try session.discover().count == 1)
    #expect(stream.rest == [])
  }

  @Test func `a challenge that took what came behind for its answer ends the session`() throws {
    let (session, _) = meet("\(Self.asked)\nS: + more")
    let error = #expect(throws: IMAPError.self) { try session.open() }
    guard case .protocolViolation? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(session.hasAskedAhead)
  }

  @Test func `another command first lets the answers pass by`() throws {
    let (session, stream) = meet(
      """
      \(Self.asked)
      S: A1 OK [CAPABILITY \(Self.offer)] in
      \(Self.answers)
      C: A5 NOOP
      S: A5 OK noop
      C: A6 \(Self.list)
      S: * LIST (\\Noselect) "/" x
      S: A6 OK done
      """)
    try session.open()
    try session.execute(.noop)
    #expect(try session.discover().count == 1)
    #expect(stream.rest == [])
  }

  @Test func `what is remembered of a server is read as it was written`() {
    let known = KnownServer(greeting: "Dovecot ready.", capabilities: CapabilitySet(["A", "B=C"]))
    #expect(KnownServer(text: known.text) == known)
    let silent = KnownServer(greeting: "", capabilities: nil)
    #expect(KnownServer(text: silent.text) == silent)
    #expect(KnownServer(text: "x") == nil)
    #expect(silent.isSilent(as: KnownServer(greeting: "", capabilities: CapabilitySet(["A"]))))
    #expect(!silent.isSilent(as: known) && !known.isSilent(as: known))
  }
}
