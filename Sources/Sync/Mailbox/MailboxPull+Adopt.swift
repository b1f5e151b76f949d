import MailCore
import Maildir
import State

extension MailboxPull {
  /// Takes over a file, or an orphaned record, whose header is this message's. Nil when there is none that fits.
  func adopt(_ message: FetchedMessage, headerHash: UInt64) throws -> MessageRecord? {
    while let match = matcher?.take(headerHash: headerHash, uid: message.uid) {
      switch match {
      case .orphan(let orphan):
        if let record = try adopt(orphan, as: message) { return record }
      case .file(let file, let folder):
        if let record = try adopt(file, in: folder, as: message, headerHash: headerHash) {
          return record
        }
      }
    }
    return nil
  }

  /// The record knows what was agreed, so a person's changes survive the renumbering.
  private func adopt(_ orphan: StateStore.Orphan, as message: FetchedMessage) throws
    -> MessageRecord?
  {
    guard var record = try context.state.orphan(orphan.key, in: mailboxID) else { return nil }
    record.uid = message.uid
    record.unappliedRemote = nil
    if let identity = message.emailID { record.emailID = identity }
    switch try local.bring(message.marks, to: record) {
    case .applied(let kept, _): record = kept
    case .absent(let kept): record = kept
    }
    matchedOrphans.append(orphan.key)
    return record
  }

  private func adopt(
    _ file: MessageFile, in other: LocalFolder?, as message: FetchedMessage, headerHash: UInt64
  ) throws -> MessageRecord? {
    do {
      let folder = try other ?? local
      let digest = try folder.folder.digest(of: file, policy: context.policy)
      guard digest.headerHash == headerHash else { return nil }
      guard isWhole(digest, message, file) else {
        // The size speaks against it, and sizes lie: once the message is here, its content decides.
        suspects[message.uid] = Suspect(file: file, folder: other, digest: digest)
        return nil
      }
      return try take(file, digest, in: other, as: message)
    } catch let error as MaildirError where !error.stopsRun {
      // A reader renamed or removed it just now: the message is downloaded, the next run sorts it out.
      return nil
    }
  }

  /// A file cut short by a crash of some other tool must not pass for the message. Sizes are hints: longer is fine
  /// (tools add headers), and tools that rewrite white space may lose a few bytes.
  private func isWhole(_ digest: MessageDigest, _ message: FetchedMessage, _ file: MessageFile)
    -> Bool
  {
    guard let announced = message.size, !context.serverCountsWrong else { return true }
    let birth = BirthName(base: file.base)
    if let birth, context.policy.fsync, birth.uid == message.uid,
      birth.uidValidity.rawValue == record.uidValidity, birth.isBorn(in: record.mailboxName)
    {
      return true  // Ours, and named only when it was whole on the disk.
    }
    let slack: Int64 = birth == nil ? 256 : 0
    return Int64(clamping: digest.serverSize) + slack >= announced
  }

  /// The file that a downloaded message turned out to be; nil where it is another.
  func adoptSuspect(_ message: FetchedMessage, _ digest: MessageDigest) throws -> MessageRecord? {
    guard let suspect = suspects.removeValue(forKey: message.uid),
      suspect.digest.contentHash == digest.contentHash
    else { return nil }
    return try take(suspect.file, suspect.digest, in: suspect.folder, as: message)
  }

  private func take(
    _ found: MessageFile, _ digest: MessageDigest, in other: LocalFolder?,
    as message: FetchedMessage
  ) throws -> MessageRecord {
    let folder = try other ?? self.local
    let file = try corrected(found, digest, in: folder)
    let local = MessageMarks(
      flags: file.fileName.flags,
      keywords: try folder.folder.localKeywords(
        of: file, policy: context.policy
      ).set(beyond: digest.nativeLabels))
    let plan = MarkPlan.adopting(local: local, remote: context.policy.kept(message.marks))
    let date = message.internalDate ?? context.started
    var record = MessageRecord(
      uid: message.uid, name: file.base, agreed: plan.agreed, headerHash: digest.headerHash,
      contentHash: digest.contentHash, internalDate: date, traits: .adopted,
      emailID: message.emailID)
    record.nativeLabels = digest.nativeLabels
    record.serverSize = Int64(clamping: digest.serverSize)
    if digest.asCame { record.traits.insert(.keptAsItCame) }
    record.size = Int64(try folder.folder.facts(file).size)
    if other != nil {
      // It lies elsewhere: a person moved it. Its marks wait for the push that carries the move out.
      record.agreed = MarkPlan.common(local, context.policy.kept(message.marks))
      record.unappliedRemote = context.policy.kept(message.marks)
      return record
    }
    if let date = message.internalDate { try folder.setModified(date, of: file) }
    if let wanted = plan.local {
      try folder.apply(wanted, over: local, to: file, &record)
      count { $0.changed += 1 }
    }
    return record
  }

  /// Sizes in the name that other tools rely on (`,S=`, `,W=`) must be right.
  private func corrected(_ file: MessageFile, _ digest: MessageDigest, in folder: LocalFolder)
    throws
    -> MessageFile
  {
    let size = try folder.folder.facts(file).size
    guard
      let base = NameHints.corrected(base: file.base, size: size, crlfSize: digest.serverSize)
    else { return file }
    folder.forgetScan()
    return try folder.rename(file, base: base)
  }

  // MARK: Linking

  func holdsElsewhere(_ identity: String) throws -> Bool {
    try context.state.copies(ofEmailID: identity).contains { $0.mailbox != mailboxID }
  }

  /// A message that lies in another folder already, staged for this one: a hard link where nothing differs, else a copy.
  func linkCopy(
    of identity: String, for message: FetchedMessage,
    birth: (FetchedMessage, Int64) -> BirthName
  ) throws -> (StagedMessage, MessageRecord)? {
    if context.isRehearsal { return nil }
    for (mailbox, source) in try context.state.copies(ofEmailID: identity)
    where mailbox != mailboxID {
      guard let folder = try neighbour(mailbox) else { continue }
      let date = message.internalDate ?? source.internalDate
      do {
        let staged = try folder.withFile(source.name, lastFlags: source.agreed.flags) { file in
          try local.folder.stageCopy(
            of: file, from: folder.folder, expecting: source.digest,
            marks: context.policy.kept(message.marks), internalDate: date,
            base: birth(message, date).base, policy: context.policy)
        }
        if let staged { return (staged, source) }
      } catch let error as MaildirError where !error.stopsRun {
        continue  // Edited here, or gone: the server's copy is downloaded.
      }
    }
    return nil
  }
}

extension MessageRecord {
  var digest: MessageDigest {
    MessageDigest(
      serverSize: UInt64(max(0, serverSize)), headerHash: headerHash, contentHash: contentHash,
      asCame: traits.contains(.keptAsItCame), nativeLabels: nativeLabels)
  }
}

extension MarkPlan {
  static func common(_ local: MessageMarks, _ remote: MessageMarks) -> MessageMarks {
    MessageMarks(
      flags: local.flags.intersection(remote.flags),
      keywords: local.keywords.intersection(remote.keywords))
  }
}
