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

  private init(tree: AccountTree, folders: OutboxFolders) {
    self.tree = tree
    self.folders = folders
  }

  /// Nil where nothing was ever queued.
  package static func open(in tree: AccountTree) throws(QueueError) -> Outbox? {
    let folders = try filing { () throws(MaildirError) in try OutboxFolders.open(in: tree.control) }
    return folders.map { Outbox(tree: tree, folders: $0) }
  }

  /// Oldest first.
  package func entries() throws(QueueError) -> [QueueEntry] {
    try filing { () throws(MaildirError) in
      try OutboxReader.entries(folders, identity: tree.identity())
    }
  }

  /// The entry whose id is, or begins with, this text.
  package func entry(matching text: String) throws(QueueError) -> QueueEntry {
    let found = text.isEmpty ? [] : try entries().filter { $0.id.text.hasPrefix(text) }
    guard let entry = found.first else { throw .noSuchEntry(text) }
    guard found.count == 1 else { throw .ambiguous(text, found.map(\.id)) }
    return entry
  }

  /// The message's bytes, to show or to send.
  ///
  /// - Throws: `noSuchEntry` where it was unlinked.
  package func message(of entry: QueueEntry) throws(QueueError) -> FrozenMessageReader {
    // A mail reader may rename it between the look and the opening.
    for _ in 0..<3 {
      let file = try filing { () throws(MaildirError) in
        guard let file = try folders.message(entry.id) else { return nil as QueueFileHandle? }
        return try folders.directory(of: file).open(file.name, O_RDONLY)
      }
      guard let file else { continue }
      let frozen =
        entry.envelope?.message
        ?? FrozenMessage(size: 0, wireSize: 0, hash: 0, inode: 0, birthTime: 0)
      return FrozenMessageReader(file: file, frozen: frozen)
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

  /// An unknown message was found at the provider.
  package func foundSent(_ id: QueueID, words: String, at now: QueueInstant) throws(QueueError) {
    try userChange(id, .foundSent(words), now)
  }

  /// Removes the message and its records; for damaged ones, too.
  package func discard(_ id: QueueID, at now: QueueInstant) throws(QueueError) {
    let lock = try changeLock()
    defer { withExtendedLifetime(lock) {} }
    if let entry = try settled(id, now), entry.phase.state == .sending, entry.damage == nil {
      throw .notAllowed(id, QueueTransitionError(state: .sending, event: .hold("")))
    }
    try remove(id)
  }

  // MARK: Editing

  /// Keeps the message from being sent while its text is edited.
  ///
  /// - Returns: the entry as it stands then, for ``finishEdit(_:replacement:at:)``.
  /// - Throws: `notAllowed` where it is being sent, or was.
  package func beginEdit(_ id: QueueID, at now: QueueInstant) throws(QueueError) -> QueueEntry {
    let lock = try changeLock()
    defer { withExtendedLifetime(lock) {} }
    guard var entry = try settled(id, now) else { throw .noSuchEntry(id.text) }
    guard entry.file != nil else { throw .damaged(id, .messageMissing) }
    switch entry.phase.state {
    case .sending: throw .notAllowed(id, QueueTransitionError(state: .sending, event: .hold("")))
    case .sent where !entry.phase.hasRefusals:
      throw .notAllowed(id, QueueTransitionError(state: .sent, event: .retry))
    case .queued where entry.damage == nil: try apply(.hold(HoldReason.edited), to: &entry, now)
    case .queued, .sent, .failed, .unknown, .held: break
    }
    return entry
  }

  /// Puts the edited message, queued and held, in the old one's place. Whatever ends this on its way, both
  /// are held, and none is lost.
  ///
  /// - Throws: `changedMeanwhile` where the old one is no longer as it was when the edit began.
  package func finishEdit(_ seen: QueueEntry, replacement: QueueID, at now: QueueInstant)
    throws(QueueError)
  {
    let lock = try changeLock()
    defer { withExtendedLifetime(lock) {} }
    guard let entry = try settled(seen.id, now), entry.phase == seen.phase,
      entry.damage == seen.damage
    else { throw .changedMeanwhile(seen.id) }
    guard var new = try read(replacement) else { throw .noSuchEntry(replacement.text) }
    try remove(seen.id)
    try apply(.release, to: &new, now)
  }

  /// Leaves the message as it was before.
  package func cancelEdit(_ seen: QueueEntry, at now: QueueInstant) throws(QueueError) {
    guard seen.phase.state == .held, seen.phase.error == HoldReason.edited else { return }
    let lock = try changeLock()
    defer { withExtendedLifetime(lock) {} }
    guard var entry = try read(seen.id), entry.phase == seen.phase else { return }
    try apply(.release, to: &entry, now)
  }

  // MARK: What the one who sends does

  /// The right to send this account's queue, for as long as the value lives.
  ///
  /// - Throws: `senderBusy` where another process has it.
  package func beginSending() throws(QueueError) -> OutboxSender {
    let lock = try changeLock()
    defer { withExtendedLifetime(lock) {} }
    guard let sender = try senderLock() else { throw .senderBusy }
    return OutboxSender(outbox: self, lock: sender)
  }

  // MARK: Steps

  func changeLock() throws(QueueError) -> QueueLock? {
    try filing { () throws(MaildirError) in
      try QueueLock.take(QueueLock.changes, in: folders.outbox, waiting: true)
    }
  }

  private func senderLock() throws(QueueError) -> QueueLock? {
    try filing { () throws(MaildirError) in
      try QueueLock.take(QueueLock.sender, in: folders.outbox, waiting: false)
    }
  }

  private func userChange(_ id: QueueID, _ event: QueueEvent, _ now: QueueInstant)
    throws(QueueError)
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
      guard entry.file != nil else { throw .damaged(id, .messageMissing) }
      try rebind(&entry)
    default: break
    }
    try apply(event, to: &entry, now)
  }

  /// The entry as it is; one that a dead sender had in hand is first put right. Under the lock.
  private func settled(_ id: QueueID, _ now: QueueInstant) throws(QueueError) -> QueueEntry? {
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
    try filing { () throws(MaildirError) in
      try folders.write(phase, of: entry.id, durably: durably)
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
      let handle = try folders.directory(of: file).open(file.name, O_RDONLY)
      guard let facts = try handle?.facts() else { throw .vanished(name: entry.id.text) }
      envelope.tree = try tree.identity()
      envelope.message.inode = facts.inode
      envelope.message.birthTime = facts.birthTime
      try folders.entries.replace(
        EnvelopeFile.name(entry.id), with: EnvelopeFile.bytes(envelope))
    }
    entry.envelope = envelope
    entry.damage = nil
  }

  /// The message first: records without it are no entry. Under the lock.
  func remove(_ id: QueueID) throws(QueueError) {
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
