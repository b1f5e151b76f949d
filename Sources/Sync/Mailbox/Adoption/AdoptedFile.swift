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
    var record = MessageRecord(
      uid: message.uid, name: file.base, agreed: plan.agreed, headerHash: digest.headerHash,
      contentHash: digest.contentHash,
      internalDate: message.internalDate ?? mailbox.context.started, traits: .adopted,
      identity: message.identity)
    record.nativeLabels = digest.nativeLabels
    record.serverSize = Int64(clamping: digest.serverSize)
    record.traits.formUnion(digest.traits)
    record.size = Int64(try folder.folder.facts(file).size)
    // A push goes by the size, and would never look for keywords that only the file has.
    if policy.keywords.line != nil, written.own != nil || !local.keywords.isEmpty {
      record.traits.insert(.hasKeywordsLine)
    }
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

  /// Sizes in the name that other tools rely on (`,S=`, `,W=`) must be right.
  private func corrected(in folder: LocalFolder) throws -> MessageFile {
    let size = try folder.folder.facts(file).size
    guard !digest.isStub,
      let base = NameHints.corrected(base: file.base, size: size, crlfSize: digest.serverSize)
    else { return file }
    folder.forgetScan()
    return try folder.rename(file, base: base)
  }
}
