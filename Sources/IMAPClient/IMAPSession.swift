import IMAPWire
import MailCore
import SASL
import Transport

/// One connection to an IMAP server, blocking, confined to one thread.
///
/// `open()` logs in. After any error that it or a run throws the session is over: close it. Refusals
/// (NO, BAD) are no such errors: they reach the handler's `completed`.
package final class IMAPSession {
  package let options: IMAPSessionOptions
  let connect: () throws -> any ByteStream
  let credential: () throws -> Secret
  var stream: (any ByteStream)?
  var parser: ResponseParser
  var evidence: ServerFamily.Evidence
  var announced = CapabilitySet()
  /// Sent in one flight with the first commands: ENABLE and ID cost no round trip of their own.
  var preamble: [IMAPCommand] = []

  /// What the server offers, less what its quirks take away.
  package internal(set) var capabilities = CapabilitySet()
  package internal(set) var enabled = CapabilitySet()
  package internal(set) var quirks: Set<Quirk> = []
  package internal(set) var namespaces: Namespaces?
  package internal(set) var isUsable = false
  /// What the server wants a person to read (`[ALERT]`, RFC 9051 §7.1), as sent: print it `.visible`.
  package private(set) var alerts: [String] = []

  /// This server as it presented itself, once logged in.
  package internal(set) var met: KnownServer?
  /// The list that was asked for with the log-in, until its answer is taken.
  var ahead: ListCollector?
  package internal(set) var hasAskedAhead = false
  /// Items of FETCH that this server sent in a way that could not be read: it is not asked for them again.
  package internal(set) var unreadableItems: FetchItems = []
  /// What mailboxes are for was asked for with the list: one without a mark has none.
  package internal(set) var hasListedUses = false

  // What is under way.
  var inFlight: [Pending] = []
  var unanswered = 0
  var outgoing: [UInt8] = []
  var isAwaitingContinuation = false
  /// A mailbox may be open.
  var hasSelected = false
  /// Data comes of a mailbox that was selected: until it is left, or the server begins with the next.
  var tellsOfMailbox = false
  /// Set until a session that rested has answered a command.
  var doubtSeconds: Double?
  private var lastTag: UInt32 = 0
  /// Of the log-in: no word that the server says leaves the session with its secret in it.
  var mask = SecretMask()
  /// As the options say; less where an answer is not worth waiting for.
  var silenceSeconds: Double

  /// A command that was sent and not yet completed.
  struct Pending {
    var tag: CommandTag
    /// nil for the preamble's, which no handler sees.
    var index: Int?
    var name: String
    var mayTakeLong: Bool
    /// Bytes that were sent, less those of a message that was streamed.
    var size: Int
    var streamed = 0
    /// Its text, where it was sent for a run that has not come to it yet.
    var sentAhead: [UInt8]?
    var isSelect: Bool { name == "SELECT" || name == "EXAMINE" }
  }

  /// - Parameters:
  ///   - connect: makes the connection; with implicit TLS, the handshake done.
  ///   - credential: asked once the server is ready to hear it.
  package init(
    options: IMAPSessionOptions, connect: @escaping () throws -> any ByteStream,
    credential: @escaping () throws -> Secret
  ) {
    self.options = options
    silenceSeconds = options.silenceSeconds
    self.connect = connect
    self.credential = credential
    parser = ResponseParser(names: .nfc)
    evidence = ServerFamily.Evidence(host: options.host)
  }

  deinit { stream?.close() }

  /// Messages have an EMAILID (RFC 8474) that can be read.
  package var hasEmailIDs: Bool {
    capabilities.contains(.objectID) && !unreadableItems.contains(.emailID)
  }

  package var serverID: ServerID? { evidence.id }
  /// The server is on this machine, by the peer's address.
  package var isPeerLoopback: Bool { stream?.isPeerLoopback ?? false }
  package var families: [ServerFamily] { ServerFamily.detect(evidence) }
  package var greeting: String { evidence.greeting }
  /// How mailbox names stand on the wire: for names that are new to the server.
  package var names: MailboxNameCoding { parser.names }

  /// Bytes that a command line may have (literals not counted): give UIDs in pieces below it.
  package var maximumCommandLength: Int {
    quirks.contains(.longCommands) && !quirks.contains(.shortCommands) ? 8192 : 1000
  }

  /// See ``ByteStream/interrupt``.
  package var interrupt: Interrupt? {
    get { stream?.interrupt }
    set { stream?.interrupt = newValue }
  }

  /// See ``ByteStream/dropsUnsentBytes``.
  package var dropsUnsentBytes: Bool {
    get { stream?.dropsUnsentBytes ?? false }
    set { stream?.dropsUnsentBytes = newValue }
  }

  /// Says LOGOUT, does not wait for the answer, and closes.
  package func logout() {
    if isUsable, inFlight.isEmpty || isResting {
      outgoing += Array("\(nextTag()) LOGOUT\r\n".utf8)
      try? flush(seconds: 1)
    }
    close()
  }

  /// Closes without a word.
  package func close() {
    isUsable = false
    stream?.close()
    stream = nil
  }

  func nextTag() -> CommandTag {
    lastTag &+= 1
    return CommandTag(lastTag)
  }

  // MARK: What the server tells of itself

  func note(_ response: UntaggedResponse) {
    switch response {
    case .capability(let set): noteCapabilities(set)
    case .status(_, let text):
      if case .capability(let set) = text.code { noteCapabilities(set) }
      noteAlert(text.code, text.text)
    case .enabled(let set): enabled.formUnion(set)
    case .id(let id):
      evidence.id = id
      applyQuirks()
    case .namespace(let namespaces): self.namespaces = namespaces
    case .exists, .recent, .expunge, .vanished, .flags, .list, .mailboxStatus, .search,
      .myRights, .unrecognised:
      break
    }
  }

  func noteCapabilities(_ set: CapabilitySet) {
    announced = set
    evidence.capabilities = set
    applyQuirks()
  }

  func noteAlert(_ code: ResponseCode?, _ text: String) {
    if code == .alert, alerts.count < 20, !alerts.contains(text) { alerts.append(text) }
  }

  func applyQuirks() {
    quirks = options.quirks.quirks(for: evidence)
    capabilities = announced.without(quirks)
  }

  // MARK: Bytes

  /// Reads once; the end of the stream is an error here.
  ///
  /// - Parameter seconds: how long nothing may come.
  func fill(seconds: Double) throws {
    guard let stream else { throw IMAPError.sessionOver }
    let count = try parser.fill { room in
      try stream.read(into: room, before: .after(seconds: seconds), extendedBy: seconds)
    }
    if count == 0 { throw IMAPError.connectionLost }
  }

  func nextEvent(seconds: @autoclosure () -> Double) throws -> ResponseEvent {
    while true {
      if let event = try receivedEvent() { return event }
      try fill(seconds: seconds())
    }
  }

  /// The next event of what was read; nil until more is.
  func receivedEvent() throws -> ResponseEvent? {
    do {
      let event = try parser.next()
      // Most events are parts of messages: they are not copied for it.
      return if event?.mayHoldSecret == true { event?.masked(by: mask) } else { event }
    } catch {
      throw IMAPError.protocolViolation(error.words)
    }
  }

  func flush(seconds: Double? = nil, logAs: String? = nil) throws {
    guard !outgoing.isEmpty else { return }
    guard let stream else { throw IMAPError.sessionOver }
    let seconds = seconds ?? silenceSeconds + Double(outgoing.count) / options.bytesASecond
    try outgoing.withUnsafeBytes {
      try stream.write($0, before: .after(seconds: seconds), logAs: logAs)
    }
    outgoing.removeAll(keepingCapacity: true)
  }
}

extension ResponseEvent {
  fileprivate var mayHoldSecret: Bool {
    switch self {
    case .tagged, .untagged(.status): true
    default: false
    }
  }

  /// Cuts the secret out of what people may come to read; what is data stays as it came.
  fileprivate func masked(by mask: SecretMask) -> ResponseEvent {
    switch self {
    case .tagged(let tag, let result):
      .tagged(
        tag,
        TaggedResult(
          status: result.status, code: result.code?.masked(by: mask), text: mask.masked(result.text)
        ))
    case .untagged(.status(let kind, let said)):
      .untagged(
        .status(
          kind, ResponseText(code: said.code?.masked(by: mask), text: mask.masked(said.text))))
    default: self
    }
  }
}

extension ResponseCode {
  fileprivate func masked(by mask: SecretMask) -> ResponseCode {
    guard case .other(let name, let arguments) = self else { return self }
    return .other(name: mask.masked(name), arguments: mask.masked(arguments))
  }
}

extension WireError {
  fileprivate var words: String {
    switch self {
    case .responseTooLong(let limit): "a response of more than \(limit) bytes"
    case .literalTooLarge(let size): "a literal of \(size) bytes"
    }
  }
}
