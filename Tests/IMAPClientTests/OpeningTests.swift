import IMAPClient
import IMAPWire
import MailCore
import SASL
import Testing

struct OpeningTests {
  @Test(
    arguments: [
      "gmail", "dovecot", "cyrus", "exchange", "icloud", "courier", "coremail", "proton", "strato",
      "yahoo",
    ], [1, 1000])
  func `a server's dialogue is followed to the letter`(server: String, chunk: Int) throws {
    let stream = try ScriptedStream.fixture("\(server)/open")
    stream.chunk = chunk
    let session = session(stream)
    try session.open()
    let listings = try session.discover()
    #expect(stream.rest == [])
    #expect(listings.contains { $0.name.isInbox && $0.status?.uidValidity != nil })
    #expect(session.isUsable)
  }

  @Test func `a modern server needs three round trips up to all STATUS`() throws {
    let stream = try ScriptedStream.fixture("dovecot/open")
    let session = session(stream)
    try session.open()
    _ = try session.discover()
    #expect(stream.roundTrips == 3)
  }

  @Test func `what Gmail tells is understood`() throws {
    let session = session(try .fixture("gmail/open"))
    try session.open()
    let listings = try session.discover()
    #expect(session.families == [.gmail])
    #expect(session.quirks.contains(.gmail))
    #expect(session.enabled.contains(.utf8Accept))
    #expect(session.names.isUTF8)
    #expect(session.maximumCommandLength == 8192)
    #expect(session.serverID?.name == "GImap")
    #expect(listings.map(\.specialUse) == [[], [], [.all], [.important], []])
    #expect(listings.last?.name.text == "R&D Büro")
    #expect(listings[1].isSelectable == false && listings[1].status == nil)
  }

  @Test func `what Exchange tells is understood`() throws {
    let session = session(try .fixture("exchange/open"))
    try session.open()
    let listings = try session.discover()
    #expect(session.quirks.contains(.wrongSizes))
    #expect(session.maximumCommandLength == 1000)
    #expect(listings[0].status?.messages == 4)
    #expect(listings[1].status?.uidValidity == UIDValidity(15))
    #expect(listings[2].statusFailure?.text == "Server Unavailable. 15")
  }

  @Test func `iCloud's QRESYNC is left alone unless the configuration insists`() throws {
    let wary = session(try .fixture("icloud/open"))
    try wary.open()
    #expect(!wary.capabilities.contains(.qresync))
    #expect(wary.capabilities.contains(.condstore))
  }

  @Test func `Cyrus is not asked for mailbox ids but by SELECT`() throws {
    let session = session(try .fixture("cyrus/open"))
    try session.open()
    #expect(session.capabilities.contains(.objectID))
    let listings = try session.discover()
    #expect(listings.map { $0.status?.mailboxID } == [nil, nil])
    #expect(session.isUsable)
  }

  @Test func `STARTTLS comes first, and the capabilities from before it are forgotten`() throws {
    let stream = ScriptedStream(
      """
      S: * OK [CAPABILITY IMAP4rev1 STARTTLS SASL-IR AUTH=CRAM-MD5] ready
      C: A1 STARTTLS
      S: A1 OK go on
      TLS
      C: A2 CAPABILITY
      S: * CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN
      S: A2 OK done
      C: A3 AUTHENTICATE PLAIN AGFsaWNlAHB3
      S: A3 OK [CAPABILITY IMAP4rev1] in
      """)
    stream.isEncrypted = false
    let session = session(stream) { $0.wantsStartTLS = true }
    try session.open()
    #expect(stream.rest == [])
  }

  @Test func `bytes behind STARTTLS's OK are an attack`() {
    let stream = ScriptedStream(
      """
      S: * OK [CAPABILITY IMAP4rev1 STARTTLS] ready
      C: A1 STARTTLS
      S: A1 OK go on
      S: * CAPABILITY IMAP4rev1 AUTH=PLAIN
      TLS
      """)
    stream.isEncrypted = false
    let session = session(stream) { $0.wantsStartTLS = true }
    #expect(throws: IMAPError.startTLSInjected) { try session.open() }
    #expect(stream.isClosed)
    #expect(stream.lines == ["A1 STARTTLS"])
  }

  @Test func `nothing secret leaves on a plain connection, except to this machine`() throws {
    let remote = ScriptedStream("S: * OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] ready")
    remote.isEncrypted = false
    #expect(throws: IMAPError.plaintextRefused) { try session(remote).open() }
    #expect(remote.lines.isEmpty)

    let local = ScriptedStream(
      """
      S: * OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] ready
      C: A1 AUTHENTICATE PLAIN AGFsaWNlAHB3
      S: A1 OK [CAPABILITY IMAP4rev1] in
      """)
    local.isEncrypted = false
    local.isPeerLoopback = true
    try session(local).open()
    #expect(local.rest == [])
  }

