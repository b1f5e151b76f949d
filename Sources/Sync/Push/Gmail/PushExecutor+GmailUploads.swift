import IMAPWire
import MailCore
import Maildir
import State

extension PushExecutor {
  /// APPEND cannot carry labels, and its answer no identity: both follow.
  func completeOnGmail(_ uploads: [PushPlan.PlannedUpload], in mailbox: Int64) throws {
    guard remote.isGmail, !uploads.isEmpty, try open(mailbox) else { return }
    let sent = Dictionary(uploads.map { ($0.file.file.baseHash, $0) }) { first, _ in first }
    var placed: [UID: PushPlan.PlannedUpload] = [:]
    try state.forEachName(in: mailbox) { uid, name in
      if let upload = sent[XXH3.hash(name)] { placed[uid] = upload }
    }
    let facts = try remote.gmailFacts(of: UIDSet(placed.keys.sorted()))
    var labelled: [ChangedMarks] = []
    for (uid, upload) in placed.sorted(by: { $0.key < $1.key }) {
      guard let fact = facts[uid], var record = try state.message(in: mailbox, uid) else {
        continue
      }
      if record.emailID != fact.identity {
        record.emailID = fact.identity
        try state.transaction { try $0.put(record, in: mailbox) }
        context.noteChange()
      }
      guard !upload.file.marks.keywords.subtracting(record.agreed.keywords).isEmpty else {
        continue
      }
      labelled.append(
        ChangedMarks(
          mailbox: mailbox, record: record, local: upload.file.marks, size: upload.file.size))
    }
    try push(marks: labelled, in: mailbox)
  }
}
