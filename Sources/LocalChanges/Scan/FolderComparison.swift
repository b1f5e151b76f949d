import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// Holds one folder against its mailbox's records; reads what it must and changes nothing.
struct FolderComparison {
  let policy: MaildirPolicy
  let state: StateStore
  let record: MailboxRecord
  let mailbox: MailboxKey
  let folder: MaildirFolder
  /// A file that changed before this moment (nanoseconds) was looked into already.
  let lookedUntil: Int64
  /// The mailbox is for drafts.
  let holdsDrafts: Bool
  private var findings: FolderFindings

  /// Something moved under the scan: what it found is worth nothing.
  struct Raced: Error {}

  init(
    policy: MaildirPolicy, state: StateStore, record: MailboxRecord, mailbox: MailboxKey,
    folder: MaildirFolder, lookedUntil: Int64, holdsDrafts: Bool = false
  ) {
    self.policy = policy
    self.state = state
    self.record = record
    self.mailbox = mailbox
    self.folder = folder
    self.lookedUntil = lookedUntil
    self.holdsDrafts = holdsDrafts
    findings = FolderFindings(mailbox: mailbox, folder: folder.path)
  }

  /// - Throws: ``Raced`` where a mail reader was at work.
  mutating func compare(now: Int64) throws -> FolderFindings {
    findings.began = now
    findings.identity = try folder.identity()
    let scan = try FolderScan.read(folder)
    guard !scan.isRaced else { throw Raced() }
    findings.stamp = scan.stamp
    findings.isCompared = true
    var failure: (any Error)?
    try state.forEachMessage(in: mailbox) { message in
      guard failure == nil, !message.isPruned, !message.traits.contains(.expunged) else { return }
      do { try compare(message, scan) } catch { failure = error }
    }
    if let failure { throw failure is MaildirVanished ? Raced() : failure }
    try findUnknown(scan)
    return findings
  }

  private mutating func compare(_ message: MessageRecord, _ scan: FolderScan) throws {
    findings.expected += 1
    let name = NameHash(of: message.name)
    guard let found = scan.find(hash: name, preferring: message.agreed.flags) else {
      // A symbolic link that a person left in its place is no message, and no deletion either.
      if !scan.holdsLink(hash: name) { findings.missing.append(message) }
      return
    }
    let file = found.file(base: message.name)
    let facts: FileFacts
    do throws(MaildirError) {
      facts = try folder.facts(file)
    } catch {
      if error.stopsRun { throw error }
      if case .vanished = error { throw MaildirVanished() }
      return
    }
    var local = MessageMarks(flags: found.flags, keywords: message.agreed.keywords)
    var size: Int64?
    switch try look(message, file, facts) {
    case .same(let keywords):
      local.keywords = keywords
      if message.contentHash != .unknown { size = Int64(facts.size) }
    case .otherForm(let form):
      findings.otherForms.append(form)
      local.keywords = form.file.marks.keywords
    case .edited(let edited):
      findings.edited.append(edited)
      local.keywords = edited.file.marks.keywords
    }
    if local != message.agreed {
      findings.marks.append(
        ChangedMarks(mailbox: mailbox, record: message, local: local, size: size))
    }
  }

  private enum Look {
    case same(Keywords)
    /// All of a stub, or a stub of what was whole.
    case otherForm(MovedMessage)
    case edited(EditedMessage)
  }