  @Test func `the password is asked for only when the server is ready for it`() {
    let stream = ScriptedStream("S: * BYE Too many connections")
    var asked = false
    let session = IMAPSession(
      options: IMAPSessionOptions(host: "h", port: 993, user: "alice"), connect: { stream },
      credential: {
        asked = true
        return Secret("pw")
      })
    #expect(throws: IMAPError.bye("Too many connections")) { try session.open() }
    #expect(!asked)
  }

  @Test func `a wrong password ends the session after one attempt`() throws {
    let stream = ScriptedStream(
      """
      S: * OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN AUTH=LOGIN] ready
      C: A1 AUTHENTICATE PLAIN AGFsaWNlAHB3
      S: A1 NO [AUTHENTICATIONFAILED] Authentication failed.
      """)
    let session = session(stream)
    #expect(throws: IMAPError.loginRefused("Authentication failed.", hasCode: true)) {
      try session.open()
    }
    #expect(stream.isClosed)
    #expect(stream.lines.count == 1)
    #expect(throws: IMAPError.sessionOver) { try session.execute(.noop) }
  }

  @Test func `log-in lines never reach the log`() throws {
    let stream = try ScriptedStream.fixture("courier/open")
    try session(stream).open()
    #expect(stream.hiddenWrites == 2)
    let login = ScriptedStream(
      """
      S: * OK [CAPABILITY IMAP4rev1] ready
      C: A1 LOGIN "alice" "pw"
      S: A1 OK [CAPABILITY IMAP4rev1] in
      """)
    try session(login).open()
    #expect(login.loggedAs == ["LOGIN …"])
  }

  @Test func `a password beyond ASCII waits for the server's plus`() throws {
    let stream = ScriptedStream(
      """
      S: * OK [CAPABILITY IMAP4rev1] ready
      C: A1 LOGIN "alice" {4}
      S: + go on
      C: pß!
      S: A1 OK [CAPABILITY IMAP4rev1] in
      """)
    let session = IMAPSession(
      options: IMAPSessionOptions(host: "h", port: 993, user: "alice"), connect: { stream },
      credential: { Secret("pß!") })
    try session.open()
    #expect(stream.rest == [])
  }

  @Test(arguments: ["", "SSH-2.0-OpenSSH_9.2", "220 mail ESMTP", "* LIST () NIL x", "+ hello"])
  func `what is no IMAP server is told`(greeting: String) {
    let session = session(ScriptedStream("S: \(greeting)"))
    let error = #expect(throws: IMAPError.self) { try session.open() }
    guard case .protocolViolation = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a server that hangs up is told`() {
    #expect(throws: IMAPError.connectionLost) { try session(ScriptedStream("CLOSE")).open() }
    #expect(throws: IMAPError.connectionLost) {
      try session(
        ScriptedStream("S: * OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] x\nC: A1 AUTH…\nCLOSE")
      ).open()
    }
  }

  @Test func `PREAUTH needs no password`() throws {
    let stream = ScriptedStream("S: * PREAUTH [CAPABILITY IMAP4rev1] hello")
    let session = session(stream)
    try session.open()
    #expect(session.isUsable)
  }

  @Test func `alerts are kept for a person, each once`() throws {
    let stream = ScriptedStream(
      """
      S: * OK [ALERT] Going down at noon
      C: A1 CAPABILITY
      S: * CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN
      S: A1 OK done
      C: A2 AUTHENTICATE PLAIN AGFsaWNlAHB3
      S: * NO [ALERT] Mailbox is at 98%
      S: A2 OK [CAPABILITY IMAP4rev1] in
      C: A3 NOOP
      S: * NO [ALERT] Mailbox is at 98%
      S: A3 OK [ALERT] Read the news
      """)
    let session = session(stream)
    try session.open()
    try session.execute(.noop)
    #expect(session.alerts == ["Going down at noon", "Mailbox is at 98%", "Read the news"])
  }

  @Test func `a quirk from the configuration holds from the first command`() throws {
    let stream = ScriptedStream(
      """
      S: * OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] ready
      C: A1 AUTHENTICATE PLAIN AGFsaWNlAHB3
      S: A1 OK [CAPABILITY IMAP4rev1 LIST-EXTENDED LIST-STATUS ENABLE QRESYNC CONDSTORE MOVE] in
      C: A2 ENABLE CONDSTORE
      C: A3 LIST "" "*"
      S: A2 OK done
      S: * LIST () "/" INBOX
      S: A3 OK done
      C: A4 STATUS "INBOX" (MESSAGES UIDNEXT UIDVALIDITY HIGHESTMODSEQ)
      S: A4 OK done
      """)
    let session = session(stream) { options in
      var unknown: [String] = []
      options.quirks = QuirkSettings(
        names: ["no-extended-list", "broken-qresync", "no-move"], unknown: &unknown)
    }
    try session.open()
    _ = try session.discover()
    #expect(stream.rest == [])
    #expect(!session.capabilities.contains(.move))
  }
}
