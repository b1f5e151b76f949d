import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The one process that sends an account's queue; the right goes with the value, or the process.
///
/// Begin with ``recover(at:)``, then for each of ``candidates(at:urgently:)`` in turn: `claim`,
/// `reached`, `recipients`, `dispatching` — on disk before the final dot leaves — and what the server
/// answered.
package final class OutboxSender {
  package let outbox: Outbox
  private let lock: QueueLock

  init(outbox: Outbox, lock: QueueLock) {
    self.outbox = outbox
    self.lock = lock
  }

  /// Puts right what a dead sender left in hand, parks what a restore brought, and ends what has
  /// timed out. Returns the entries that this changed.
  @discardableResult
  package func recover(at now: QueueInstant) throws(QueueError) -> [QueueEntry] {
    var changed: [QueueEntry] = []
    for found in try outbox.entries() {
      let lock = try outbox.changeLock()
      defer { withExtendedLifetime(lock) {} }
      guard var entry = try outbox.read(found.id) else { continue }
      if entry.damage == .restored {
        try outbox.apply(.restored(QueueDamage.restored.words), to: &entry, now)
      } else if entry.damage == .messageMissing, entry.phase.state == .sending {
        // Deleted under a sender that died: only the last step leaves anything to tell.
        try outbox.apply(.lost("its sender ended", ownerDied: true), to: &entry, now)
      } else if entry.damage != nil {
        continue
      } else if entry.phase.state == .sending {
        try outbox.apply(
          .lost("the program that was sending it ended", ownerDied: true), to: &entry, now)
      } else if entry.phase.readiness(at: now) == .expired {
        try outbox.apply(.expired, to: &entry, now)
      } else {
        continue
      }
      changed.append(entry)
    }
    return changed
  }

  /// Parks all that waits: the tree came back from elsewhere, or from an earlier time, and what it has
  /// queued may have been sent since. To be called after ``recover(at:)``.
  package func holdAll(reason: String, at now: QueueInstant) throws(QueueError) {
    for found in try outbox.entries() where found.phase.state == .queued {
      let lock = try outbox.changeLock()
      defer { withExtendedLifetime(lock) {} }
      guard var entry = try outbox.read(found.id), entry.damage == nil,
        entry.phase.state == .queued
      else { continue }
      try outbox.apply(.restored(reason), to: &entry, now)
    }
  }

  /// What may be sent, oldest first.
  ///
  /// - Parameter urgently: also what waits for the time of its next attempt: an explicit push.
  package func candidates(at now: QueueInstant, urgently: Bool) throws(QueueError) -> [QueueEntry] {
    try outbox.entries().filter { entry in
      guard entry.damage == nil, entry.file != nil else { return false }
      switch entry.phase.readiness(at: now) {
      case .now: return true
      case .later: return urgently
      case .expired, .no: return false
      }
    }
  }

  /// Notes an event, on disk before it returns.
  ///
  /// - Returns: the entry as it stands now.
  /// - Throws: `notAllowed` where somebody held it meanwhile; `noSuchEntry` where it was discarded.
  package func note(_ event: QueueEvent, for id: QueueID, at now: QueueInstant)
    throws(QueueError) -> QueueEntry
  {
    try note([event], for: id, at: now)
  }

  /// The same for several that follow one another, with one write: nobody sees the steps between them.
  package func note(_ events: [QueueEvent], for id: QueueID, at now: QueueInstant)
    throws(QueueError) -> QueueEntry
  {
    let lock = try outbox.changeLock()
    defer { withExtendedLifetime(lock) {} }
    guard var entry = try outbox.read(id) else { throw .noSuchEntry(id.text) }
    if events.contains(.claim), let damage = entry.damage { throw .damaged(id, damage) }
    try outbox.apply(events, to: &entry, now, durably: events.contains(where: \.mustBeDurable))
    return entry
  }

  /// Takes away what is done with: leftovers of killed programs, the bytes of what was sent and filed,
  /// and the records of what was sent 30 days ago.
  package func clean(at now: QueueInstant) throws(QueueError) {
    let lock = try outbox.changeLock()
    defer { withExtendedLifetime(lock) {} }
    try removeTemporaries()
    for entry in try outbox.entries() where entry.phase.state == .sent && entry.damage == nil {
      // The bytes may be all there is of it until its copy is filed.
      guard entry.phase.copy == .filed else { continue }
      let age = entry.phase.changed?.elapsed(until: now) ?? 0
      if age >= Self.keepsRecords {
        try outbox.remove(entry.id)
      } else if !entry.phase.hasRefusals, let file = entry.file {
        _ = try filing { () throws(MaildirError) in
          try outbox.folders.directory(of: file).unlink(file.name)
        }
      }
    }
    try removeOrphans()
  }

  private static let keepsRecords: Int64 = 30 * 24 * 3600 * 1_000_000_000

  private func removeTemporaries() throws(QueueError) {
    try filing { () throws(MaildirError) in
      for directory in [outbox.folders.tmp, outbox.folders.entries] {
        for name in try directory.names() where try directory.isAbandoned(name) {
          try directory.unlink(name)
        }
      }
    }
  }

  /// Records whose message is not there: never committed, or deleted in a mail reader.
  private func removeOrphans() throws(QueueError) {
    let folders = outbox.folders
    for id in try filing({ () throws(MaildirError) in try folders.envelopes() }) {
      guard try filing({ () throws(MaildirError) in try isLeftover(id) }) else { continue }
      // Only now: from the moment its owner is gone, no message can appear any more. Never the message
      // itself: one that is there after all, a moment between two names of it, keeps at least its bytes.
      if try outbox.read(id) == nil { try outbox.removeRecords(id) }
    }
    try filing { () throws(MaildirError) in
      let known = Set(try folders.envelopes()).union(try folders.messages().keys)
      for id in try folders.phases() where !known.contains(id) {
        let name = Array(PhaseFile.name(id).utf8)
        if try folders.entries.open(name, O_RDONLY)?.facts().isOld == true {
          try folders.entries.unlink(name)
        }
      }
    }
  }

  /// Whether the envelope belongs to a `sendmail` that ended long ago.
  private func isLeftover(_ id: QueueID) throws(MaildirError) -> Bool {
    let folders = outbox.folders
    guard let file = try folders.entries.open(Array(EnvelopeFile.name(id).utf8), O_RDONLY),
      try file.facts().isOld,
      let bytes = try folders.entries.read(EnvelopeFile.name(id), atMost: EnvelopeFile.limit),
      let envelope = try? EnvelopeFile.read(bytes)
    else { return false }
    let temporary = Array(envelope.temporaryName.utf8)
    guard let owner = TemporaryName(temporary), owner.ownerIsGone else { return false }
    return try folders.tmp.open(temporary, O_RDONLY) == nil
  }
}

extension QueueEvent {
  /// Whether it must survive a power cut. Of the steps before the dot none need: the server cannot
  /// have accepted the message yet.
  fileprivate var mustBeDurable: Bool {
    switch self {
    case .claim, .reached, .continued, .recipients: false
    // Forgotten, it is looked for again before another copy is made.
    case .copy(.filed): false
    default: true
    }
  }
}
