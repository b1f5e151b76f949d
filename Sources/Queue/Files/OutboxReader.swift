import MailCore
import Maildir

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
    do throws(MaildirError) {
      return try fill(&entry, folders, identity) ? entry : nil
    } catch {
      // One that cannot be read stands in no other's way.
      entry.damage = .unreadable(error.explanation.problem)
      return entry
    }
  }

  /// False where there is no entry.
  private static func fill(
    _ entry: inout QueueEntry, _ folders: OutboxFolders, _ identity: TreeIdentity
  ) throws(MaildirError) -> Bool {
    var facts: QueueFileFacts?
    var failure: MaildirError?
    do throws(MaildirError) {
      facts = try message(of: &entry, folders)
    } catch {
      failure = error
    }
    try readRecords(of: &entry, folders)
    if let failure { throw failure }
    if entry.damage == .phase(lost) {
      // Discarded just now?
      facts = try message(of: &entry, folders)
    }
    guard let facts else { return isFinished(&entry) }
    guard let envelope = entry.envelope else { return true }
    if entry.damage == nil || entry.damage == .restored {
      var now = envelope.message
      now.inode = facts.mark.inode
      now.birthTime = facts.mark.birthTime
      if !envelope.tree.isSameTree(as: identity) || !envelope.message.isSameFile(as: now) {
        entry.damage = .restored
      } else if entry.damage == nil, facts.size != envelope.message.size {
        entry.damage = .messageChanged
      }
    }
    // What was not to be sent by itself is as it was.
    let waits = entry.phase.state == .queued || entry.phase.state == .sending
    if entry.damage == .restored, !waits { entry.damage = nil }
    return true
  }

  /// The facts of the message's file, where there is one; a mail reader may rename it meanwhile.
  private static func message(of entry: inout QueueEntry, _ folders: OutboxFolders)
    throws(MaildirError) -> QueueFileFacts?
  {
    if let file = entry.file, let facts = try facts(file, folders) { return facts }
    entry.file = try folders.messages()[entry.id]
    if let file = entry.file, let facts = try facts(file, folders) { return facts }
    entry.file = nil
    return nil
  }

  private static func facts(_ file: QueueFile, _ folders: OutboxFolders) throws(MaildirError)
    -> QueueFileFacts?
  {
    try folders.directory(of: file).queueFacts(file.name)
  }

  private static func readRecords(of entry: inout QueueEntry, _ folders: OutboxFolders)
    throws(MaildirError)
  {
    let id = entry.id
    // The phase first: an edit replaces the envelope, and clears the phase before that.
    let phase = try folders.entries.readMarked(PhaseFile.name(id), atMost: PhaseFile.limit)
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
      entry.damage = error.isOfNewerProgram ? .newer : .envelope(error.words)
      return
    }
    guard let phase else {
      // It may have been sent: what was accepted has one.
      entry.damage = .phase(lost)
      return
    }
    do throws(RecordDamage) {
      let read = try PhaseFile.read(phase.bytes, recipients: entry.envelope?.recipients.count ?? 0)
      entry.phase = read.phase
      if !read.file.isSameFile(as: phase.file) { entry.damage = .restored }
    } catch {
      entry.damage = error.isOfNewerProgram ? .newer : .phase(error.words)
    }
  }

  private static let lost = "lost"

  /// Whether an entry without its message is one.
  private static func isFinished(_ entry: inout QueueEntry) -> Bool {
    if entry.damage == .restored { entry.damage = nil }
    switch entry.damage {
    case .envelope, .phase(lost): return false
    case .some: return true
    case nil: break
    }
    switch entry.phase.state {
    case .sent: return true
    // It was sent, and unlinked; it came back after that.
    case .failed where !entry.phase.bounces.isEmpty: return true
    case .sending, .unknown:
      entry.damage = .messageMissing
      return true
    case .queued, .failed, .held: return false
    }
  }
}
