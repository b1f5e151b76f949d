/// A queued message while an editor has it open.
extension Outbox {
  /// Keeps the message from being sent while its text is edited.
  ///
  /// - Returns: the entry as it stands then, for ``finishEdit(_:replacement:at:)``.
  /// - Throws: `notAllowed` where it is being sent, or was.
  package func beginEdit(_ id: QueueID, at now: QueueInstant) throws(QueueError) -> QueueEntry {
    let lock = try changeLock()
    defer { withExtendedLifetime(lock) {} }
    guard var entry = try settled(id, now) else { throw .noSuchEntry(id.text) }
    guard entry.file != nil else { throw Self.fileless(entry) }
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
  /// - Returns: the new one: it waits to be sent, or is held still where the old one was (``QueueEntry/holdAfterEdit``).
  /// - Throws: `changedMeanwhile` where the old one is no longer as it was when the edit began.
  @discardableResult
  package func finishEdit(_ seen: QueueEntry, replacement: QueueID, at now: QueueInstant)
    throws(QueueError) -> QueueEntry
  {
    let lock = try changeLock()
    defer { withExtendedLifetime(lock) {} }
    guard let entry = try settled(seen.id, now), entry.phase == seen.phase,
      entry.damage == seen.damage
    else { throw .changedMeanwhile(seen.id) }
    guard var new = try read(replacement) else { throw .noSuchEntry(replacement.text) }
    _ = try forget(entry, because: "edited and sent anew", now)
    // An editor is no word of the user's that it may go.
    let hold = seen.holdAfterEdit.map { [QueueEvent.hold($0)] } ?? []
    try apply([.release] + hold, to: &new, now, durably: true)
    return new
  }

  /// Leaves the message as it was before.
  package func cancelEdit(_ seen: QueueEntry, at now: QueueInstant) throws(QueueError) {
    guard seen.phase.state == .held, seen.phase.error == HoldReason.edited else { return }
    let lock = try changeLock()
    defer { withExtendedLifetime(lock) {} }
    guard var entry = try read(seen.id), entry.phase == seen.phase else { return }
    try apply(.release, to: &entry, now)
  }
}

extension QueueEntry {
  /// Why what an editor made of it has to wait for the user's word, as it did itself; nil where it may go.
  package var holdAfterEdit: String? {
    switch damage {
    // To edit what was changed is how it is sent as it is now.
    case nil, .messageChanged: break
    case .envelope, .phase, .messageMissing, .unreadable, .newer, .restored:
      return HoldReason.mayHaveGone
    }
    guard phase.state == .held else { return nil }
    switch phase.error {
    case HoldReason.edited, QueueDamage.messageChanged.words: return nil
    case HoldReason.byHand: return HoldReason.byHand
    default: return HoldReason.mayHaveGone
    }
  }

  /// Whether somebody has it, or may have it as far as anybody can tell.
  package var mayHaveBeenSent: Bool {
    phase.mayHaveArrived || holdAfterEdit == HoldReason.mayHaveGone
  }

  /// Some have it, and its bytes are all that is left here of it: no copy of it is filed.
  package var isOnlyCopy: Bool {
    guard file != nil, damage == nil || damage == .restored, phase.copy != .filed else {
      return false
    }
    return phase.recipients.contains { $0.state == .sent }
  }
}
