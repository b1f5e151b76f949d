import IMAPWire
import MailCore
import SASL
import Testing

/// The machine is asked for its next step by hand, with a context that knows no digests' values.
struct LoginMachineTests {
  private func machine(
    startTLS: Bool = false, choice: SASLChoice = .automatic, quirks: [String] = []
  ) -> LoginMachine {
    var unknown: [String] = []
    return LoginMachine(
      .init(
        host: "imap.example.org", port: 993, user: "alice", choice: choice, wantsStartTLS: startTLS,
        quirks: QuirkSettings(names: quirks, unknown: &unknown)))
  }

  private let context = SASLContext(
    host: "imap.example.org", port: 993, isEncrypted: true, digests: .inert)
  private let credential = SASLCredential(user: "alice", secret: Secret("s3cret"))

  private func greeting(_ capabilities: String?) -> ResponseText {
    ResponseText(
      code: capabilities.map {
        .capability(CapabilitySet($0.split(separator: " ").map(String.init)))
      },
      text: "ready")
  }

  private func text(_ action: LoginMachine.Action) throws -> String {
    switch action {
    case .send(let command):
      let steps = try CommandEncoder(CapabilitySet()).encode(command, tag: CommandTag(1))
      guard case .send(let bytes) = steps.first else { return "?" }
      return String(String(decoding: bytes, as: UTF8.self).unicodeScalars.dropFirst(3).dropLast(2))
    case .answer(let line): return "> " + String(decoding: line, as: UTF8.self)
    case .startTLS: return "TLS"
    case .needCredential: return "credential"
    case .finish: return "finish"
    }
  }

  private let ok = TaggedResult(status: .ok, text: "done")

  private func ok(_ capabilities: String) -> TaggedResult {
    TaggedResult(
      status: .ok,
      code: .capability(CapabilitySet(capabilities.split(separator: " ").map(String.init))))
  }

