import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension OutboxSender {
  /// Takes away what is done with: leftovers of killed programs, the bytes of what was sent and filed,
  /// and the records of what was sent 30 days ago.
  package func clean(at now: QueueInstant) throws(QueueError) {
    let lock = try outbox.changeLock()
    defer { withExtendedLifetime(lock) {} }
    try removeTemporaries()
    for entry in try outbox.entries() where entry.phase.state == .sent && entry.damage == nil {
      // The bytes may be all there is of it until its copy is filed; and who was refused is told until that is dealt
      // with, however long it takes.
      guard entry.phase.copy == .filed, !entry.phase.hasRefusals else { continue }
      let age = entry.phase.changed?.elapsed(until: now) ?? 0
      if age >= Self.keepsRecords {
        try outbox.remove(entry.id)
      } else if let file = entry.file {
        _ = try filing { () throws(MaildirError) in
          try outbox.folders.directory(of: file).unlink(file.name)
        }
      }
    }
    // Where messages were taken away and may be coming back, their records are no leftovers yet.
    if !outbox.folders.lackedMessages { try removeOrphans() }
  }

  private static let keepsRecords: Int64 = 30 * 24 * 3600 * 1_000_000_000

  /// What programs that are gone were writing, with the records of messages that they never finished.
  private func removeTemporaries() throws(QueueError) {
    let folders = outbox.folders
    let unfinished = try filing { () throws(MaildirError) -> Set<String> in
      for name in try folders.entries.names() where try folders.entries.isAbandoned(name) {
        try folders.entries.unlink(name)
      }
      var unfinished: Set<String> = []
      for name in try folders.tmp.names() where try folders.tmp.isAbandoned(name) {
        // False where it is a message in `new` by now.
        guard try folders.tmp.unlink(name) else { continue }
        unfinished.insert(String(decoding: name, as: UTF8.self))
      }
      return unfinished
    }
    if !unfinished.isEmpty { try removeRecords(ofTemporaries: unfinished) }
  }

  /// Without its file in `tmp`, which was there a moment ago, none of these can become a message any more, and none
  /// was one: so nothing has to be waited for.
  private func removeRecords(ofTemporaries names: Set<String>) throws(QueueError) {
    let folders = outbox.folders
    let messages = try filing { () throws(MaildirError) in try folders.messages() }
    for id in try filing({ () throws(MaildirError) in try folders.envelopes() })
    where messages[id] == nil {
      let envelope = try filing { () throws(MaildirError) in try folders.envelope(id) }
      guard let envelope, names.contains(envelope.temporaryName) else { continue }
      try outbox.removeRecords(id)
    }
  }

  /// Unix seconds.
  private var today: Int64 { Int64(time(nil)) + secondsAhead }

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
        if try folders.entries.queueFacts(name)?.isOld(at: today) == true {
          try folders.entries.unlink(name)
        }
      }
    }
  }

  /// Whether the envelope belongs to a `sendmail` that ended long ago: a mail reader may be giving the message another
  /// name at this moment, which takes no hour.
  private func isLeftover(_ id: QueueID) throws(MaildirError) -> Bool {
    let folders = outbox.folders
    guard try folders.entries.queueFacts(EnvelopeFile.name(id))?.isOld(at: today) == true,
      let envelope = try folders.envelope(id)
    else { return false }
    let temporary = Array(envelope.temporaryName.utf8)
    guard let owner = TemporaryName(temporary), owner.ownerIsGone else { return false }
    return try folders.tmp.open(temporary, O_RDONLY) == nil
  }
}
