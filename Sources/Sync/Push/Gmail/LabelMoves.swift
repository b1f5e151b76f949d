import Ledger
import MailCore
import SyncPlan

/// Moves that a person made here, where mailboxes are labels: a MOVE takes one label off and puts another on, and the
/// message may have had both.
struct LabelMoves: PushPart {
  let desk: PushDesk
  let homes: LabelHomes
  private var removal: LabelRemoval { LabelRemoval(desk: desk, homes: homes) }
  private var identities: LabelFinder { LabelFinder(desk: desk) }

  /// A file that was moved to Trash or Spam, while other folders keep the message, only leaves its folder: on the server
  /// the message would leave all of them.
  ///
  /// - Returns: what is to be moved.
  func spare(_ transfers: [Transfer], from mailbox: MailboxKey, to target: MailboxKey) throws
    -> [Transfer]
  {
    let labels = known.gmailLabels
    guard labels.isExclusive(target), !labels.isExclusive(mailbox), !transfers.isEmpty else {
      return transfers
    }
    guard let found = try homes.find(transfers.map(\.record), in: mailbox) else { return [] }
    var moving: [Transfer] = []
    var staying: [Transfer] = []
    var waiting = 0
    var others: [UID] = []
    for transfer in transfers {
      guard let found = found[transfer.record.uid] else {
        moving.append(transfer)
        continue
      }
      switch found.home {
      case .elsewhere where try homes.remaining(found.identity, besides: mailbox).isEmpty:
        waiting += 1
      case .elsewhere: staying.append(transfer)
      case .unknown: continue  // told where it could not be looked for
      case .onlyHere: moving.append(transfer)
      case nil: others.append(transfer.record.uid)
      }
    }
    try refusals.putLost(others, mailbox)
    if waiting > 0 {
      tell(
        mailbox,
        "\(waiting) messages that were moved to “\(name(target).visible)” got other labels on "
          + "the server meanwhile: they wait.", again: "Run `mirror pull`, then push again.")
    }
    try leave(staying, mailbox, target, labels)
    return moving
  }

  private func leave(
    _ staying: [Transfer], _ mailbox: MailboxKey, _ target: MailboxKey, _ labels: GmailLabels
  ) throws {
    guard !staying.isEmpty else { return }
    let left = Set(try removal.takeOff(staying.map(\.record), in: mailbox).map(\.uid))
    for transfer in staying where left.contains(transfer.record.uid) {
      try write { try $0.remove(transfer.record.uid, from: mailbox) }
      count(.unlabel, mailbox)
      guard let identity = transfer.record.identity, let file = transfer.file else { continue }
      for copy in try homes.remaining(identity, besides: mailbox)
      where try identities.dropRepetition(file, of: copy.message, in: copy.mailbox) { break }
    }
    tell(
      mailbox,
      "\(left.count) messages moved to “\(name(target).visible)” left this folder only: other "
        + "folders have them, and \(labels.use(target, .trash) ? "Trash" : "Spam") would take them "
        + "out of all.", exitStatus: .done)
  }
}
