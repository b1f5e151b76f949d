import Ledger
import MailCore
import Remote
import SyncPlan

/// Drafts that were edited here take the place of the server's: what other clients did to those meanwhile is looked at
/// before they are replaced.
struct DraftMarks: PushPart {
  let desk: PushDesk

  /// Flags and keywords of the messages that are to be replaced are merged into the files, as a pull would: the new
  /// message is sent with them, and neither side's change goes with the old one (promise 1).
  ///
  /// - Returns: those that are still to be sent.
  func merged(_ uploads: [PushPlan.PlannedUpload], in mailbox: MailboxKey) throws
    -> [PushPlan.PlannedUpload]
  {
    let replaced = UIDSet(uploads.compactMap { $0.replaces?.uid }.sorted())
    guard !replaced.isEmpty,
      let there = try mailboxes.with(mailbox, { try $0.headers(of: replaced) })
    else { return uploads }
    tellReplacedElsewhere(replaced.uids.count { there[$0] == nil }, in: mailbox)
    return try uploads.compactMap { upload in
      guard let old = upload.replaces, let found = there[old.uid],
        try state.message(in: mailbox, old.uid) != nil
      else { return upload }
      if found.headerHash != old.headerHash {
        guard let own = try files.header(of: upload.file) else { return nil }
        // Its marks are not the draft's. It is not replaced: that is looked at once more before anything is expunged.
        let identity = MessageIDField.value(in: own)
        if UIDCheck(desk: desk).isAnother(found, to: old, messageID: identity, in: mailbox) {
          return upload
        }
      }
      var theirs = found.marks
      // It speaks of what was there: the edited draft was deleted by nobody.
      if !old.agreed.flags.contains(.deleted) { theirs.flags.remove(.deleted) }
      guard theirs != old.agreed else { return upload }
      return try bring(theirs, to: upload, replacing: old, in: mailbox)
    }
  }

  /// Nil where the file went away, or was edited once more: the next push sees it as it is.
  private func bring(
    _ theirs: MessageMarks, to upload: PushPlan.PlannedUpload, replacing old: MessageRecord,
    in mailbox: MailboxKey
  ) throws -> PushPlan.PlannedUpload? {
    let folder = context.folders.local(try context.folders.open(upload.file.folder))
    // As ``LocalFolder/bring(_:to:)`` merges them.
    let merged = MessageMarks.merged(agreed: old.agreed, local: upload.file.marks, remote: theirs)
    guard case .applied(let kept, _) = try folder.bring(theirs, to: old) else { return nil }
    try folder.sync()
    try write { try $0.put(kept, in: mailbox) }
    let file = try folder.withFile(kept.name, lastFlags: merged.flags) {
      try UnknownFile.read($0, in: folder.folder, mailbox: mailbox, policy: policy)
    }
    guard var file = file ?? nil, file.digest.contentHash == upload.file.digest.contentHash else {
      return nil
    }
    file.marks.keywords = policy.keywords.keeps ? merged.keywords : theirs.keywords
    var upload = upload
    upload.file = file
    upload.replaces = kept
    return upload
  }

  /// What is no longer there as it was: both stay.
  private func tellReplacedElsewhere(_ count: Int, in mailbox: MailboxKey) {
    guard count > 0 else { return }
    let what =
      count == 1 ? "1 draft that was edited here was" : "\(count) drafts that were edited here were"
    tell(
      mailbox,
      what + " changed or removed on the server, too: what is here is sent, and what is "
        + "there stays.", exitStatus: .done)
  }
}
