import IMAPWire
import MailCore
import SASL
import Transport

extension IMAPSession {
  /// Connects and logs in: with SASL-IR and capabilities told in greeting and OK, two round trips.
  ///
  /// Once: another connection is another session.
  ///
  /// - Throws: ``IMAPError``, `TransportError`, `SASLError`, or what the credential function throws.
  package func open() throws {
    guard stream == nil else { throw IMAPError.sessionOver }
    do {
      let stream = try connect()
      self.stream = stream
      guard options.wantsStartTLS || stream.isEncrypted || stream.isPeerLoopback else {
        throw IMAPError.plaintextRefused
      }
      try logIn(stream)
      // What was asked ahead had it all before it.
      if ahead == nil { prepare() }
      isUsable = true
    } catch {
      close()
      throw error
    }
  }

  private func logIn(_ stream: any ByteStream) throws {
    var machine = LoginMachine(
      .init(
        host: options.host, port: options.port, user: options.user, choice: options.choice,
        wantsStartTLS: options.wantsStartTLS, quirks: options.quirks, proven: options.proven))
    defer { stream.hidesTraffic = false }
    var action = try greeting(&machine)
    while true {
      switch action {
      case .send(let command):
        try dropAhead()
        stream.hidesTraffic = command.isSecret || command.name == "AUTHENTICATE"
        action = try send(command, &machine)
      case .answer(let line):
        // What was asked ahead may have been taken for it.
        guard ahead == nil else { throw IMAPError.protocolViolation("a challenge too late") }
        mask.hide(answer: line)
        stream.hide(mask)
        outgoing += line + [0x0D, 0x0A]
        try flush(logAs: "…")
        try askAhead(machine)
        action = try step(&machine)
      case .startTLS:
        guard parser.buffered == 0 else { throw IMAPError.startTLSInjected }
        try stream.startTLS(before: .after(seconds: options.greetingSeconds))
        action = machine.startedTLS()
      case .needCredential:
        try dropAhead()
        action = try authenticate(stream, &machine)
      case .finish:
        evidence = machine.evidence
        noteCapabilities(machine.capabilities)
        met = KnownServer(
          greeting: greeting, capabilities: machine.capabilities, mechanism: machine.proven)
        // It is another server than it was: what it can do now was not asked for.
        if options.known?.capabilities != machine.capabilities { try dropAhead() }
        return
      }
    }
  }

  private func greeting(_ machine: inout LoginMachine) throws -> LoginMachine.Action {
    while true {
      let event = try nextEvent(seconds: options.greetingSeconds)
      switch event {
      case .untagged(.status(let kind, let text)):
        noteAlert(text.code, text.text)
        return try machine.greeted(kind, text)
      case .untagged(.capability(let set)): machine.noted(set)
      case .untagged(.unrecognised(let line)):
        // No IMAP server: say what answered, without waiting for more of it.
        let words = String(decoding: line.prefix(100), as: UTF8.self)
        throw IMAPError.protocolViolation("a greeting that is none, “\(words)”")
      default: throw IMAPError.protocolViolation("something else than a greeting")
      }
    }
  }

  private func authenticate(
    _ stream: any ByteStream, _ machine: inout LoginMachine
  ) throws -> LoginMachine.Action {
    guard stream.isEncrypted || stream.isPeerLoopback else { throw IMAPError.plaintextRefused }
    let secret = try options.credentialKind == .none ? Secret("") : credential()
    let credential = SASLCredential(
      user: options.user, secret: secret, kind: options.credentialKind)
    mask = SecretMask(credential, host: options.host, port: options.port)
    stream.hide(mask)
    let context = SASLContext(
      host: options.host, port: options.port, isEncrypted: stream.isEncrypted,
      channelBinding: stream.preferredChannelBinding, digests: options.digests)
    return try machine.authenticate(with: credential, context: context)
  }

  private func send(
    _ command: IMAPCommand, _ machine: inout LoginMachine
  ) throws -> LoginMachine.Action {
    // Before log-in no literal form is certain but the synchronising one, unless announced.
    let encoder = CommandEncoder(machine.capabilities)
    let logAs = command.isSecret ? "\(command.name) …" : nil
    for step in try encoder.encode(command, tag: nextTag()) {
      switch step {
      case .send(let bytes):
        outgoing += bytes
        try flush(logAs: logAs)
      case .awaitContinuation:
        if let early = try continuation(&machine) { return early }
      case .stream: break  // no command before log-in carries a message
      }
    }
    try askAhead(machine)
    return try self.step(&machine)
  }

  /// Waits for `+`; a completion instead goes to the machine.
  private func continuation(_ machine: inout LoginMachine) throws -> LoginMachine.Action? {
    while true {
      switch try nextEvent(seconds: silenceSeconds) {
      case .continuation: return nil
      case .tagged(_, let result): return try machine.completed(result)
      case .untagged(let response): try hear(response, &machine)
      case .bodyBegins, .bodyBytes, .bodyEnds, .fetched: break
      }
    }
  }

  private func step(_ machine: inout LoginMachine) throws -> LoginMachine.Action {
    while true {
      switch try nextEvent(seconds: silenceSeconds) {
      case .tagged(_, let result):
        noteAlert(result.code, result.text)
        return try machine.completed(result)
      case .continuation(let text): return try machine.challenged(text)
      case .untagged(let response): try hear(response, &machine)
      case .bodyBegins, .bodyBytes, .bodyEnds, .fetched: break
      }
    }
  }

  private func hear(_ response: UntaggedResponse, _ machine: inout LoginMachine) throws {
    switch response {
    case .capability(let set): machine.noted(set)
    case .status(.bye, let text):
      throw text.code == .authenticationFailed
        ? IMAPError.loginRefused(text.text, hasCode: true) : IMAPError.bye(text.text)
    case .status(_, let text):
      if case .capability(let set) = text.code { machine.noted(set) }
      noteAlert(text.code, text.text)
    default: break
    }
  }

  /// What is to be said before anything else, in one flight with it.
  func prepare() {
    preamble = []
    if quirks.contains(.idBeforeSelect) || capabilities.contains(.id) {
      preamble.append(.id(options.clientID))
    }
    guard capabilities.contains(.enable) else { return }
    var wanted: [Capability] = []
    if capabilities.contains(.qresync) {
      wanted.append(.qresync)
    } else if capabilities.contains(.condstore) {
      wanted.append(.condstore)
    }
    if capabilities.contains(.utf8Accept) || capabilities.contains(.utf8Only) {
      wanted.append(.utf8Accept)
    }
    if capabilities.contains(.imap4rev2) { wanted.append(.imap4rev2) }
    if !wanted.isEmpty { preamble.append(.enable(wanted)) }
  }
}
