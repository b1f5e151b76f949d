import Ledger
import MailCore
import Maildir
import State

/// Messages whose files are complete but not yet named, with the records that will tell of them.
///
/// One commit syncs all files, names them, syncs the directories, and only then commits the state. While messages come, the
/// files of full batches go their way beside the next one.
struct PendingBatch {
  private let mailbox: PulledMailbox
  private let adoption: Adoption
  private let failures: MessageFailures
  private let limits: BatchLimits
  private var filling: Filling
  /// The batches before, whose files are being named, in the order in which they were full. One's files reach the disk while
  /// those of the one before it get their names.
  private var leaving: [(batch: Filling, files: FilesBeingNamed)] = []
  private static let mostLeaving = 2
  private var adopted: [MessageRecord] = []
  /// Identities that this connection has in hand.
  private var claimed: Set<String> = []

  private struct Filling {
    var files: DeliveryBatch
    var records: [MessageRecord] = []
    var bytes: Int64 = 0
    var linked = UIDSet()
    var begun = ContinuousClock.now
    let share = PendingRoom.Share(of: .ofProcess)

    init(_ policy: MaildirPolicy) { files = DeliveryBatch(policy: policy) }
  }

  init(_ mailbox: PulledMailbox, _ adoption: Adoption, _ failures: MessageFailures) {
    self.mailbox = mailbox
    self.adoption = adoption
    self.failures = failures
    limits = mailbox.context.batchLimits
    filling = Filling(mailbox.policy)
  }

  /// - Parameter bytes: received for it; none for a message that was linked.
  mutating func add(_ staged: StagedMessage, _ record: MessageRecord, bytes count: Int64) throws {
    if filling.records.isEmpty { filling.begun = .now }
    filling.files.add(staged)
    filling.share.add()
    if count == 0 { filling.linked.insert(record.uid) }
    filling.records.append(record)
    filling.bytes += count
    mailbox.progressed(messages: 1, bytes: count)
    if leaving.first?.files.isDone == true { try recordFirst() }
    let isFull = limits.isFull(filling.records.count, filling.bytes, since: filling.begun)
    if isFull || filling.share.isToBeEmptied { try leave() }
  }

  mutating func add(adopted record: MessageRecord) throws {
    adopted.append(record)
    mailbox.progressed(messages: 1, bytes: 0)
    if adopted.count >= limits.large.messages { try commit() }
  }

  /// Begins with the commit of what has come.
  private mutating func leave() throws {
    if leaving.count == Self.mostLeaving { try recordFirst() }
    try mailbox.markDirty()
    leaving.append((filling, FilesBeingNamed(filling.files)))
    filling = Filling(mailbox.policy)
  }

  private mutating func recordFirst() throws {
    let (batch, files) = leaving.removeFirst()
    try record(batch, files.wait())
  }

  /// What is on its way into its folders stays, whatever becomes of another batch.
  ///
  /// - Throws: the first failure.
  private mutating func recordLeaving() throws {
    var failure: (any Error)?
    while !leaving.isEmpty {
      do { try recordFirst() } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// All that has come, when it returns.
  mutating func commit() throws {
    do {
      try recordLeaving()
    } catch {
      if (error as? MaildirError)?.stopsRun == true {
        discardFilling()
      } else {
        try? commitFilling()
      }
      throw error
    }
    try commitFilling()
  }

  private mutating func commitFilling() throws {
    guard !filling.records.isEmpty || !adopted.isEmpty else { return }
    try mailbox.markDirty()
    var batch = filling
    filling = Filling(mailbox.policy)
    let outcome = batch.files.commit()
    if !adopted.isEmpty { try mailbox.local.sync() }
    try record(batch, outcome, adopted)
    adopted = []
  }

  /// - Parameter adopted: nil where what was matched waits for another commit.
  private mutating func record(
    _ batch: Filling, _ outcome: DeliveryBatch.Outcome, _ adopted: [MessageRecord]? = nil
  ) throws {
    defer { batch.share.empty() }
    var records = Array(batch.records.prefix(outcome.delivered.count))
    for (index, message) in outcome.delivered.enumerated() {
      records[index].complete(with: message)
    }
    let arrived = try write(records, batch.linked, adopted)
    if let failure = outcome.failure { throw failure }
    let matched = adopted ?? []
    mailbox.count {
      $0.new += records.count + matched.count
      $0.adopted += matched.count + batch.linked.count
      $0.bytes += batch.bytes
      $0.arrived = $0.arrived.union(arrived)
    }
    release(Set((records + matched).compactMap(\.identity)))
    try mailbox.local.forgetScan()
  }

  /// - Returns: messages that the account did not have before, in this mailbox or another. Those that were linked lie in
  ///   another, too.
  private func write(
    _ records: [MessageRecord], _ linked: UIDSet, _ adopted: [MessageRecord]?
  ) throws -> UIDSet {
    let tells = mailbox.context.tellsArrivals
    let asks = tells && !mailbox.outcome.isFirst
    if asks { try mailbox.state.makeContentIndex() }
    var arrived: [UID] = []
    try mailbox.commit { transaction in
      if let adopted { try adoption.write(adopted, transaction) }
      for record in records where tells && !linked.contains(record.uid) {
        let isKnown =
          try asks
          && (mailbox.context.trashedBefore.contains(record.contentHash)
            || transaction.knowsContent(record.contentHash))
        if !isKnown { arrived.append(record.uid) }
      }
      let all = records + (adopted ?? [])
      for var record in all {
        if mailbox.older.contains(record.uid), record.internalDate < mailbox.keepsBefore {
          record.traits.insert(.kept)
        }
        try transaction.put(record, in: mailbox.id)
        try failures.clear(record.uid, transaction)
      }
      let cursor = mailbox.record.backwardCursor
      if let lowest = all.map(\.uid).min(), cursor == 0 || lowest.rawValue < cursor {
        // 1 says that history is whole: whether it is shows at the end.
        mailbox.record.backwardCursor = max(2, lowest.rawValue)
        try transaction.save(mailbox.record)
      }
    }
    if adopted != nil { adoption.committed() }
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
    try? recordLeaving()
    discardFilling()
  }

  private mutating func discardFilling() {
    filling.files.discard()
    filling = Filling(mailbox.policy)
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
