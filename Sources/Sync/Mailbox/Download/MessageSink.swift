import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote

/// Takes what the server sends of one mailbox's messages: matches what is here already, writes the rest to the tree,
/// and commits in batches, files first and then the state. Confined to the connection's thread.
final class MessageSink: FetchSink {
  private let mailbox: PulledMailbox
  private let adoption: Adoption
  private let copies: LinkedCopies
  /// What this download is for; answers for anything else are thrown away.
  private let wanted: UIDSet
  private let writer: DeliveryWriter
  private var header: [UInt8] = []
  private var literal = Literal.none
  var batch: PendingBatch
  /// UIDs that need nothing more: delivered, linked, or adopted.
  private(set) var handled = UIDSet()
  /// Identified as not here: their bodies are to be fetched, newest first.
  var toFetch: UIDSet
  /// Larger than the limit above which parts stay on the server, with their sizes: what is to be fetched of them is found
  /// out first.
  var large: [UID: Int64] = [:]
  /// Said to be in another folder: asked for their headers first, which tell whether they are.
  var toVerify = UIDSet()
  /// Another connection has the same message in hand: to be linked when it is through.
  private(set) var deferred: [(uid: UID, identity: String)] = []
  private var waited = UIDSet()
  private var identities: [UID: String] = [:]
  /// Answered without the message, with the reason.
  private(set) var failed = FailedMessages()
  /// Bodies that were asked for, by the request, until it is answered.
  private var asked: [UIDSet] = []
  /// Of a refused request, to be asked again in smaller pieces.
  var again: [FetchRequest] = []

  private enum Literal { case none, header, body }

  /// What is not here is left where it is.
  private let onlyMatches: Bool
  /// Where nothing but matches is wanted: what matched nothing.
  var absent = UIDSet()

  init(
    _ mailbox: PulledMailbox, _ adoption: Adoption, _ failures: MessageFailures, wanted: UIDSet,
    bodiesAtOnce: Bool = false, onlyMatches: Bool = false
  ) {
    self.mailbox = mailbox
    self.adoption = adoption
    copies = LinkedCopies(mailbox)
    self.onlyMatches = onlyMatches
    self.wanted = wanted
    toFetch = bodiesAtOnce ? wanted : UIDSet()
    writer = DeliveryWriter(policy: mailbox.policy)
    batch = PendingBatch(mailbox, adoption, failures)
  }

  // MARK: Dry run

  var isRehearsal: Bool { mailbox.context.isRehearsal }

  /// What would be asked for now is taken as having come.
  func foreseeFetches() throws {
    let uids = toFetch
    toFetch = UIDSet()
    handled = handled.union(uids)
    // Other mailboxes' copies would be linked.
    let shared = uids.uids.compactMap { uid in
      identities.removeValue(forKey: uid).map { foreseen(uid, $0) }
    }
    try batch.foresee(shared, fetched: uids.count)
  }

  private func foreseen(_ uid: UID, _ identity: String) -> MessageRecord {
    MessageRecord(
      uid: uid, name: Array("foreseen".utf8), agreed: MessageMarks(), identity: identity)
  }

  // MARK: Bytes

  func begins(uid: UID?, keywords: Keywords?, size: Int, isHeader: Bool) throws {
    try mailbox.context.checkInterrupt()
    literal = .none
    if let uid, !wanted.contains(uid) || handled.contains(uid) { return }
    if isHeader {
      header.removeAll(keepingCapacity: true)
      literal = .header
    } else if size > 0 {
      literal = .body
      try writer.begin(
        in: mailbox.local.folder,
        keywords: mailbox.policy.keywords.keeps ? keywords : Keywords.none)
    }
  }

  func bytes(_ bytes: UnsafeRawBufferPointer) throws {
    switch literal {
    case .body: try writer.write(bytes)
    case .header: if header.count < LocalFolder.longestHeader { header.append(contentsOf: bytes) }
    case .none: break
    }
  }

  func spoilt(uid: UID?, because reason: String) throws {
    if case .body = literal { writer.abandon() }
    literal = .none
    if let uid, wanted.contains(uid), !handled.contains(uid) {
      failed.add(UIDSet([uid]), because: reason)
    }
  }

  // MARK: Messages

  func finished(_ message: FetchedMessage, hasBytes: Bool, wanted asked: FetchRequest.Wanted) throws
  {
    let was = literal
    literal = .none
    guard wanted.contains(message.uid), !handled.contains(message.uid) else {
      if case .body = was { writer.abandon() }
      return
    }
    switch was {
    case .body: try deliver(message)
    case .header: try match(message)
    case .none:
      if !onlyMatches, asked == .identities || isIdentified(message) { try linkOrFetch(message) }
    }
  }

  /// Dovecot works on several commands at a time: an answer may come while an earlier one is still under way. It is that
  /// of a question for sizes and identities where it has a size, and no body of the message was asked for.
  private func isIdentified(_ message: FetchedMessage) -> Bool {
    message.size != nil && !toFetch.contains(message.uid)
      && !asked.contains { $0.contains(message.uid) }
  }

  /// - Parameter received: bytes that came for it; nil for as many as it has.
  private func deliver(_ message: FetchedMessage, received: Int64? = nil) throws {
    let marks = mailbox.policy.kept(message.marks)
    let date = message.internalDate ?? mailbox.context.started
    let staged = try writer.finish(
      marks: marks, internalDate: date, base: mailbox.birthName(of: message, date).base)
    handled.insert(message.uid)
    if let known = try adoption.adoptSuspect(message, staged.digest) {
      var unwanted = DeliveryBatch(policy: mailbox.policy)
      unwanted.add(staged)
      unwanted.discard()
      return try batch.add(adopted: known)
    }
    try batch.add(
      staged, record(of: message, date),
      bytes: received ?? Int64(clamping: staged.digest.serverSize))
    identities[message.uid] = nil
  }

