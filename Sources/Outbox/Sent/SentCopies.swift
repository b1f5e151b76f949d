import MIME
import MailCore
import Maildir
import Queue

/// Files the copies of what was sent, and looks for what is unknown.
struct SentCopies {
  let sender: OutboxSender
  let rule: SentCopyRule
  let ownAddress: String?
  let surroundings: OutboxRun.Surroundings
  let clock: () -> QueueInstant

  func run() throws {
    let entries = try sender.outbox.entries()
    let unknown = entries.filter { $0.phase.state == .unknown }
    let uncopied = entries.filter { entry in
      entry.phase.copy != .filed && entry.phase.recipients.contains { $0.state == .sent }
    }
    guard !unknown.isEmpty || !uncopied.isEmpty else { return }
    var mailboxes: (any SentMailboxes)?
    defer { mailboxes?.close() }
    func opened() throws -> (any SentMailboxes)? {
      if mailboxes == nil { mailboxes = try surroundings.mailboxes?() }
      return mailboxes
    }
    var toCopy = uncopied
    for entry in unknown {
      guard let mailboxes = try opened() else { break }
      if let found = try probe(entry, mailboxes) { toCopy.append(found) }
    }
    for entry in toCopy {
      if rule == .provider || isSavedLocally(entry) {
        _ = try sender.note(.copy(.filed), for: entry.id, at: clock())
        continue
      }
      guard let mailboxes = try opened() else { return }
      try file(entry, mailboxes)
    }
  }

  // MARK: Copies

  /// What the mail reader saved into Sent is the copy.
  private func isSavedLocally(_ entry: QueueEntry) -> Bool {
    entry.envelope?.messageID.map(surroundings.hasLocalCopy) ?? false
  }

  private func file(_ entry: QueueEntry, _ mailboxes: any SentMailboxes) throws {
    let id = entry.envelope?.messageID
    let isThere = try id.map { try mailboxes.sentHolds(messageID: $0) } ?? false
    // Without an id nobody can tell whether an earlier APPEND arrived: one copy at most.
    let mayAppend = !isThere && (id != nil || entry.phase.copy == .undecided)
    if mayAppend, entry.file != nil, let envelope = entry.envelope {
      let reader = try sender.outbox.message(of: entry)
      _ = try sender.note(.copy(.appending), for: entry.id, at: clock())
      try mailboxes.append(
        size: envelope.message.wireSize, internalDate: envelope.queued.seconds,
        read: { try reader.read(into: &$0) })
    }
    _ = try sender.note(.copy(.filed), for: entry.id, at: clock())
  }

  // MARK: Unknown

  /// The entry once it is proven sent.
  private func probe(_ entry: QueueEntry, _ mailboxes: any SentMailboxes) throws -> QueueEntry? {
    guard let envelope = entry.envelope else { return nil }
    let header = try self.header(of: entry)
    let sought = SoughtMessage(
      messageID: envelope.messageID,
      date: header?.first("Date").map { String(decoding: $0.value, as: UTF8.self) },
      subject: header?.first("Subject").map { String(decoding: $0.value, as: UTF8.self) },
      queuedSeconds: envelope.queued.seconds,
      goesToSelf: envelope.recipients.contains { $0.lowercased() == ownAddress?.lowercased() })
    guard let place = try mailboxes.proof(of: sought) else { return nil }
    return try sender.note(.foundSent("found in \(place)"), for: entry.id, at: clock())
  }

  private func header(of entry: QueueEntry) throws -> RawHeader? {
    guard entry.file != nil else { return nil }
    let reader = try sender.outbox.message(of: entry)
    var start = [UInt8](repeating: 0, count: 64 * 1024)
    let count = try reader.read(into: &start)
    return start[..<count].withUnsafeBytes { RawHeader.parse($0).0 }
  }
}
