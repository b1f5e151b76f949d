import Ledger
import MailCore
import Remote
import SyncPlan

/// Deleting where mailboxes are labels: a message that another mirrored mailbox has only loses this one's label, any
/// other goes to Trash.
struct LabelDeleteStep: PushPart {
  let desk: PushDesk
  let labels: LabelParts
  let transfers: TransferStep
  let trash: TrashMailbox

  func push(_ batch: [MessageRecord], _ way: PushPlan.PlannedDeletion.Way, in mailbox: MailboxKey)
    throws
  {
    guard let found = try labels.homes.find(batch, in: mailbox) else { return }
    var absent: [MessageRecord] = []
    var staying: [MessageRecord] = []
    var going: [MessageRecord] = []
    var undecided = 0
    for record in batch {
      guard let found = found[record.uid] else {
        absent.append(record)
        continue
      }
      switch found.home {
      case .elsewhere: staying.append(record)
      case .onlyHere: going.append(record)
      case .unknown, nil: undecided += 1
      }
    }
    guard let present = try mailboxes.with(mailbox, { try agree(absent, in: mailbox, $0) }) else {
      return
    }
    undecided += present
    tellUndecided(undecided, mailbox)
    for record in try labels.removal.takeOff(staying, in: mailbox) {
      count(.unlabel, mailbox, count: 1)
      try write { try $0.remove(record.uid, from: mailbox) }
    }
    try moveToTrash(going, way, from: mailbox)
  }

  private func tellUndecided(_ undecided: Int, _ mailbox: MailboxKey) {
    guard undecided > 0 else { return }
    count(.waiting, mailbox, detail: "to be looked for", count: undecided)
    tell(
      mailbox,
      "\(undecided) deletions wait: whether other folders keep the messages on the "
        + "server could not be seen.", again: "Run `mirror pull`, then push again.")
  }

  /// Gone on both sides: one move to Trash takes a message out of all its mailboxes.
  ///
  /// - Returns: how many are there after all.
  private func agree(
    _ absent: [MessageRecord], in mailbox: MailboxKey, _ open: borrowing OpenMailbox
  ) throws -> Int {
    guard !absent.isEmpty else { return 0 }
    let present = try open.existing(UIDSet(absent.map(\.uid)))
    let gone = absent.filter { !present.contains($0.uid) }
    guard !gone.isEmpty else { return absent.count }
    try write { transaction in
      for record in gone { try transaction.remove(record.uid, from: mailbox) }
    }
    return absent.count - gone.count
  }

  private func moveToTrash(
    _ batch: [MessageRecord], _ way: PushPlan.PlannedDeletion.Way, from mailbox: MailboxKey
  ) throws {
    guard !batch.isEmpty else { return }
    guard let trash = try trash.mailbox() else {
      tell(
        mailbox, "Gmail does not show its Trash over IMAP: \(batch.count) deletions wait.",
        remedy: "In Gmail's settings, under Labels, let Trash be shown in IMAP.")
      return
    }
    let outcome = try transfers.transfer(
      batch.map { Transfer(record: $0, file: nil) }, from: mailbox, to: trash)
    let isFinal = way == .expunge
    count(isFinal ? .expunge : .trash, mailbox, count: outcome.done.count)
    if try rights.leavePending(outcome, .deletions, mailbox) { return }
    try bringBack(outcome.refused, in: mailbox)
    guard isFinal else { return }
    let identities = Set(batch.compactMap(\.identity))
    try mailboxes.sparing(trash) {
      try labels.discard.purge(UIDSet(Array(outcome.places.values)), of: identities, in: trash)
    }
  }
}
