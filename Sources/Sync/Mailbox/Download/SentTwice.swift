import Ledger
import MailCore
import Maildir
import Remote
import SyncPlan

/// Finds the twins of messages that a push sent twice, because nobody could see that the first sending was still on its
/// way. A twin gets no file; the next push removes it, as it removes a draft that was replaced.
struct SentTwice {
  struct Twin {
    /// As it will be known until it is removed.
    var record: MessageRecord
    /// What the next push is to do.
    var step: PushStep
  }

  private let mailbox: PulledMailbox
  private var repeats: [RepeatedUpload]?

  init(_ mailbox: PulledMailbox) { self.mailbox = mailbox }

  /// - Returns: nil where the message is no twin, or anything tells it from the one that is here.
  mutating func twin(of message: FetchedMessage, _ found: MessageRecord, _ digest: MessageDigest)
    throws -> Twin?
  {
    let repeats = try self.repeats ?? mailbox.repeatedUploads()
    self.repeats = repeats
    let hash = digest.contentHash
    let uidValidity = mailbox.record.uidValidity
    // Gmail makes one message of both by itself.
    guard found.gmailIdentity == nil,
      let upload = repeats.first(where: {
        $0.contentHash == hash && $0.uidValidity == uidValidity
          && $0.uidNext <= message.uid.rawValue
      })
    else { return nil }
    let ours = (try mailbox.state.contents(in: mailbox.id, among: [hash])[hash] ?? [])
      .filter { $0.rawValue >= upload.uidNext && $0 != message.uid }
    guard ours.count == 1, let uid = ours.first,
      let original = try mailbox.state.message(in: mailbox.id, uid),
      original.headerHash == digest.headerHash,
      original.serverSize == Int64(clamping: digest.serverSize), original.remote == found.agreed
    else { return nil }
    var record = found
    record.headerHash = digest.headerHash
    record.contentHash = hash
    record.serverSize = original.serverSize
    let step = PushStep(
      number: 0, stage: .copied(at: uid), target: mailbox.id, record: original,
      source: PushStep.Source(record, in: mailbox.id, uidValidity: uidValidity),
      uidValidity: uidValidity, uidNext: upload.uidNext)
    return Twin(record: record, step: step)
  }
}
