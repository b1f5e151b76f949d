import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads the queue without a lock: what others change meanwhile is seen before or after, never torn.
package enum OutboxReader {
  /// The entries of the account whose directory this is, oldest first; empty where nothing was ever
  /// queued, or there is no such directory. Writes nothing.
  ///
  /// What was sent stays listed until its record is cleaned away (30 days).
  ///
  /// - Throws: what the system refuses. Damage is no error: it shows in the entry.
  package static func entries(account path: String) throws(MaildirError) -> [QueueEntry] {
    try entries(in: AccountTree.forReading(path: path))
  }

  package static func entries(in tree: AccountTree) throws(MaildirError) -> [QueueEntry] {
    guard tree.isControlled, let folders = try OutboxFolders.open(in: tree.control) else {
      return []
    }
    return try entries(folders, identity: tree.identity())
  }

  static func entries(_ folders: OutboxFolders, identity: TreeIdentity) throws(MaildirError)
    -> [QueueEntry]
  {
    // Envelopes first: one that is there before its message will be looked for again below.
    let envelopes = try folders.envelopes()
    var messages = try folders.messages()
    var entries: [QueueEntry] = []
    for id in envelopes {
      let file = messages.removeValue(forKey: id)
      if let entry = try entry(id, file, folders, identity) { entries.append(entry) }
    }
    // Queued since the first look, or the envelope is lost.
    for (id, file) in messages {
      if let entry = try entry(id, file, folders, identity) { entries.append(entry) }
    }
    return entries.sorted(by: QueueEntry.precedes)
  }

  /// Nil where it went meanwhile, or was never whole: an envelope alone belongs to a `sendmail` that
  /// is at work or was killed, or to a message that a mail reader deleted.
  static func entry(
    _ id: QueueID, _ file: QueueFile?, _ folders: OutboxFolders, _ identity: TreeIdentity
  ) throws(MaildirError) -> QueueEntry? {
    var entry = QueueEntry(id: id, envelope: nil, phase: QueuePhase(recipients: 0), file: file)
    var facts: QueueFileHandle.Facts?
    if let file { facts = try message(file, folders)?.facts() }
    if facts == nil {
      // A mail reader may just have renamed it.
      entry.file = try folders.messages()[id]
      if let file = entry.file { facts = try message(file, folders)?.facts() }
      if facts == nil { entry.file = nil }
    }
    try readRecords(of: &entry, folders)
    guard let facts else { return finishedOrNothing(entry) }
    if entry.damage == nil, let envelope = entry.envelope {
      var now = envelope.message
      now.size = facts.size
      now.inode = facts.inode
      now.birthTime = facts.birthTime
      if !envelope.tree.isSameTree(as: identity) || !envelope.message.isSameFile(as: now) {
        if entry.phase.state == .queued || entry.phase.state == .sending {
          entry.damage = .restored
        }
      } else if now.size != envelope.message.size {
        entry.damage = .messageChanged
      }
    }
    return entry
  }

  private static func message(_ file: QueueFile, _ folders: OutboxFolders) throws(MaildirError)
    -> QueueFileHandle?
  {
    try folders.directory(of: file).open(file.name, O_RDONLY)
  }

  private static func readRecords(of entry: inout QueueEntry, _ folders: OutboxFolders)
    throws(MaildirError)
  {
    let id = entry.id
    // The phase first: an edit replaces the envelope, and clears the phase before that.
    let phaseBytes = try folders.entries.read(PhaseFile.name(id), atMost: PhaseFile.limit)
    guard
      let bytes = try folders.entries.read(EnvelopeFile.name(id), atMost: EnvelopeFile.limit)
    else {
      entry.damage = .envelope("lost")
      return
    }
    do throws(RecordDamage) {
      let envelope = try EnvelopeFile.read(bytes)
      guard envelope.id == id else { throw .field("id") }
      entry.envelope = envelope
      entry.phase = QueuePhase(recipients: envelope.recipients.count)
    } catch {
      entry.damage = .envelope(error.words)
      return
    }
    guard let phaseBytes else { return }
    do throws(RecordDamage) {
      entry.phase = try PhaseFile.read(
        phaseBytes, recipients: entry.envelope?.recipients.count ?? 0)
    } catch {
      entry.damage = .phase(error.words)
    }
  }

  private static func finishedOrNothing(_ entry: QueueEntry) -> QueueEntry? {
    if case .envelope = entry.damage { return nil }
    if entry.damage != nil { return entry }
    var entry = entry
    switch entry.phase.state {
    case .sent: return entry
    case .sending, .unknown:
      entry.damage = .messageMissing
      return entry
    case .queued, .failed, .held: return nil
    }
  }
}
