import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An account's queue, for those who change it. Every change is read, made and written under a lock
/// that is held for that moment only.
package final class Outbox: Sendable {
  let tree: AccountTree
  let folders: OutboxFolders
  /// What the user asks for is looked at as if it were done, and nothing is written: for `--dry-run`.
  private let isRehearsal: Bool

  private init(tree: AccountTree, folders: OutboxFolders, isRehearsal: Bool = false) {
    self.tree = tree
    self.folders = folders
    self.isRehearsal = isRehearsal
  }

  /// Nil where nothing was ever queued.
  ///
  /// - Parameter rehearses: the user's changes have the same outcome, or the same error, and change nothing.
  package static func open(in tree: AccountTree, rehearses: Bool = false) throws(QueueError)
    -> Outbox?
  {
    let found = try filing { () throws(MaildirError) in try OutboxFolders.open(in: tree.control) }
    guard let found else { return nil }
    if rehearses { return Outbox(tree: tree, folders: found, isRehearsal: true) }
    // Where the missing cannot be made, what is there can be read all the same; who sends insists on it.
    return Outbox(tree: tree, folders: (try? found.whole()) ?? found)
  }

  /// Oldest first.
  package func entries() throws(QueueError) -> [QueueEntry] {
    try filing { () throws(MaildirError) in
      try OutboxReader.entries(folders, identity: tree.identity())
    }
  }

  /// The message's bytes, to show or to send.
  ///
  /// - Throws: `noSuchEntry` where it was unlinked.
  package func message(of entry: QueueEntry) throws(QueueError) -> FrozenMessageReader {
    // A mail reader may rename it between the look and the opening.
    for _ in 0..<3 {
      let reader = try filing { () throws(MaildirError) -> FrozenMessageReader? in
        guard let name = try folders.message(entry.id) else { return nil }
        let directory = folders.directory(of: name)
        guard let file = try directory.open(name.name, O_RDONLY) else { return nil }
        let frozen =
          entry.envelope?.message
          ?? FrozenMessage(size: 0, wireSize: 0, hash: 0, inode: 0, birthTime: 0)
        return FrozenMessageReader(file: file, path: directory.path, frozen: frozen)
      }
      if let reader { return reader }
    }
    throw .noSuchEntry(entry.id.text)
  }

  // MARK: What the user does

  package func hold(_ id: QueueID, reason: String, at now: QueueInstant) throws(QueueError) {
    try userChange(id, .hold(reason), now)
  }

  /// Lets a parked message go; one that a restore brought back belongs here from now on.
  package func release(_ id: QueueID, at now: QueueInstant) throws(QueueError) {
    try userChange(id, .release, now)
  }

  /// Sends it again, to all but those who have it: the way out of `failed` and `unknown`.
  package func retry(_ id: QueueID, at now: QueueInstant) throws(QueueError) {
    try userChange(id, .retry, now)
  }

  /// Notes what a server further on reported of it.
  ///
  /// - Returns: false where that is no news: it was known that these did not get it.
  package func bounced(
    _ id: QueueID, report: String, _ words: [Int: String], at now: QueueInstant
  ) throws(QueueError) -> Bool {
    do throws(QueueError) {
      let (before, after) = try userChange(id, .bounced(report: report, words), now)
      return before.recipients != after.recipients
    } catch .notAllowed {
      return false
    }
  }

  package enum Discarding: Sendable, Equatable {
    case removed
    /// Some have it, and its bytes are all there is of it until its copy is filed: only what went wrong with it is
    /// forgotten.
    case keptForCopy
  }

  /// Removes the message and its records; for damaged ones, too. Of one that went out to somebody nothing is removed
  /// before its copy is in Sent.
  @discardableResult
  package func discard(_ id: QueueID, at now: QueueInstant) throws(QueueError) -> Discarding {
    let lock = try changeLock()
    defer { withExtendedLifetime(lock) {} }
    guard let entry = try settled(id, now) else {
      try remove(id)
      return .removed
    }
    if entry.phase.state == .sending, entry.damage == nil {
      throw .notAllowed(id, QueueTransitionError(state: .sending, event: .hold("")))
    }
    return try forget(entry, because: "given up by hand", now)
  }

  /// Removes the entry, or keeps what must be kept of it. Under the lock.
  func forget(_ entry: QueueEntry, because reason: String, _ now: QueueInstant)
    throws(QueueError) -> Discarding
  {
    guard entry.isOnlyCopy else {
      try remove(entry.id)
      return .removed
    }
    var entry = entry
    let parking: [QueueEvent] =
      entry.damage == .restored ? [.restored(QueueDamage.restored.words)] : []
    try apply(parking + [.dealtWith(reason)], to: &entry, now, durably: true)
    return .keptForCopy
  }

  // MARK: What the one who sends does

  /// The right to send this account's queue, for as long as the value lives.
  ///
  /// - Throws: `senderBusy` where another process has it.
  package func beginSending() throws(QueueError) -> OutboxSender {
    let lock = try changeLock()
    defer { withExtendedLifetime(lock) {} }
    guard let sender = try senderLock() else { throw .senderBusy }
    let whole = try filing { () throws(MaildirError) in try folders.whole() }
    return OutboxSender(outbox: Outbox(tree: tree, folders: whole), lock: sender)
  }

  // MARK: Steps

  func changeLock() throws(QueueError) -> FileLock? {
    try filing { () throws(MaildirError) in
      try FileLock.take(OutboxFolders.changesLock, in: folders.outbox, waiting: true)
    }
  }

  private func senderLock() throws(QueueError) -> FileLock? {
    try filing { () throws(MaildirError) in
      try FileLock.take(OutboxFolders.senderLock, in: folders.outbox, waiting: false)
    }
  }

  @discardableResult
  private func userChange(_ id: QueueID, _ event: QueueEvent, _ now: QueueInstant)
    throws(QueueError) -> (before: QueuePhase, after: QueuePhase)
  {
    let lock = try changeLock()
    defer { withExtendedLifetime(lock) {} }
    guard var entry = try settled(id, now) else { throw .noSuchEntry(id.text) }
    if entry.damage == .restored {
      try apply(.restored(QueueDamage.restored.words), to: &entry, now)
    }
    if event == .retry, case .phase = entry.damage, let envelope = entry.envelope {
      // Nobody knows whom it has reached: the user's word is for all.
      entry.phase = QueuePhase(recipients: envelope.recipients.count)
      entry.damage = nil
    }
    if let damage = entry.damage, damage != .restored { throw .damaged(id, damage) }
    switch event {
    case .release, .retry:
      guard entry.file != nil else { throw Self.fileless(entry) }
      try rebind(&entry)
    case .hold:
      // Held, its records would be those of no message.
      guard entry.file != nil else { throw Self.fileless(entry) }
    default: break
    }
    let before = entry.phase
    try apply(event, to: &entry, now)
    return (before, entry.phase)
  }

  /// Why nothing can be done with an entry that has no message.
  static func fileless(_ entry: QueueEntry) -> QueueError {
    entry.damage == nil && entry.phase.copy == .filed
      ? .inSentOnly(entry.id) : .damaged(entry.id, .messageMissing)
  }

  /// The entry as it is; one that a dead sender had in hand is first put right. Under the lock.
  func settled(_ id: QueueID, _ now: QueueInstant) throws(QueueError) -> QueueEntry? {
    guard var entry = try read(id) else { return nil }
    if entry.phase.state == .sending, entry.damage == nil, try senderLock() != nil {
      try apply(.lost("the program that was sending it ended", ownerDied: true), to: &entry, now)
    }
    return entry
  }

  /// The entry as it stands on disk; nil where there is none.
  package func read(_ id: QueueID) throws(QueueError) -> QueueEntry? {
    try filing { () throws(MaildirError) in
      try OutboxReader.entry(id, folders.message(id), folders, tree.identity())
    }
  }

  /// Changes the phase, on disk first. Under the lock.
  func apply(_ event: QueueEvent, to entry: inout QueueEntry, _ now: QueueInstant)
    throws(QueueError)
  {
    try apply([event], to: &entry, now, durably: true)
  }

  /// The same for several, one behind the other, of which only the last is seen on disk.
  func apply(
    _ events: [QueueEvent], to entry: inout QueueEntry, _ now: QueueInstant, durably: Bool
  ) throws(QueueError) {
    var phase = entry.phase
    do throws(QueueTransitionError) {
      for event in events { try phase.apply(event, at: now) }
    } catch {
      throw .notAllowed(entry.id, error)
    }
    if !isRehearsal {
      try filing { () throws(MaildirError) in
        try folders.write(phase, of: entry.id, durably: durably)
      }
    }
    entry.phase = phase
    if entry.damage == .restored { entry.damage = nil }
  }

  /// Makes the entry one of this tree, if its bytes are still those that were accepted.
  private func rebind(_ entry: inout QueueEntry) throws(QueueError) {
    guard var envelope = entry.envelope, let file = entry.file else { return }
    let reader = try message(of: entry)
    var buffer = [UInt8](repeating: 0, count: 128 * 1024)
    while try filing({ () throws(MaildirError) in try reader.read(into: &buffer) }) > 0 {}
    guard reader.isIntact else { throw .damaged(entry.id, .messageChanged) }
    try filing { () throws(MaildirError) in
      guard let facts = try folders.directory(of: file).queueFacts(file.name) else {
        throw .vanished(name: entry.id.text)
      }
      envelope.tree = try tree.identity()
      envelope.message.inode = facts.mark.inode
      envelope.message.birthTime = facts.mark.birthTime
      if isRehearsal { return }
      try folders.entries.replace(
        EnvelopeFile.name(entry.id), with: EnvelopeFile.bytes(envelope))
    }
    entry.envelope = envelope
    entry.damage = nil
  }

  /// The message first: records without it are no entry. Under the lock.
  func remove(_ id: QueueID) throws(QueueError) {
    if isRehearsal { return }
    try filing { () throws(MaildirError) in try unlinkMessage(id) }
    try removeRecords(id)
  }

  func removeRecords(_ id: QueueID) throws(QueueError) {
    try filing { () throws(MaildirError) in
      try folders.entries.unlink(Array(PhaseFile.name(id).utf8))
      try folders.entries.unlink(Array(EnvelopeFile.name(id).utf8))
      try folders.entries.sync()
    }
  }

  private func unlinkMessage(_ id: QueueID) throws(MaildirError) {
    while let file = try folders.messages()[id] {
      let directory = folders.directory(of: file)
      try directory.unlink(file.name)
      try directory.sync()
    }
  }
}

/// Brings what the files refuse into the queue's errors.
func filing<R>(_ body: () throws(MaildirError) -> R) throws(QueueError) -> R {
  do throws(MaildirError) {
    return try body()
  } catch {
    throw .files(error)
  }
}
