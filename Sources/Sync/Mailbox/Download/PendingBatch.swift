import Ledger
import MailCore
import Maildir
import State

/// Messages whose files are complete but not yet named, with the records that will tell of them.
///
/// One commit syncs all files, names them, syncs the directories, and only then commits the state.
struct PendingBatch {
  private let mailbox: PulledMailbox
  private let adoption: Adoption
  private let failures: MessageFailures
  private var files: DeliveryBatch
  private var records: [MessageRecord] = []
  private var adopted: [MessageRecord] = []
  private var bytes: Int64 = 0
  private var linked = UIDSet()
  /// Identities that this connection has in hand.
  private var claimed: Set<String> = []

  /// Enough to share a sync among many.
  private static let large = (messages: 1000, bytes: Int64(24 << 20))
  /// As much as memory should hold, for each connection.
  private static let largest = (messages: 2000, bytes: Int64(48 << 20))
  /// What an interruption may cost where the line is fast: a disk takes one long sync sooner than many short ones.
  private static let patience = Duration.seconds(2)
  private var begun = ContinuousClock.now
  private let share = PendingRoom.Share(of: .ofProcess)

  init(_ mailbox: PulledMailbox, _ adoption: Adoption, _ failures: MessageFailures) {
    self.mailbox = mailbox
    self.adoption = adoption
    self.failures = failures
    files = DeliveryBatch(policy: mailbox.policy)
  }

  /// - Parameter bytes: received for it; none for a message that was linked.
  mutating func add(_ staged: StagedMessage, _ record: MessageRecord, bytes count: Int64) throws {
    if records.isEmpty { begun = .now }
    files.add(staged)
    share.add()
    if count == 0 { linked.insert(record.uid) }
    records.append(record)
    bytes += count
    mailbox.progressed(messages: 1, bytes: count)
    if isFull { try commit() }
  }

  private var isFull: Bool {
    func holds(_ size: (messages: Int, bytes: Int64)) -> Bool {
      records.count >= size.messages || bytes >= size.bytes
    }
    return holds(Self.largest) || share.isToBeEmptied
      || holds(Self.large) && begun.duration(to: .now) >= Self.patience
  }

  mutating func add(adopted record: MessageRecord) throws {
    adopted.append(record)
    mailbox.progressed(messages: 1, bytes: 0)
    if adopted.count >= Self.large.messages { try commit() }
  }

  mutating func commit() throws {
    guard !records.isEmpty || !adopted.isEmpty else { return }
    try mailbox.markDirty()
    let outcome = files.commit()
    defer { share.empty() }
    if !adopted.isEmpty { try mailbox.local.sync() }
    for (index, message) in outcome.delivered.enumerated() {
      records[index].complete(with: message)
    }
    records.removeLast(records.count - outcome.delivered.count)
    let arrived = try write()
    if let failure = outcome.failure { throw failure }
    mailbox.count {
      $0.new += records.count + adopted.count
      $0.adopted += adopted.count + linked.count
      $0.bytes += bytes
      $0.arrived = $0.arrived.union(arrived)
    }
    release(Set((records + adopted).compactMap(\.identity)))
    records = []
    adopted = []
    bytes = 0
    linked = UIDSet()
    try mailbox.local.forgetScan()
  }

  /// - Returns: messages that the account did not have before, in this mailbox or another. Those that were linked lie in
  ///   another, too.
  private func write() throws -> UIDSet {
    let tells = mailbox.context.tellsArrivals
    let asks = tells && !mailbox.outcome.isFirst
    if asks { try mailbox.state.makeContentIndex() }
    var arrived: [UID] = []
    try mailbox.commit { transaction in
      try adoption.write(adopted, transaction)
      for record in records where tells && !linked.contains(record.uid) {
        let isKnown =
          try asks
          && (mailbox.context.trashedBefore.contains(record.contentHash)
            || transaction.knowsContent(record.contentHash))
        if !isKnown { arrived.append(record.uid) }
      }
      for var record in records + adopted {
        if mailbox.older.contains(record.uid), record.internalDate < mailbox.keepsBefore {
          record.traits.insert(.kept)
        }
        try transaction.put(record, in: mailbox.id)
        try failures.clear(record.uid, transaction)
      }
      let cursor = mailbox.record.backwardCursor
      if let lowest = (records + adopted).map(\.uid).min(), cursor == 0 || lowest.rawValue < cursor
      {
        // 1 says that history is whole: whether it is shows at the end.
        mailbox.record.backwardCursor = max(2, lowest.rawValue)
        try transaction.save(mailbox.record)
      }
    }
    adoption.committed()
    return UIDSet(arrived)
  }

  /// In a dry run: these would come, `fetched` of them from the server, the others by a link.
  mutating func foresee(_ records: [MessageRecord], fetched: Int) throws {
    let linked = fetched == 0 ? records.count : 0
    try mailbox.state.transaction { transaction in
      for record in records { try transaction.put(record, in: mailbox.id) }
    }
    mailbox.count {
      $0.new += fetched + linked
      $0.adopted += linked
    }
    mailbox.progressed(messages: fetched + linked, bytes: 0)
    release(Set(records.compactMap(\.identity)))
  }

  mutating func discard() {
    files.discard()
    share.empty()
    records = []
    adopted = []
  }

  // MARK: Messages in several mailboxes

  /// Takes a message in hand for this connection; false when another has it.
  mutating func claim(_ identity: String) -> Bool {
    // Twice in this very mailbox: two messages for the server, so two here.
    if claimed.contains(identity) { return true }
    guard mailbox.context.underWay.claim(identity) else { return false }
    claimed.insert(identity)
    return true
  }

  private mutating func release(_ identities: Set<String>) {
    mailbox.context.underWay.release(claimed.intersection(identities))
    claimed.subtract(identities)
  }

  /// Lets go of what did not come.
  mutating func releaseAll() { release(claimed) }
}
