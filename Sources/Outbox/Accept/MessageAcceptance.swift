import MIME
import MailCore
import Maildir
import Queue
import SMTPWire
import Settings

/// Takes one message into an account's queue: reads, checks, completes, freezes (DESIGN section 7).
///
/// It asks no server, no database, and waits for no run.
package struct MessageAcceptance {
  package struct Request: Sendable {
    /// Behind the options, as given.
    package var recipients: [String] = []
    /// -t: those of the header as well.
    package var takesHeaderRecipients = false
    /// -f; `<>` or empty is the null sender.
    package var sender: String?
    /// -F.
    package var fullName: String?
    /// -a.
    package var account: String?
    /// -N, as DSN writes it: `NEVER`, or some of `SUCCESS,FAILURE,DELAY`.
    package var notify: String?

    package init() {}
  }

  let request: Request
  let accounts: [AccountSettings]
  let root: String
  /// The log-in name on this machine, and root.
  let localNames: Set<String>
  let moment: MessageMoment

  package init(
    _ request: Request, accounts: [AccountSettings], root: String, localNames: Set<String>,
    moment: MessageMoment = .now()
  ) {
    self.request = request
    self.accounts = accounts
    self.root = root
    self.localNames = localNames
    self.moment = moment
  }

  /// Queues the message. When this returns, it is safe from a power cut.
  ///
  /// - Returns: the account that sends it, and what was queued.
  /// - Throws: ``AcceptanceError`` and `MaildirError`: then nothing was queued.
  package func accept(_ spool: MessageSpool) throws -> (
    account: AccountSettings, envelope: SubmissionEnvelope
  ) {
    try spool.withBytes { bytes in
      let (header, bodyStart) = RawHeader.parse(bytes)
      guard bodyStart <= Self.headerLimit || !header.fields.isEmpty else {
        throw AcceptanceError.headerTooLong
      }
      if header.fields.reduce(0, { $0 + $1.bytes.count }) > Self.headerLimit {
        throw AcceptanceError.headerTooLong
      }
      let account = try chooseAccount(header)
      guard account.smtp != nil else { throw AcceptanceError.noServer(account: account.name) }
      return (account, try queue(bytes, header, bodyStart, account))
    }
  }

  private static let headerLimit = 2 << 20

  private func chooseAccount(_ header: RawHeader) throws(AcceptanceError) -> AccountSettings {
    let from = header.first("From").map { field in
      Array(field.value).withUnsafeBytes { AddressList.parse($0).map(\.address) }
    }
    let sender = request.sender.flatMap { $0.isEmpty || $0 == "<>" ? nil : $0 }
    return try AccountChoice.choose(
      accounts, named: request.account, addresses: (sender.map { [$0] } ?? []) + (from ?? []))
  }

  private func queue(
    _ bytes: UnsafeRawBufferPointer, _ header: RawHeader, _ bodyStart: Int,
    _ account: AccountSettings
  ) throws -> SubmissionEnvelope {
    let identity = SenderIdentity(
      email: account.email, name: request.fullName ?? account.realName, localNames: localNames)
    let recipients = try recipients(header, identity)
    let body = UnsafeRawBufferPointer(rebasing: bytes[min(bodyStart, bytes.count)...])
    let scan = BodyScan(body)
    // A directory that vanished is not made anew under a tree that is not mounted: the root must be there,
    // or be made on purpose by the first pull.
    let tree = try AccountTree.open(path: root + "/" + account.name, create: true)
    let acceptance = try OutboxAcceptance(in: tree)
    defer { acceptance.abandon() }
    let completion = MessageCompletion(
      identity: identity, sender: request.sender, moment: moment,
      uniqueName: acceptance.id.text + "." + QueueID.random().text)
    var message = try completion.complete(
      header, body: scan, bodyIsUTF8: !scan.hasEightBit || UTF8Scan.validEnd(body) == body.count,
      account: account.name)
    let hasEightBit = try write(
      &message.header, bytes, bodyStart: bytes.count - body.count, scan, acceptance)
    var needs: TransportNeeds = []
    if hasEightBit { needs.insert(.eightBit) }
    if message.header.fields.contains(where: \.hasEightBit) { needs.insert(.utf8) }
    return try acceptance.commit(
      sender: message.sender, recipients: recipients, messageID: message.messageID,
      subject: message.subject, needs: needs, notify: request.notify)
  }

  private func recipients(_ header: RawHeader, _ identity: SenderIdentity) throws(AcceptanceError)
    -> [String]
  {
    var list = RecipientList()
    for argument in request.recipients { try list.add(argument: argument, identity) }
    if request.takesHeaderRecipients { try list.add(fieldsOf: header, identity) }
    guard !list.addresses.isEmpty else { throw .noRecipient }
    return list.addresses
  }

  /// Header and body into the queue's file; returns whether the body has bytes above 127.
  private func write(
    _ header: inout RawHeader, _ bytes: UnsafeRawBufferPointer, bodyStart: Int, _ scan: BodyScan,
    _ acceptance: OutboxAcceptance
  ) throws -> Bool {
    guard scan.hasLongLines else {
      try acceptance.write(header.bytes)
      try acceptance.write(UnsafeRawBufferPointer(rebasing: bytes[bodyStart...]))
      return scan.hasEightBit
    }
    let recoding: BodyRecoding
    do throws(RecodingProblem) {
      recoding = try BodyRecoding(bytes, bodyStart: bodyStart, need: .shortLines)
    } catch {
      throw error == .signed ? AcceptanceError.signedLongLines : .unclearStructure
    }
    if let encoding = recoding.rootEncoding {
      header.set(.init("Content-Transfer-Encoding", encoding))
    }
    try acceptance.write(header.bytes)
    var check = StreamScan()
    try recoding.write { piece in
      check.take(piece)
      try acceptance.write(piece)
    }
    // Between the parts, say.
    guard !check.hasLongLines else { throw AcceptanceError.unclearStructure }
    return check.hasEightBit
  }
}