  /// Size and time tell where to look; the content decides.
  private func look(_ message: MessageRecord, _ file: MessageFile, _ facts: FileFacts) throws
    -> Look
  {
    let looksSame =
      Int64(facts.size) == message.size && facts.modified / 1_000_000_000 == message.internalDate
    do throws(MaildirError) {
      let mayBeSame = looksSame && !mayBeEditedDraft(message, file, facts)
      if mayBeSame || message.contentHash == .unknown {
        guard mayHoldOtherKeywords(message, file, facts, looksSame: looksSame) else {
          return .same(message.agreed.keywords)
        }
        return .same(try keywords(of: file, message))
      }
      let digest = try folder.digest(of: file, policy: policy)
      let keywords = try keywords(of: file, message)
      if digest.contentHash == message.contentHash { return .same(keywords) }
      let seen = UnknownFile(
        mailbox: mailbox, folder: folder.path, file: file, digest: digest,
        marks: MessageMarks(flags: file.fileName.flags, keywords: keywords),
        modified: facts.modified / 1_000_000_000, size: Int64(facts.size))
      if message.isOtherForm(digest) {
        return .otherForm(MovedMessage(from: mailbox, record: message, file: seen))
      }
      return .edited(EditedMessage(mailbox: mailbox, record: message, file: seen))
    } catch {
      if case .vanished = error { throw MaildirVanished() }
      if error.stopsRun { throw error }
      // It is there, and cannot be read: what its name says still counts.
      return .same(message.agreed.keywords)
    }
  }

  /// An editor that saves twice within a second leaves the size and the second as they were. Only drafts are edited so:
  /// those that changed since are read, whatever the change was.
  private func mayBeEditedDraft(
    _ message: MessageRecord, _ file: MessageFile, _ facts: FileFacts
  ) -> Bool {
    guard facts.changed >= lookedUntil else { return false }
    return holdsDrafts || message.agreed.flags.contains(.draft)
      || file.fileName.flags.contains(.draft)
  }

  /// A keyword of the same length changes neither size nor, with some readers, time: only the time of the last change
  /// of anything tells.
  private func mayHoldOtherKeywords(
    _ message: MessageRecord, _ file: MessageFile, _ facts: FileFacts, looksSame: Bool
  ) -> Bool {
    switch policy.keywords {
    case .none: return false
    case .dovecot:
      return !file.fileName.keywordLetters.isEmpty || !message.agreed.keywords.isEmpty
    case .header:
      if !looksSame { return true }
      let hasLine = message.traits.contains(.hasKeywordsLine) || !message.agreed.keywords.isEmpty
      return hasLine && facts.changed >= lookedUntil
    }
  }

  private func keywords(of file: MessageFile, _ message: MessageRecord) throws(MaildirError)
    -> Keywords
  {
    // Where the tree keeps no keywords, none in the file means nothing.
    guard policy.keywords.keeps else { return message.agreed.keywords }
    return try folder.localKeywords(of: file, policy: policy)
      .set(beyond: message.nativeLabels, agreed: message.agreed.keywords)
  }

  private mutating func findUnknown(_ scan: FolderScan) throws {
    var known: [NameHash] = []
    known.reserveCapacity(scan.count)
    try state.forEachName(in: mailbox) { _, name in known.append(NameHash(of: name)) }
    known.sortAscending()
    findings.unknown = try folder.files(besides: known)
  }

  /// The file went away between two looks at it.
  private struct MaildirVanished: Error {}
}

extension UnknownFile {
  /// Reads a file that is unknown to the ledger; nil when it is no file at all.
  ///
  /// - Throws: `vanished` when it went away meanwhile.
  package static func read(
    _ file: MessageFile, in folder: MaildirFolder, mailbox: MailboxKey?, policy: MaildirPolicy
  ) throws(MaildirError) -> UnknownFile? {
    let facts = try folder.facts(file)
    guard facts.isRegularFile else { return nil }
    let digest = try folder.digest(of: file, policy: policy)
    let keywords =
      policy.keywords.keeps
      ? try folder.localKeywords(of: file, policy: policy).set(beyond: digest.nativeLabels)
      : Keywords.none
    return UnknownFile(
      mailbox: mailbox, folder: folder.path, file: file, digest: digest,
      marks: MessageMarks(flags: file.fileName.flags, keywords: keywords),
      modified: facts.modified / 1_000_000_000, size: Int64(facts.size),
      part: digest.isStub
        ? nil : try folder.contentIfMarked(file).flatMap { PartLeft($0, policy: policy) })
  }
}
