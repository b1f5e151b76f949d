import IMAPWire
import Ledger
import MailCore
import Remote
import SyncPlan

/// One label less for messages that other mailboxes have.
struct LabelRemoval: PushPart {
  let desk: PushDesk
  let homes: LabelHomes

  /// The messages stay on the server, and leave the mailbox.
  ///
  /// By MOVE to All Mail, which is what Gmail calls archiving: a mailbox's own label cannot be taken off by X-GM-LABELS
  /// while it is open, and what \Deleted does depends on the person's settings.
  ///
  /// - Returns: those that left.
  func takeOff(_ batch: [MessageRecord], in mailbox: MailboxKey) throws -> [MessageRecord] {
    let labels = known.gmailLabels
    guard try !batch.isEmpty && mailboxes.opens(mailbox) else { return [] }
    if labels.use(mailbox, .all) {
      try bringBack(
        batch.map(\.uid), in: mailbox,
        "Messages leave All Mail only for Trash, and other folders have this one")
      return []
    }
    let uids = UIDSet(batch.map(\.uid))
    let canTakeOff = canTakeOff(mailbox, labels)
    if !canTakeOff { try takeOffFromElsewhere(batch, mailbox) }
    let attempt = try refusals.retrying(.labels, mailbox) {
      guard canTakeOff else { return .done }
      return try mailboxes.with(mailbox) {
        try askToTakeOff(uids, mailbox, labels, $0).map { .refused($0) } ?? .done
      } ?? .impossible
    }
    let refusal: TaggedResult? = if case .refused(let last) = attempt { last } else { nil }
    if let refusal { try refusal.stopIfThrottled() }
    let isFresh = !canTakeOff
    guard let left = try mailboxes.with(mailbox, isFresh: isFresh, { try $0.existing(uids) }) else {
      return []
    }
    let mayLeave = canTakeOff && !labels.isLasting(mailbox)
    let answer = refusal ?? (mayLeave && !left.isEmpty ? .stillThere(left.count) : nil)
    if let answer, answer.leavesPending, !left.isEmpty {
      try rights.leavePending(left.count, .deletions, answer, mailbox)
    } else if !left.isEmpty {
      let words = refusal.map { "The server refuses to take it out" + $0.quoted }
      try bringBack(
        batch.map(\.uid).filter(left.contains), in: mailbox,
        words ?? "Gmail keeps this message here")
    }
    return batch.filter { !left.contains($0.uid) }
  }

  private func canTakeOff(_ mailbox: MailboxKey, _ labels: GmailLabels) -> Bool {
    labels.use(mailbox, .flagged) || labels.use(mailbox, .important)
      || labels.all != nil && remote.canMove
  }

  private func askToTakeOff(
    _ uids: UIDSet, _ mailbox: MailboxKey, _ labels: GmailLabels, _ open: borrowing OpenMailbox
  ) throws -> TaggedResult? {
    let chunks = open.chunks(uids, besides: 300)
    let answers = try open.run(
      try chunks.map { chunk in
        if labels.use(mailbox, .flagged) { return try .uidStore(chunk, .remove, flags: .flagged) }
        if let all = labels.all, !labels.use(mailbox, .important) {
          return .uidMove(chunk, to: all.rawName)
        }
        return .uidStoreLabels(chunk, .remove, [Array("\\Important".utf8)])
      })
    return chunks.indices.compactMap { answers.results[$0] }.first { !$0.isOK }
  }

  /// Where All Mail is hidden from IMAP: in another mailbox that has the message, this one's label can be taken off.
  private func takeOffFromElsewhere(_ batch: [MessageRecord], _ mailbox: MailboxKey) throws {
    guard let record = known.records[mailbox] else { return }
    let own = record.mailboxName.isInbox ? Array("\\Inbox".utf8) : record.rawName
    var places: [MailboxKey: [UID: String]] = [:]
    for message in batch {
      guard let identity = message.identity,
        let copy = try homes.remaining(identity, besides: mailbox).first
      else { continue }
      places[copy.mailbox, default: [:]][copy.message.uid] = identity
    }
    for (other, wanted) in places.sorted(by: { $0.key < $1.key }) {
      try mailboxes.with(other) { open in
        let facts = try open.gmailFacts(of: UIDSet(wanted.keys.sorted()))
        let same = UIDSet(wanted.filter { facts[$0.key]?.identity == $0.value }.keys.sorted())
        for chunk in open.chunks(same, besides: 300) {
          _ = try open.run([.uidStoreLabels(chunk, .remove, [own])])
        }
      }
    }
  }
}
