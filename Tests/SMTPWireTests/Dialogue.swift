import MailCore
import SASL
import SMTPWire

/// A server by script, and a driver that does what the machines say.
///
/// `S: ` lines are what the server says, `C: ` lines what it expects; the body is one `C: ` line for each
/// of its lines, and one that ends with `…` only how it begins. `CLOSE` ends the connection.
struct Dialogue {
  enum Step: Equatable {
    case server(String)
    case client(String)
    case close
  }

  struct Closed: Error {}
  struct Deviation: Error, CustomStringConvertible { var description: String }

  private var steps: ArraySlice<Step>
  private var parser = ReplyParser()
  private(set) var lines: [String] = []
  /// Times that the client waited for the server.
  private(set) var waits = 0
  private var hasSent = true
  var notes: [String] = []

  init(_ script: String) {
    steps =
      script.split(separator: "\n").compactMap { line -> Step? in
        if line.hasPrefix("S: ") { return .server(String(line.dropFirst(3))) }
        if line.hasPrefix("C: ") { return .client(String(line.dropFirst(3))) }
        return line == "CLOSE" ? .close : nil
      }[...]
  }

  var rest: [Step] { Array(steps) }

  mutating func reply() throws -> Reply {
    if hasSent { waits += 1 }
    hasSent = false
    while true {
      if let reply = try parser.next() { return reply }
      guard case .server(let line)? = steps.popFirst() else { throw Closed() }
      parser.feed(Array((line + "\r\n").utf8))
    }
  }

  mutating func send(_ bytes: [UInt8]) throws {
    hasSent = true
    for line in String(decoding: bytes, as: UTF8.self).split(
      separator: "\r\n", omittingEmptySubsequences: false
    ).dropLast() {
      lines.append(String(line))
      var ahead: [Step] = []
      while case .server? = steps.first { ahead.append(steps.removeFirst()) }
      if steps.first == .close { throw Closed() }
      guard case .client(let wanted)? = steps.first else {
        if steps.isEmpty { throw Closed() }
        continue
      }
      guard line == wanted || wanted.hasSuffix("…") && line.hasPrefix(wanted.dropLast()) else {
        throw Deviation(description: "“\(line)” came, not “\(wanted)”")
      }
      steps = (ahead + steps.dropFirst())[...]
    }
  }

  mutating func open(
    _ options: OpeningMachine.Options, secret: String = "pw", digests: SASLDigests = .none
  ) throws -> ServerExtensions {
    var machine = OpeningMachine(options)
    var action = try machine.received(try reply())
    while true {
      switch action {
      case .send(let command):
        try send(command.bytes)
        action = try machine.received(try reply())
      case .answer(let line):
        try send(line + [13, 10])
        action = try machine.received(try reply())
      case .startTLS:
        notes.append("TLS")
        action = machine.startedTLS()
      case .needCredential:
        let context = SASLContext(
          host: "smtp.example.org", port: 465, isEncrypted: true, digests: digests)
        action = try machine.authenticate(
          with: SASLCredential(user: "alice", secret: Secret(secret)), context: context)
      case .finish: return machine.extensions
      }
    }
  }

  /// Runs a transaction; what dies, dies as `lost`.
  mutating func submit(
    _ plan: SubmissionPlan, _ extensions: ServerExtensions, body: String = "Subject: Hi\n\nHello\n",
    chunk: Int = 8
  ) throws -> SubmissionOutcome {
    var machine = SubmissionMachine(plan, extensions: extensions)
    var encoder = BodyEncoder(.dotStuffed)
    var chunks = stride(from: 0, to: body.utf8.count, by: chunk).map {
      Array(body.utf8.dropFirst($0).prefix(chunk))
    }[...]
    var action = machine.start()
    while true {
      do {
        switch action {
        case .send(let bytes):
          try send(bytes)
          action = machine.received(try reply())
        case .read: action = machine.received(try reply())
        case .recipientsKnown: action = machine.proceed()
        case .streamBody:
          var bytes: [UInt8] = []
          Array(body.utf8).withUnsafeBytes { encoder.append($0, to: &bytes) }
          try send(bytes)
          action = machine.streamed()
        case .sendChunk:
          let next = chunks.popFirst() ?? []
          if chunks.isEmpty {
            notes.append("dispatched")
            _ = machine.dispatched()
            try send(SMTPCommand.chunk(next.count, isLast: true).bytes)
            action = machine.received(try reply())
          } else {
            try send(SMTPCommand.chunk(next.count, isLast: false).bytes)
            _ = machine.chunkSent()
            action = machine.received(try reply())
          }
        case .dispatch:
          notes.append("dispatched")
          action = machine.dispatched()
        case .sendEnd:
          try send(encoder.finish())
          action = machine.received(try reply())
        case .finish(let outcome): return outcome
        }
      } catch is Closed {
        action = machine.lost("closed")
      } catch let error as ReplyError {
        action = machine.lost("\(error)")
      }
    }
  }
}

extension SASLDigests {
  /// For tests that need no cryptography.
  static let none = SASLDigests(
    hash: { _, _ throws(SASLError) in throw .cryptography(reason: "none") },
    hmac: { _, _, _ throws(SASLError) in throw .cryptography(reason: "none") },
    pbkdf2: { _, _, _, _ throws(SASLError) in throw .cryptography(reason: "none") },
    randomBytes: { _ throws(SASLError) in throw .cryptography(reason: "none") },
    compatibilityNormalised: { $0 })
}

extension ServerExtensions {
  /// As if the server had said these lines.
  static func test(_ lines: String...) -> ServerExtensions {
    ServerExtensions(Reply(code: 250, lines: ["hello"] + lines))
  }
}

func plan(_ recipients: String..., size: UInt64 = 20) throws -> SubmissionPlan {
  SubmissionPlan(
    sender: try SubmissionAddress("a@x.org"),
    recipients: try recipients.map { try SubmissionAddress($0) }, size: size)
}
