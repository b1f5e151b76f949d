import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import SyncPlan

/// A copy that a mail reader saved into Sent, and the one that the queue or the provider files there, are to be one
/// message: the server's, with the reader's file.
struct SavedCopyStep: PushPart {
  let desk: PushDesk
  let advice: SentCopyAdvice

  private enum Match {
    /// The server's message is this file from now on.
    case taken
    /// Another file stands for the server's message.
    case repeated
    /// The server has none.
    case absent
    /// The file went away.
    case gone
  }

  /// - Returns: what is to be sent as any new message.
  ///
  /// - Parameter others: Message-IDs of all that the queue knows.
  func match(_ copies: [SavedCopy], in mailbox: MailboxKey, others: Set<String>) throws
    -> [PushPlan.PlannedUpload]
  {
    guard !copies.isEmpty else { return [] }
    let sought = copies.filter { $0.stand != .free || $0.isSurplus }
    guard
      let found = try sought.isEmpty ? [:] : serverCopies(of: sought, in: mailbox, others: others)
    else { return [] }
    var uploads: [PushPlan.PlannedUpload] = []
    var sending: Set<String> = []
    for copy in copies {
      try context.checkInterrupt()
      switch try match(copy, found[copy.messageID] ?? []) {
      case .taken, .gone: break
      case .repeated: try keepSurplus(copy)
      case .absent:
        if copy.isSurplus {
          try keepSurplus(copy)
        } else if copy.stand == .isComing || !sending.insert(copy.messageID).inserted {
          count(.waiting, mailbox, detail: "a copy of it may come here")
        } else {
          uploads.append(copy.upload)
        }
      }
    }
    return uploads
  }

  private func keepSurplus(_ copy: SavedCopy) throws {
    try write { try $0.addSurplus(SurplusFile(copy.upload.file), to: copy.upload.mailbox) }
  }

  // MARK: The server's copies

  /// By the Message-ID here; nil where the mailbox cannot be opened.
  private func serverCopies(of copies: [SavedCopy], in mailbox: MailboxKey, others: Set<String>)
    throws
    -> [String: [SentProbe.Found]]?
  {
    // What was filed a moment ago over another connection is to be seen.
    try mailboxes.with(mailbox, isFresh: true) { open in
      let oldest = (copies.map(\.upload.file.modified).min() ?? 0) - 2 * 86_400
      let ids = Set(copies.map(\.messageID))
      let advice = advice
      var originals = try open.originals(of: open.uids(withMessageIDs: ids, since: oldest)) {
        advice.messageID($0).flatMap { ids.contains($0) ? $0 : nil }
      }
      let missing = copies.filter { copy in
        copy.stand == .mayBeRenamed && !originals.values.contains(copy.messageID)
      }
      // Outlook.com puts Message-IDs of its own into what it sends, and files that.
      if !missing.isEmpty {
        // The queue knows of no older ones.
        let recent = max(oldest, context.started - 40 * 86_400)
        let renamed = try open.originals(of: open.uids(since: recent)) { header in
          missing.first { advice.isRenamed(header, $0.header, others) }?.messageID
        }
        originals.merge(renamed) { first, _ in first }
      }
      let whole = try open.sentCopies(UIDSet(originals.keys.sorted()))
      return Dictionary(grouping: whole) { originals[$0.message.uid] ?? "" }
        .mapValues { $0.sorted { $0.message.uid < $1.message.uid } }
    }
  }

  // MARK: One copy

  private func match(_ copy: SavedCopy, _ found: [SentProbe.Found]) throws -> Match {
    let mailbox = copy.upload.mailbox
    let file = copy.upload.file
    guard !found.isEmpty else { return .absent }
    guard let folder = try context.folders.local(ofMailbox: mailbox),
      let body = try bodyHash(of: file, in: folder)
    else { return .gone }
    var isRepeated = false
    for other in found where !other.message.marks.flags.contains(.deleted) {
      let known = try state.message(in: mailbox, other.message.uid)
      if let known, !known.traits.isDisjoint(with: [.leaving, .expunged]) { continue }
      let held = try known.flatMap { try fileNow(of: $0, in: folder) }
      // Another text under the same Message-ID: both stay, and this one is not sent beside it.
      guard other.body == body else {
        isRepeated = isRepeated || known == nil || held != nil
        continue
      }
      if let known, held != nil, try !makeRoom(known, for: copy.upload, in: folder) {
        isRepeated = true
        continue
      }
      return try take(copy.upload, as: other, in: folder) ? .taken : .gone
    }
    return isRepeated ? .repeated : .absent
  }

  private func fileNow(of record: MessageRecord, in folder: LocalFolder) throws -> MessageFile? {
    guard !record.isPruned, !record.name.isEmpty else { return nil }
    return try folder.file(of: record)
  }

  /// Unlinks the file that a pull made of the server's copy: only one that it named itself and that nobody changed, only
  /// while the server has that message, and only if the mail reader's file, which says the same, is there.
  private func makeRoom(
    _ pulled: MessageRecord, for upload: PushPlan.PlannedUpload, in folder: LocalFolder
  ) throws -> Bool {
    let file = upload.file
    guard pulled.name != file.file.base else { return true }
    guard let birth = BirthName(base: pulled.name), birth.uid == pulled.uid,
      birth.uidValidity.rawValue == known.records[upload.mailbox]?.uidValidity
    else { return false }
    let hash = file.digest.contentHash
    guard try folder.holds(hash, in: file.file.base, lastFlags: file.marks.flags) else {
      return false
    }
    return try folder.unlink(pulled.name, lastFlags: pulled.agreed.flags) {
      try folder.isAsAgreed($0, pulled)
    }
  }

  /// - Returns: false where the file went away.
  private func take(
    _ upload: PushPlan.PlannedUpload, as other: SentProbe.Found, in folder: LocalFolder
  ) throws -> Bool {
    let file = upload.file
    let taken = try folder.withFile(file.file) { found in
      let local = MessageMarks(flags: found.fileName.flags, keywords: file.marks.keywords)
      let plan = MarkPlan.adopting(local: local, remote: policy.kept(other.message.marks))
      var record = MessageRecord(file, agreed: plan.agreed)
      record.uid = other.message.uid
      record.internalDate = other.message.internalDate ?? file.modified
      record.identity = other.message.identity
      if other.content != file.digest.contentHash { record.traits.insert(.differs) }
      try folder.setModified(record.internalDate, of: found)
      if let wanted = plan.local { try folder.apply(wanted, over: local, to: found, &record) }
      return record
    }
    guard let taken else { return false }
    try folder.sync()
    try write { transaction in
      try transaction.put(taken, in: upload.mailbox)
      try transaction.removeSurplus(nameHash: file.file.baseHash, from: upload.mailbox)
    }
    return true
  }

  private func bodyHash(of file: UnknownFile, in folder: LocalFolder) throws -> BodyHash? {
    try folder.withFile(file.file) { found in
      var hasher = BodyHasher()
      try folder.folder.readServerBytes(of: found, asCame: file.digest.asCame, policy: policy) {
        hasher.feed($0)
      }
      return hasher.value
    }
  }
}
