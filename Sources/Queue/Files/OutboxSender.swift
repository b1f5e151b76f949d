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
  private let lock: FileLock
  /// For tests: so much older than they are does it take files for.
  var secondsAhead: Int64 = 0

  init(outbox: Outbox, lock: FileLock) {
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
