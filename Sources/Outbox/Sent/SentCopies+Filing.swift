import MailCore
import Queue
import Transport

/// Copies are filed many at a time: one look into Sent tells of all of them, and one flight takes those that it lacks.
extension SentCopies {
  /// Messages that are open at once, and on their way without an answer.
  private static let together = 25
  /// Nanoseconds after which a copy that was begun is there, or will not come.
  private static let longestWay: Int64 = 10_000_000_000

  func file(
    _ entries: [QueueEntry], _ mailboxes: LazyMailboxes, _ problems: inout [Explanation]
  ) {
    var rest = entries
    while !rest.isEmpty {
      var waiting: [QueueEntry] = []
      for entry in takeBatch(of: &rest) {
        attempt(entry, &problems) {
          surroundings.wasSent(SentMessage(entry, try header(of: entry)))
          if try rule == .provider || isSavedLocally(entry) {
            try noteFiled(entry)
          } else {
            waiting.append(entry)
          }
        }
      }
      if !waiting.isEmpty, mailboxes.mayBeAsked { fileTogether(waiting, mailboxes, &problems) }
    }
  }

  /// One of a Message-ID at a time: the copy of the first is the second one's, too.
  private func takeBatch(of entries: inout [QueueEntry]) -> [QueueEntry] {
    var batch: [QueueEntry] = []
    var ids: Set<String> = []
    entries.removeAll { entry in
      guard batch.count < Self.together,
        ids.insert(entry.envelope?.messageID ?? entry.id.text).inserted
      else { return false }
      batch.append(entry)
      return true
    }
    return batch
  }

  /// What the mail reader saved into Sent is the copy.
  private func isSavedLocally(_ entry: QueueEntry) throws -> Bool {
    guard let envelope = entry.envelope, let id = envelope.messageID else { return false }
    return try surroundings.hasLocalCopy(id, envelope.queued.seconds)
  }

  private func noteFiled(_ entry: QueueEntry) throws {
    _ = try sender.note(.copy(.filed), for: entry.id, at: clock())
  }

  private func fileTogether(
    _ entries: [QueueEntry], _ mailboxes: LazyMailboxes, _ problems: inout [Explanation]
  ) {
    var open = entries
    do {
      guard let opened = try mailboxes.opened() else { return }
      let late = maybeOnTheirWay(entries)
      open = announce(entries, &problems)
      open = try lookFor(open, opened, &problems)
      for seconds in surroundings.copyPatience where open.contains(where: { late.contains($0.id) })
      {
        guard surroundings.interrupt.wait(seconds: seconds) else { return }
        open = try lookFor(open, opened, &problems)
      }
      try append(&open, opened, &problems)
    } catch {
      for entry in open { attempt(entry, &problems) { throw error } }
    }
  }

  /// Copies that a run began to file a moment ago. It died, or its line was lost: the last bytes may still be under way,
  /// or the server still at work.
  private func maybeOnTheirWay(_ entries: [QueueEntry]) -> Set<QueueID> {
    let now = clock()
    return Set(
      entries.filter { entry in
        entry.phase.copy == .appending
          && (entry.phase.changed?.elapsed(until: now) ?? 0) <= Self.longestWay
      }.map(\.id))
  }

  /// - Returns: those whose copy Sent lacks.
  private func lookFor(
    _ entries: [QueueEntry], _ opened: any SentMailboxes, _ problems: inout [Explanation]
  ) throws -> [QueueEntry] {
    let held = try opened.sentHolds(entries.map { try sought($0, header: header(of: $0)) })
    var missing: [QueueEntry] = []
    for (entry, isThere) in zip(entries, held) {
      attempt(entry, &problems) {
        if try isThere.get() { try noteFiled(entry) } else { missing.append(entry) }
      }
    }
    return missing
  }

  /// - Parameter open: afterwards those that were sent to the server, or cannot be.
  private func append(
    _ open: inout [QueueEntry], _ opened: any SentMailboxes, _ problems: inout [Explanation]
  ) throws {
    var copies: [SentCopyUpload] = []
    var sent: [QueueEntry] = []
    for entry in open {
      attempt(entry, &problems) {
        if let copy = try upload(entry) {
          sent.append(entry)
          copies.append(copy)
        } else {
          try noteFiled(entry)
        }
      }
    }
    open = sent
    let refusals = copies.isEmpty ? [] : try opened.append(copies)
    for (entry, refusal) in zip(sent, refusals) {
      attempt(entry, &problems) {
        if let refusal { throw refusal }
        try noteFiled(entry)
      }
    }
  }

  /// Says that copies are under way before the last look at the folder here: a push that reads this later leaves a mail
  /// reader's copy alone, and a copy that one found earlier is seen now.
  ///
  /// - Returns: those that nobody has saved.
  private func announce(_ entries: [QueueEntry], _ problems: inout [Explanation]) -> [QueueEntry] {
    var announced: [QueueEntry] = []
    for entry in entries {
      attempt(entry, &problems) {
        _ = try sender.note(.copy(.appending), for: entry.id, at: clock())
        if try isSavedLocally(entry) { try noteFiled(entry) } else { announced.append(entry) }
      }
    }
    return announced
  }

  /// Nil where there is nothing to file: without an id nobody can tell whether an earlier APPEND arrived, so there is one
  /// at most.
  private func upload(_ entry: QueueEntry) throws -> SentCopyUpload? {
    guard entry.file != nil, let envelope = entry.envelope,
      envelope.messageID != nil || entry.phase.copy == .undecided
    else { return nil }
    let reader = try sender.outbox.message(of: entry)
    return SentCopyUpload(
      size: envelope.message.wireSize, internalDate: envelope.queued.seconds,
      read: { try reader.read(into: &$0) })
  }
}
