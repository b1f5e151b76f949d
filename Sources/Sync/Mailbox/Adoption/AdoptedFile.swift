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

  func record(
    of message: FetchedMessage, in mailbox: PulledMailbox, _ otherPlace: OtherPlace
  ) throws -> MessageRecord {
    let policy = mailbox.policy
    let folder = try elsewhere ?? mailbox.local
    let file = try corrected(in: folder)
    let written = try folder.folder.localKeywords(of: file, policy: policy)
    let local = MessageMarks(
      flags: file.fileName.flags, keywords: written.set(beyond: digest.nativeLabels))
    let remote = policy.kept(message.marks)
    let plan =
      try agreedElsewhere(in: mailbox, otherPlace).map { agreed in
        var base = agreed
        // Of that mark the server's word counts.
        base.flags.formUnion(local.flags.intersection(.deleted))
        return MarkPlan.plan(agreed: base, local: local, remote: remote)
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
  private func agreedElsewhere(
    in mailbox: PulledMailbox, _ otherPlace: OtherPlace
  ) throws -> MessageMarks? {
    // After a lost state nothing is known of other places. Letters have a meaning in their own folder alone.
    guard elsewhere == nil, !mailbox.record.needsAdoption, mailbox.policy.keywords != .dovecot,
      mailbox.record.uid(bornAs: file.base) == nil
    else { return nil }
    // Of a message that has its file this one is a copy, and was one before that was agreed on.
    let moved = try mailbox.state.copiesAndExpunged(ofContent: digest.contentHash).filter {
      try $0.mailbox != mailbox.id && otherPlace.lacksFile($0.message, in: $0.mailbox)
    }
    let stem = MessageStem(of: file.base)
    let named = moved.filter { $0.message.stem == stem }
    // A reader may have saved it under a new name.
    let likely = named.isEmpty ? moved : named
    return likely.count == 1 ? likely[0].message.agreed : nil
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
