import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import SyncPlan

/// A file that is a message of the mailbox, and becomes its record's: its marks and the server's are merged.
struct AdoptedFile {
  let file: MessageFile
  let digest: MessageDigest
  /// Where it lies, if not in the mailbox's own folder: a person moved it.
  let elsewhere: LocalFolder?

  func record(of message: FetchedMessage, in mailbox: PulledMailbox) throws -> MessageRecord {
    let policy = mailbox.policy
    let folder = try elsewhere ?? mailbox.local
    let file = try corrected(in: folder)
    let written = try folder.folder.localKeywords(of: file, policy: policy)
    let local = MessageMarks(
      flags: file.fileName.flags, keywords: written.set(beyond: digest.nativeLabels))
    let plan = MarkPlan.adopting(local: local, remote: policy.kept(message.marks))
    var record = try self.record(
      of: message.uid, agreed: plan.agreed, date: message.internalDate ?? mailbox.context.started,
      file, written, local, folder)
    record.emailID = message.emailID
    if elsewhere != nil {
      // Its marks wait for the push that carries the move out.
      record.agreed = MarkPlan.common(local, policy.kept(message.marks))
      record.unappliedRemote = policy.kept(message.marks)
      return record
    }
    if let date = message.internalDate { try folder.setModified(date, of: file) }
    if let wanted = plan.local {
      try folder.apply(wanted, over: local, to: file, &record)
      mailbox.count { $0.changed += 1 }
    }
    return record
  }

  /// What its name says of it, where the server does not show it. What is here counts as agreed.
  func record(guessed birth: BirthName, in mailbox: PulledMailbox) throws -> MessageRecord {
    let written = try mailbox.local.folder.localKeywords(of: file, policy: mailbox.policy)
    let local = MessageMarks(
      flags: file.fileName.flags, keywords: written.set(beyond: digest.nativeLabels))
    var record = try record(
      of: birth.uid, agreed: local, date: birth.internalDate, file, written, local, mailbox.local)
    record.traits.formUnion([.outOfView, .guessed])
    return record
  }

  private func record(
    of uid: UID, agreed: MessageMarks, date: Int64, _ file: MessageFile,
    _ written: LocalKeywords, _ local: MessageMarks, _ folder: LocalFolder
  ) throws -> MessageRecord {
    var record = MessageRecord(
      uid: uid, name: file.base, agreed: agreed, headerHash: digest.headerHash,
      contentHash: digest.contentHash, internalDate: date, traits: .adopted)
    record.nativeLabels = digest.nativeLabels
    record.serverSize = Int64(clamping: digest.serverSize)
    if digest.asCame { record.traits.insert(.keptAsItCame) }
    record.size = Int64(try folder.folder.facts(file).size)
    // A push goes by the size, and would never look for keywords that only the file has.
    if folder.policy.keywords.line != nil, written.own != nil || !local.keywords.isEmpty {
      record.traits.insert(.hasKeywordsLine)
    }
    return record
  }

  /// Sizes in the name that other tools rely on (`,S=`, `,W=`) must be right.
  private func corrected(in folder: LocalFolder) throws -> MessageFile {
    let size = try folder.folder.facts(file).size
    guard
      let base = NameHints.corrected(base: file.base, size: size, crlfSize: digest.serverSize)
    else { return file }
    folder.forgetScan()
    return try folder.rename(file, base: base)
  }
}
