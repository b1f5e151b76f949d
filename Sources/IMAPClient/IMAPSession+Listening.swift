import IMAPWire
import MailCore
import Transport

/// What a session reports while it waits for changes by NOTIFY or IDLE.
package enum ListeningReport: Sendable {
  /// From here on changes are told. What changed before has to be looked for.
  case listening(ListeningWay)
  case hint(ServerHint)
  /// The mailbox for IDLE cannot be opened, so that nothing is listened to; another one may be.
  case closedMailbox
  /// The line was asked for a sign of life, and gave it.
  case alive
}

extension IMAPSession {
  /// Waits for changes until the connection ends, and serves nothing else from then on.
  ///
  /// - Parameters:
  ///   - mailbox: the one that is watched where the server has only IDLE.
  ///   - memory: what earlier connections taught, and then this one, too.
  ///   - bell: asks for a sign of life.
  /// - Returns: where the server tells nothing by itself.
  /// - Throws: what ends the connection.
  package func listen(
    in mailbox: MailboxName, memory: inout ListeningMemory, bell: Doorbell,
    report: @escaping (ListeningReport) -> Void
  ) throws {
    var nobody = Unheard()
    try run([], handler: &nobody)
    isUsable = false
    var run = ListeningRun(
      session: self, report: report,
      machine: ListeningMachine(capabilities, mailbox: names.encode(mailbox), memory: memory))
    defer { memory = run.machine.memory }
    do {
      try run.run(bell)
    } catch {
      run.machine.connectionLost()
      throw error
    }
    isUsable = true
  }
}

/// Does on one connection what its ``IMAPWire/ListeningMachine`` says.
private struct ListeningRun {
  let session: IMAPSession
  let report: (ListeningReport) -> Void
  var machine: ListeningMachine
  private var awaited: CommandTag?
  private var awaitsLiteral = false
  private var isOver = false

  init(
    session: IMAPSession, report: @escaping (ListeningReport) -> Void, machine: ListeningMachine
  ) {
    self.session = session
    self.report = report
    self.machine = machine
  }

  private var now: Int64 { Deadline.clockMilliseconds }

  mutating func run(_ bell: Doorbell) throws {
    try perform(machine.begin(at: now))
    while !isOver {
      if let event = try session.receivedEvent() {
        try hear(event)
        continue
      }
      guard let stream = session.stream else { throw IMAPError.sessionOver }
      switch try stream.awaitBytes(or: bell, before: .at(clockMilliseconds: machine.deadline)) {
      case .bytes:
        do {
          try session.fill(seconds: 0)
        } catch TransportError.timedOut(.reading, _) {}
      case .rung: try perform(machine.check(at: now))
      case .timedOut: try perform(machine.timePassed(at: now))
      }
    }
  }

  private mutating func perform(_ actions: [ListeningMachine.Action]) throws {
    for action in actions {
      switch action {
      case .send(let command): try send(command)
      case .done:
        session.outgoing += Array("DONE\r\n".utf8)
        try session.flush()
      case .listening(let way): report(.listening(way))
      case .hint(let hint): report(.hint(hint))
      case .alive: report(.alive)
      case .closedMailbox: report(.closedMailbox)
      case .finish: isOver = true
      case .fail(let error): throw error
      case .dead:
        throw TransportError.timedOut(
          .reading, Endpoint(host: session.options.host, port: session.options.port))
      }
    }
  }

  private mutating func send(_ command: IMAPCommand) throws {
    let tag = session.nextTag()
    awaited = tag
    for step in try CommandEncoder(session.capabilities).encode(command, tag: tag) {
      switch step {
      case .send(let bytes):
        session.outgoing += bytes
        try session.flush()
      case .awaitContinuation:
        awaitsLiteral = true
        while awaitsLiteral, awaited == tag {
          try hear(session.nextEvent(seconds: session.silenceSeconds))
        }
        guard awaited == tag else { return }
      case .stream: break  // none of these commands carries a message
      }
    }
  }

  private mutating func hear(_ event: ResponseEvent) throws {
    switch event {
    case .untagged(let response):
      session.note(response)
      if case .status(.bye, let text) = response { throw IMAPError.bye(text.text) }
      try perform(machine.heard(response, at: now))
    case .fetched: try perform(machine.heardOfMessage(at: now))
    case .bodyBegins, .bodyBytes, .bodyEnds: break
    case .continuation:
      guard awaitsLiteral else { return try perform(machine.invited(at: now)) }
      awaitsLiteral = false
    case .tagged(let tag, let result):
      guard let tag, tag == awaited else { return }
      awaited = nil
      try perform(machine.completed(result, at: now))
    }
  }
}