  private func record(of message: FetchedMessage, _ date: Int64) -> MessageRecord {
    MessageRecord(
      uid: message.uid, name: [], agreed: mailbox.policy.kept(message.marks),
      internalDate: date, identity: message.identity ?? identities[message.uid])
  }

  /// By the header: a file or an orphan that is this message needs no download.
  private func match(_ message: FetchedMessage) throws {
    if let record = try adoption.adopt(message, header: header) {
      handled.insert(message.uid)
      try batch.add(adopted: record)
    } else if onlyMatches {
      absent.insert(message.uid)
    } else {
      try linkOrFetch(message, headerHash: mailbox.policy.headerHash(of: header))
    }
  }

  /// By the server's identity: a message that lies in another folder is linked.
  private func linkOrFetch(_ message: FetchedMessage, headerHash: HeaderHash? = nil) throws {
    guard let identity = message.identity, !mailbox.context.distrustsIdentities else {
      return want(message)
    }
    identities[message.uid] = identity
    if isRehearsal, try copies.exist(of: identity) {
      handled.insert(message.uid)
      return try batch.foresee([foreseen(message.uid, identity)], fetched: 0)
    }
    switch try copies.stage(identity, for: message, headerHash: headerHash) {
    case .staged(let staged, let source):
      handled.insert(message.uid)
      var record = record(of: message, message.internalDate ?? source.internalDate)
      record.nativeLabels = source.nativeLabels
      try batch.add(staged, record, bytes: 0)
    case .needsHeader: toVerify.insert(message.uid)
    case .absent:
      let isFree =
        mailbox.context.distrustsIdentities || batch.claim(identity) || waited.contains(message.uid)
      if isFree { want(message) } else { deferred.append((message.uid, identity)) }
    }
  }

  /// It is not here. A draft comes whole, since a person works on it, and so does what a file may turn out to be by its
  /// content.
  private func want(_ message: FetchedMessage) {
    guard let limit = mailbox.stubLimit, let size = message.size, size > limit, !isRehearsal,
      !message.marks.flags.contains(.draft), !adoption.suspected.contains(message.uid)
    else {
      toFetch.insert(message.uid)
      return
    }
    large[message.uid] = size
  }

  /// Delivers what is here of a message.
  ///
  /// - Parameter received: bytes that came for it.
  func deliver(_ stub: [UInt8], _ line: StubLine, _ message: FetchedMessage, received: Int) throws {
    guard wanted.contains(message.uid), !handled.contains(message.uid) else { return }
    try mailbox.context.checkInterrupt()
    try writer.begin(
      in: mailbox.local.folder, keywords: mailbox.policy.kept(message.marks).keywords, stub: line)
    try stub.withUnsafeBytes { try writer.write($0) }
    try deliver(message, received: Int64(max(1, received)))
  }

  /// What others had in hand is theirs to deliver first; then it is linked, or fetched if they failed.
  /// Nothing is waited for twice: two connections could wait for each other.
  func takeDeferred() -> [(uid: UID, identity: String)] {
    defer { deferred = [] }
    waited = waited.union(UIDSet(deferred.map(\.uid)))
    return deferred
  }

  // MARK: Answers

  func asks(_ request: FetchRequest) {
    if request.wanted == .bodies { asks(request.uids) }
  }

  func asks(_ uids: UIDSet) { asked.append(uids) }

  /// Whether they came or not.
  func answered(_ uids: UIDSet) {
    asked = asked.map { $0.subtracting(uids) }.filter { !$0.isEmpty }
  }

  /// Bodies that were asked for and have not come.
  var awaited: LostConnections.Awaited? {
    let left = asked.map { $0.subtracting(handled) }.filter { !$0.isEmpty }
    guard let next = left.first?.first else { return nil }
    return .init(next: next, uids: UIDSet(ranges: left.flatMap(\.ranges)))
  }

  func answered(_ request: FetchRequest, refusal: String?) throws {
    if request.wanted == .bodies { answered(request.uids) }
    var left = request.uids.subtracting(handled).subtracting(toFetch).subtracting(toVerify)
    left = left.subtracting(UIDSet(deferred.map(\.uid)))
    if !large.isEmpty { left = left.subtracting(UIDSet(large.keys.sorted())) }
    // Their bodies are under way already.
    if request.wanted != .bodies { left = asked.reduce(left) { $0.subtracting($1) } }
    if onlyMatches { left = left.subtracting(absent) }
    guard !left.isEmpty else { return }
    if onlyMatches, refusal == nil { return }
    if request.wanted != .bodies, refusal == nil {
      // Not identified: expunged meanwhile, or the server keeps silent. The body fetch will tell.
      toFetch = toFetch.union(left)
    } else if refusal != nil, left.count > 1 {
      let (upper, lower) = left.splitNewest((left.count + 1) / 2)
      again += [FetchRequest(request.wanted, upper), FetchRequest(request.wanted, lower)]
    } else {
      failed.add(left, because: refusal ?? "the server said OK and sent no message")
    }
  }

  /// Ends a literal that will never be whole, because the connection is gone.
  func abandonLiteral() {
    if case .body = literal { writer.abandon() }
    literal = .none
  }
}
