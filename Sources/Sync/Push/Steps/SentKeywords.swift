import IMAPWire
import Ledger
import MailCore
import Remote
import SyncPlan

/// Keywords that new messages brought along. What a server accepts with APPEND and does not show is agreed by neither
/// side, as with STORE: else the next pull would see it as removed there, and remove it here.
struct SentKeywords: PushPart {
  let desk: PushDesk

  /// - Parameter facts: of the mailbox before the messages came: what it listed then, it keeps.
  func confirm(
    _ uploads: [PushPlan.PlannedUpload], in mailbox: MailboxKey, _ facts: SelectedMailbox
  ) throws {
    let sent = try uploads.filter { !$0.file.marks.keywords.allSatisfy(facts.lists) }
      .flatMap { try records(of: $0, in: mailbox) }
    guard !sent.isEmpty,
      let shown = try mailboxes.with(
        mailbox, { try $0.marks(of: UIDSet(sent.map { $0.uid }.sorted())) })
    else { return }
    var (missing, kept) = (Keywords.none, Keywords.none)
    for record in sent {
      guard let marks = shown[record.uid] else { continue }
      kept = kept.union(record.agreed.keywords.intersection(marks.keywords))
      missing = missing.union(record.agreed.keywords.subtracting(marks.keywords))
    }
    let unkept = missing.subtracting(kept)
    guard !unkept.isEmpty else { return }
    let marks = try leaveOut(unkept, mailbox)
    try write { transaction in
      for var record in sent {
        record.agreed = marks.left(of: record.agreed)
        try transaction.put(record, in: mailbox)
      }
    }
  }

  private func records(of upload: PushPlan.PlannedUpload, in mailbox: MailboxKey) throws
    -> [MessageRecord]
  {
    let uids = try state.contents(in: mailbox, among: [upload.file.digest.contentHash])
    return try uids.values.joined().compactMap { try state.message(in: mailbox, $0) }
      .filter { $0.name == upload.file.file.base && !$0.agreed.keywords.isEmpty }
  }
}

extension PushPart {
  /// The server took these keywords, and does not show them: they are agreed by neither side.
  func leaveOut(_ unkept: Keywords, _ mailbox: MailboxKey) throws -> UnkeepableMarks {
    let marks = UnkeepableMarks(keywords: Set(unkept.map(Keywords.fold)))
    try mailboxes.drop(marks, mailbox)
    for (_, words) in marks.refusals {
      tell(
        mailbox,
        "The server takes \(words) in this mailbox, and does not keep it: it stays on this side only.",
        exitStatus: .done)
    }
    return marks
  }
}
