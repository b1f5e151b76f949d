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
    let remote = policy.kept(message.marks)
    let plan =
      try agreedElsewhere(in: mailbox).map {
        MarkPlan.plan(agreed: $0, local: local, remote: remote)
      } ?? MarkPlan.adopting(local: local, remote: remote)
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
      record.agreed = MarkPlan.common(local, remote)
      record.unappliedRemote = remote
      return record
    }
    if let date = message.internalDate { try folder.setModified(date, of: file) }
    if let wanted = plan.local {
      try folder.apply(wanted, over: local, to: file, &record)
      mailbox.count { $0.changed += 1 }
    }
    return record
  }

  /// Of a message that both sides moved here: a person its file, and another client the message. What was agreed on there
  /// tells what each of them changed. Nil where the file is another's.
  private func agreedElsewhere(in mailbox: PulledMailbox) throws -> MessageMarks? {
    // After a lost state nothing is known of other places.
    guard elsewhere == nil, !mailbox.record.needsAdoption, let birth = BirthName(base: file.base),
      mailbox.record.uid(bornAs: file.base) == nil, birth.account == mailbox.context.account
    else { return nil }
    let stem = MessageStem(of: file.base)
    return try mailbox.state.copiesAndExpunged(ofContent: digest.contentHash).first {
      $0.mailbox != mailbox.id && $0.message.stem == stem
    }?.message.agreed
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