  @Test func `with SASL-IR and told capabilities one command logs in`() throws {
    var machine = machine()
    #expect(
      try text(machine.greeted(.ok, greeting("IMAP4rev1 SASL-IR AUTH=PLAIN"))) == "credential")
    #expect(
      try text(machine.authenticate(with: credential, context: context))
        == "AUTHENTICATE PLAIN AGFsaWNlAHMzY3JldA==")
    #expect(try text(machine.completed(ok("IMAP4rev1 IDLE"))) == "finish")
    #expect(machine.capabilities.sorted == ["IDLE", "IMAP4REV1"])
  }

  @Test func `without SASL-IR the response follows the server's plus`() throws {
    var machine = machine()
    _ = try machine.greeted(.ok, greeting("IMAP4rev1 AUTH=PLAIN"))
    #expect(
      try text(machine.authenticate(with: credential, context: context)) == "AUTHENTICATE PLAIN")
    #expect(try text(machine.challenged([])) == "> AGFsaWNlAHMzY3JldA==")
    #expect(try text(machine.completed(ok)) == "CAPABILITY")
    machine.noted(CapabilitySet(["IMAP4rev1"]))
    #expect(try text(machine.completed(ok)) == "finish")
  }

  @Test func `capabilities are asked for where they were not told`() throws {
    var machine = machine()
    #expect(try text(machine.greeted(.ok, greeting(nil))) == "CAPABILITY")
    machine.noted(CapabilitySet(["IMAP4rev1", "AUTH=LOGIN"]))
    #expect(try text(machine.completed(ok)) == "credential")
  }

  @Test func `STARTTLS comes before everything, and what was said before it is forgotten`() throws {
    var machine = machine(startTLS: true)
    #expect(
      try text(machine.greeted(.ok, greeting("IMAP4rev1 STARTTLS SASL-IR AUTH=CRAM-MD5")))
        == "STARTTLS")
    #expect(try text(machine.completed(ok)) == "TLS")
    #expect(try text(machine.startedTLS()) == "CAPABILITY")
    #expect(machine.capabilities.isEmpty)
    machine.noted(CapabilitySet(["IMAP4rev1", "AUTH=PLAIN"]))
    #expect(try text(machine.completed(ok)) == "credential")
  }

  @Test func `a stripped STARTTLS is refused`() {
    var told = machine(startTLS: true)
    #expect(throws: IMAPError.startTLSUnavailable) {
      try told.greeted(.ok, greeting("IMAP4rev1 AUTH=PLAIN"))
    }
    var refused = machine(startTLS: true)
    #expect(throws: IMAPError.startTLSUnavailable) {
      _ = try refused.greeted(.ok, greeting("IMAP4rev1 STARTTLS"))
      _ = try refused.completed(TaggedResult(status: .no, text: "no"))
    }
    var asked = machine(startTLS: true)
    #expect(throws: IMAPError.startTLSUnavailable) {
      _ = try asked.greeted(.ok, greeting(nil))
      asked.noted(CapabilitySet(["IMAP4rev1"]))
      _ = try asked.completed(ok)
    }
  }

  @Test func `PREAUTH is taken, but not ahead of STARTTLS`() throws {
    var plain = machine()
    #expect(try text(plain.greeted(.preauth, greeting(nil))) == "CAPABILITY")
    var wants = machine(startTLS: true)
    #expect(throws: IMAPError.preauthenticatedBeforeTLS) {
      try wants.greeted(.preauth, greeting("IMAP4rev1 STARTTLS"))
    }
  }

  @Test func `LOGIN is the last resort, and LOGINDISABLED forbids it`() throws {
    var machine = machine()
    _ = try machine.greeted(.ok, greeting("IMAP4rev1"))
    #expect(
      try text(machine.authenticate(with: credential, context: context))
        == "LOGIN \"alice\" \"s3cret\"")
    var disabled = self.machine()
    _ = try disabled.greeted(.ok, greeting("IMAP4rev1 LOGINDISABLED AUTH=GSSAPI"))
    #expect(throws: IMAPError.noMechanism(offered: ["GSSAPI"])) {
      try disabled.authenticate(with: credential, context: context)
    }
    var strict = self.machine(choice: .only(.scramSHA256))
    _ = try strict.greeted(.ok, greeting("IMAP4rev1 AUTH=PLAIN"))
    #expect(throws: IMAPError.noMechanism(offered: ["PLAIN"])) {
      try strict.authenticate(with: credential, context: context)
    }
  }

  @Test func `a wrong password is told at once and tried once`() throws {
    for refusal in [
      TaggedResult(status: .no, code: .authenticationFailed, text: "Invalid credentials"),
      TaggedResult(status: .no, text: "LOGIN failed"),
      TaggedResult(status: .no, text: "Too many failed attempts over this connection"),
    ] {
      var machine = machine()
      _ = try machine.greeted(.ok, greeting("IMAP4rev1 SASL-IR AUTH=PLAIN AUTH=LOGIN"))
      _ = try machine.authenticate(with: credential, context: context)
      #expect(throws: IMAPError.loginRefused(refusal.text, hasCode: refusal.code != nil)) {
        try machine.completed(refusal)
      }
    }
    #expect(IMAPError.loginRefused("x").explanation.exitStatus == .refused)
  }

  @Test(arguments: [
    TaggedResult(status: .no, code: .unavailable, text: "Temporary authentication failure."),
    TaggedResult(status: .no, code: .inUse, text: "locked"),
    TaggedResult(status: .no, code: .limit, text: "Too many"),
    TaggedResult(status: .no, text: "Server Unavailable. 15"),
    TaggedResult(status: .bad, text: "User is authenticated but not connected."),
    TaggedResult(status: .no, text: "Maximum number of connections from user+IP exceeded"),
    TaggedResult(status: .no, text: "Too many open connections (2 of 2 for x)"),
    TaggedResult(status: .no, text: "Too many concurrent IMAP sessions"),
  ])
  func `a server that is busy is no wrong password`(refusal: TaggedResult) throws {
    var machine = machine()
    _ = try machine.greeted(.ok, greeting("IMAP4rev1 AUTH=PLAIN"))
    _ = try machine.authenticate(with: credential, context: context)
    _ = try machine.challenged([])
    let error = #expect(throws: IMAPError.self) { try machine.completed(refusal) }
    #expect(error == .loginUnavailable(refusal.text))
    #expect(error?.explanation.exitStatus == .unreachable)
  }

  @Test func `throttling at log-in is told with its time`() throws {
    var machine = machine()
    _ = try machine.greeted(.ok, greeting("IMAP4rev1 SASL-IR AUTH=PLAIN"))
    _ = try machine.authenticate(with: credential, context: context)
    let words = "Request is throttled. Suggested Backoff Time: 2000 milliseconds"
    #expect(throws: IMAPError.throttled(seconds: 2, words)) {
      try machine.completed(TaggedResult(status: .bad, text: words))
    }
  }

  @Test func `BAD to an initial response is tried once without it`() throws {
    var machine = machine()
    _ = try machine.greeted(.ok, greeting("IMAP4rev1 SASL-IR AUTH=PLAIN"))
    _ = try machine.authenticate(with: credential, context: context)
    let bad = TaggedResult(status: .bad, text: "Parse command error")
    #expect(try text(machine.completed(bad)) == "AUTHENTICATE PLAIN")
    #expect(throws: IMAPError.loginRefused("Parse command error")) { try machine.completed(bad) }
  }

  @Test func `the quirk spares the initial response`() throws {
    var machine = machine(quirks: ["no-initial-response"])
    _ = try machine.greeted(.ok, greeting("IMAP4rev1 SASL-IR AUTH=PLAIN"))
    #expect(
      try text(machine.authenticate(with: credential, context: context)) == "AUTHENTICATE PLAIN")
  }

  @Test func `the quirk asks for capabilities after log-in although they were told`() throws {
    var machine = machine(quirks: ["capability-after-login"])
    _ = try machine.greeted(.ok, greeting("IMAP4rev1 SASL-IR AUTH=PLAIN"))
    _ = try machine.authenticate(with: credential, context: context)
    #expect(try text(machine.completed(ok("IMAP4rev1 IDLE"))) == "CAPABILITY")
  }

  @Test func `a mechanism that the server can't do gives way to the next`() throws {
    var machine = machine()
    _ = try machine.greeted(.ok, greeting("IMAP4rev1 AUTH=PLAIN AUTH=LOGIN"))
    _ = try machine.authenticate(with: credential, context: context)
    let cannot = TaggedResult(status: .no, code: .cannot, text: "unsupported")
    #expect(try text(machine.completed(cannot)) == "AUTHENTICATE LOGIN")
  }

  /// A server that announces SCRAM and has no secret for it.
  private func refusedSCRAM(
    _ refusal: TaggedResult, choice: SASLChoice = .automatic
  ) throws -> (LoginMachine, next: String) {
    var machine = machine(choice: choice)
    _ = try machine.greeted(
      .ok, greeting("IMAP4rev1 SASL-IR AUTH=SCRAM-SHA-256 AUTH=CRAM-MD5 AUTH=PLAIN"))
    #expect(
      try text(machine.authenticate(with: credential, context: context))
        .hasPrefix("AUTHENTICATE SCRAM-SHA-256 "))
    let next = try text(machine.completed(refusal))
    return (machine, next)
  }

  @Test(arguments: [ResponseCode.authenticationFailed, nil])
  func `a mechanism that the server has no secret for gives way once, and that is remembered`(
    code: ResponseCode?
  ) throws {
    let no = TaggedResult(status: .no, code: code, text: "authentication failed")
    var (machine, next) = try refusedSCRAM(no)
    #expect(next == "AUTHENTICATE PLAIN AGFsaWNlAHMzY3JldA==")
    var wrong = machine
    #expect(throws: IMAPError.loginRefused("authentication failed", hasCode: code != nil)) {
      try wrong.completed(no)
    }
    #expect(try text(machine.completed(ok("IMAP4rev1"))) == "finish")
    #expect(machine.proven == .plain)
  }

  @Test func `what worked goes first, is all that is tried, and stays remembered`() throws {
    var machine = LoginMachine(
      .init(host: "imap.example.org", port: 993, user: "alice", proven: .plain))
    _ = try machine.greeted(.ok, greeting("IMAP4rev1 SASL-IR AUTH=SCRAM-SHA-256 AUTH=PLAIN"))
    #expect(
      try text(machine.authenticate(with: credential, context: context))
        == "AUTHENTICATE PLAIN AGFsaWNlAHMzY3JldA==")
    var wrong = machine
    #expect(throws: IMAPError.self) { try wrong.completed(TaggedResult(status: .no, text: "no")) }
    #expect(try text(machine.completed(ok("IMAP4rev1"))) == "finish")
    #expect(machine.proven == .plain)
  }

  @Test func `what worked is not used where it is not offered, or not allowed`() throws {
    for (offer, choice) in [
      ("AUTH=SCRAM-SHA-256", SASLChoice.automatic),
      ("AUTH=SCRAM-SHA-256 AUTH=PLAIN", .only(.scramSHA256)),
    ] {
      var machine = LoginMachine(
        .init(host: "imap.example.org", port: 993, user: "alice", choice: choice, proven: .plain))
      _ = try machine.greeted(.ok, greeting("IMAP4rev1 SASL-IR \(offer)"))
      #expect(
        try text(machine.authenticate(with: credential, context: context))
          .hasPrefix("AUTHENTICATE SCRAM-SHA-256 "))
    }
  }

  @Test(arguments: [
    TaggedResult(status: .no, code: .contactAdmin, text: "locked"),
    TaggedResult(status: .no, code: .expired, text: "old"),
    TaggedResult(status: .no, code: .unavailable, text: "later"),
    TaggedResult(status: .no, text: "Server Unavailable. 15"),
  ])
  func `a refusal that says why is tried in no other way`(refusal: TaggedResult) {
    #expect(throws: IMAPError.self) { try refusedSCRAM(refusal) }
  }

  @Test func `a mechanism that the configuration demands gives way to none`() {
    let no = TaggedResult(status: .no, text: "authentication failed")
    #expect(throws: IMAPError.self) { try refusedSCRAM(no, choice: .only(.scramSHA256)) }
  }

  @Test func `a challenge that is no base64 is cancelled, and told`() throws {
    var machine = machine(choice: .only(.cramMD5))
    _ = try machine.greeted(.ok, greeting("IMAP4rev1 AUTH=CRAM-MD5"))
    _ = try machine.authenticate(with: credential, context: context)
    #expect(try text(machine.challenged(Array("###".utf8))) == "> *")
    #expect(throws: IMAPError.self) {
      try machine.completed(TaggedResult(status: .bad, text: "cancelled"))
    }
  }

  @Test func `an OK before the server has proved itself is no log-in`() throws {
    var machine = machine(choice: .only(.scramSHA256))
    _ = try machine.greeted(.ok, greeting("IMAP4rev1 SASL-IR AUTH=SCRAM-SHA-256"))
    _ = try machine.authenticate(with: credential, context: context)
    #expect(throws: SASLError.self) { try machine.completed(ok) }
  }

  @Test func `a greeting of BYE says why`() {
    var machine = machine()
    #expect(throws: IMAPError.bye("Too many connections")) {
      try machine.greeted(.bye, ResponseText(text: "Too many connections"))
    }
  }
}

extension SASLDigests {
  /// For mechanisms that compute nothing.
  fileprivate static let inert = SASLDigests(
    hash: { _, _ in [] }, hmac: { _, _, _ in [] }, pbkdf2: { _, _, _, _ in [] },
    randomBytes: { [UInt8](repeating: 7, count: $0) }, compatibilityNormalised: { $0 })
}
