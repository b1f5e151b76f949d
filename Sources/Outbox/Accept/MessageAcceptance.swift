import MIME
import MailCore
import Maildir
import Queue
import SMTPWire
import Settings

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Takes one message into an account's queue: reads, checks, completes, freezes.
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
    /// --force: also a message with a text that stands for parts that are not here.
    package var sendsStubText = false
    /// Queued, but kept back for this reason.
    package var held: String?

    package init() {}
  }

  let request: Request
  let accounts: [AccountSettings]
  let root: String
  /// The log-in name on this machine, and root.
  let localNames: Set<String>
  let moment: MessageMoment
  /// Throws where the account's tree is not there now.
  let checkTree: (AccountSettings) throws -> Void
  /// Whether the configuration still has the account: it may have been removed while the message was read.
  let isConfigured: (AccountSettings) -> Bool

  package init(
    _ request: Request, accounts: [AccountSettings], root: String, localNames: Set<String>,
    moment: MessageMoment = .now(),
    checkTree: @escaping (AccountSettings) throws -> Void = { _ in },
    isConfigured: @escaping (AccountSettings) -> Bool = { _ in true }
  ) {
    self.request = request
    self.accounts = accounts
    self.root = root
    self.localNames = localNames
    self.moment = moment
    self.checkTree = checkTree
    self.isConfigured = isConfigured
  }

  /// Queues the message. When this returns, it is safe from a power cut.
  ///
  /// - Returns: the account that sends it, and what was queued.
  /// - Throws: ``AcceptanceError``: then nothing was queued.
  package func accept(_ spool: MessageSpool) throws -> (
    account: AccountSettings, envelope: SubmissionEnvelope
  ) {
    var head = try spool.head(atMost: Self.usualHeader)
    var (header, bodyStart) = head.withUnsafeBytes { RawHeader.parse($0) }
    // Anything but an empty line may be the cut.
    let isWhole = bodyStart >= 2 && head[bodyStart - 2] == 0x0A && head[bodyStart - 1] == 0x0A
    if !isWhole, head.count < spool.count {
      head = try spool.head(atMost: Self.headerLimit + 1 << 20)
      (header, bodyStart) = head.withUnsafeBytes { RawHeader.parse($0) }
    }
    guard head.count == spool.count || bodyStart < head.count,
      header.fields.reduce(0, { $0 + $1.bytes.count }) <= Self.headerLimit
    else { throw AcceptanceError.headerTooLong }
    try Self.checkEnd(of: header, bodyStart, head)
    switch try spool.withBytes({ EnclosedStub.find(in: $0) }) {
    case .stub(let command): throw AcceptanceError.stub(command: command)
    case .text(let command) where !request.sendsStubText:
      throw AcceptanceError.stubText(command: command)
    case .text, nil: break
    }
    let account = try chooseAccount(header)
    guard account.smtp != nil else { throw AcceptanceError.noServer(account: account.name) }
    do {
      let envelope = try queue(spool, header, bodyStart, account)
      try checkConfigured(account, envelope)
      return (account, envelope)
    } catch let error as MaildirError {
      throw AcceptanceError.files(error)
    }
  }

  /// A header that ends at a line which is none of one would show everybody a Bcc that stands behind it.
  private static func checkEnd(of header: RawHeader, _ bodyStart: Int, _ head: [UInt8])
    throws(AcceptanceError)
  {
    guard !header.fields.isEmpty, bodyStart >= 2, bodyStart < head.count,
      head[bodyStart - 2] != 0x0A
    else { return }
    for line in head[bodyStart...].split(separator: 0x0A, omittingEmptySubsequences: false) {
      if line.allSatisfy(\.isBlank) { return }
      let name = String(decoding: line.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
      if ["bcc", "resent-bcc"].contains(name.lowercased()), line.contains(UInt8(ascii: ":")) {
        throw .brokenHeader(line: 1 + head[..<bodyStart].count { $0 == 0x0A })
      }
    }
  }

  private static let headerLimit = 2 << 20
  private static let usualHeader = 128 << 10

  private func chooseAccount(_ header: RawHeader) throws(AcceptanceError) -> AccountSettings {
    let from = header.first("From").map { field in
      Array(field.value).withUnsafeBytes { AddressList.parse($0).map(\.address) }
    }
    var sender = request.sender.flatMap { $0.isEmpty || $0 == "<>" ? nil : $0 }
    if let text = sender, text.hasPrefix("<"), text.hasSuffix(">") {
      sender = String(text.dropFirst().dropLast())
    }
    return try AccountChoice.choose(
      accounts, named: request.account, addresses: (sender.map { [$0] } ?? []) + (from ?? []))
  }

  private func queue(
    _ spool: MessageSpool, _ header: RawHeader, _ bodyStart: Int, _ account: AccountSettings
  ) throws -> SubmissionEnvelope {
    var identity = SenderIdentity(
      email: account.email, name: request.fullName ?? account.realName, localNames: localNames)
    identity.otherAddresses = [account.smtp?.user, account.imap.user].compactMap { $0 }
      .filter { $0.contains("@") }
    let recipients = try recipients(header, identity)
    var scan = StreamScan()
    try spool.forEachPiece(from: bodyStart) { scan.take($0) }
    try checkPlace(account)
    let tree = try AccountTree.open(path: root + "/" + account.name, create: true)
    let limit = account.smtp.flatMap {
      OutboxLimits.largestMessage(in: tree, of: $0.place)
    }
    // Before all of it is written once more: nothing that is done to a body makes it smaller.
    let bodySize = UInt64(spool.count - min(bodyStart, spool.count))
    if let limit, bodySize > limit {
      throw AcceptanceError.tooLargeForServer(bodySize, limit: limit)
    }
    let acceptance = try OutboxAcceptance(in: tree)
    defer { acceptance.abandon() }
    let completion = MessageCompletion(
      identity: identity, sender: request.sender, moment: moment,
      uniqueName: acceptance.id.text + "." + QueueID.random().text)
    var message = try completion.complete(
      header, hasEightBit: scan.hasEightBit,
      bodyIsUTF8: try scan.hasEightBit && !header.has("Content-Type")
        ? isUTF8(spool, from: bodyStart) : true,
      account: account.name)
    let hasEightBit = try write(&message.header, spool, bodyStart: bodyStart, scan, acceptance)
    if let limit, acceptance.wireSize > limit {
      throw AcceptanceError.tooLargeForServer(acceptance.wireSize, limit: limit)
    }
    var needs: TransportNeeds = []
    if hasEightBit { needs.insert(.eightBit) }
    if message.header.fields.contains(where: \.hasEightBit) { needs.insert(.utf8) }
    return try acceptance.commit(
      sender: message.sender, recipients: recipients, messageID: message.messageID,
      subject: message.subject, needs: needs, notify: request.notify, held: request.held)
  }

  /// What is queued for an account that is no longer there is sent by no run. From here on whoever removes it finds the
  /// message in the queue.
  private func checkConfigured(_ account: AccountSettings, _ envelope: SubmissionEnvelope) throws {
    guard !isConfigured(account) else { return }
    let tree = try AccountTree.openExisting(path: root + "/" + account.name)
    _ = try Outbox.open(in: tree)?.discard(envelope.id, at: QueueInstant.now())
    throw AcceptanceError.accountRemoved(account.name)
  }

  private func isUTF8(_ spool: MessageSpool, from bodyStart: Int) throws -> Bool {
    try spool.withBytes { bytes in
      let body = UnsafeRawBufferPointer(rebasing: bytes[min(bodyStart, bytes.count)...])
      return UTF8Scan.validEnd(body) == body.count
    }
  }

  /// What is queued on the bare directory under a mount point is never found again. So the root may be made,
  /// by a first message before any pull, but not the directory that it is to lie in.
  private func checkPlace(_ account: AccountSettings) throws {
    do {
      try checkTree(account)
    } catch let error as AcceptanceError {
      throw error
    } catch let error as any Explained {
      throw AcceptanceError.treeAbsent(path: root, why: error.explanation.problem)
    }
    let parent = root.lastIndex(of: "/").map { String(root[..<$0]) } ?? ""
    guard access(root, F_OK) == 0 || parent.isEmpty || access(parent, F_OK) == 0 else {
      throw AcceptanceError.treeAbsent(path: parent, why: nil)
    }
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
    _ header: inout RawHeader, _ spool: MessageSpool, bodyStart: Int, _ scan: StreamScan,
    _ acceptance: OutboxAcceptance
  ) throws -> Bool {
    guard scan.hasLongLines else {
      try acceptance.write(header.bytes)
      try spool.forEachPiece(from: bodyStart) { try acceptance.write($0) }
      return scan.hasEightBit
    }
    return try spool.withBytes { bytes in
      try recode(&header, bytes, bodyStart: min(bodyStart, bytes.count), acceptance)
    }
  }

  private func recode(
    _ header: inout RawHeader, _ bytes: UnsafeRawBufferPointer, bodyStart: Int,
    _ acceptance: OutboxAcceptance
  ) throws -> Bool {
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
