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
    let known = try agreedElsewhere(local, mailbox)
    let plan =
      known.map { MarkPlan.plan(agreed: $0, local: local, remote: remote) }
      ?? MarkPlan.adopting(local: local, remote: remote)
    var record = MessageRecord(
      uid: message.uid, name: file.base, agreed: plan.agreed, headerHash: digest.headerHash,
      contentHash: digest.contentHash,
      internalDate: message.internalDate ?? mailbox.context.started, traits: .adopted,
      emailID: message.emailID)
    record.nativeLabels = digest.nativeLabels
    record.serverSize = Int64(clamping: digest.serverSize)
    if digest.asCame { record.traits.insert(.keptAsItCame) }
    record.size = Int64(try folder.folder.facts(file).size)
    // A push goes by the size, and would never look for keywords that only the file has.
    if policy.keywords.line != nil, written.own != nil || !local.keywords.isEmpty {
      record.traits.insert(.hasKeywordsLine)
    }
    if elsewhere != nil {
      // Its marks wait for the push that carries the move out.
      record.agreed = known ?? MarkPlan.common(local, remote)
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

  /// What was agreed of it as a message of another mailbox, where its name says that a pull delivered it there: it was moved
  /// here, on the server as well as in the tree, and a mark that was taken off meanwhile is to stay off. Of \Deleted the
  /// server's word counts (``MarkPlan/common(_:_:)``).
  private func agreedElsewhere(_ local: MessageMarks, _ mailbox: PulledMailbox) throws
    -> MessageMarks?
  {
    guard let birth = BirthName(base: file.base), !birth.isBorn(in: mailbox.name) else {
      return nil
    }
    let copies = try mailbox.state.copies(ofContent: digest.contentHash, orExpunged: true)
      .filter { $0.mailbox != mailbox.id && $0.message.name == file.base }
    guard copies.count == 1, var agreed = copies.first?.message.agreed else { return nil }
    agreed.flags.remove(.deleted)
    agreed.flags.formUnion(local.flags.intersection(.deleted))
    return agreed
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
