import IMAPWire
import Ledger
import MailCore
import SyncPlan

/// One message on its way to another mailbox.
struct Transfer {
  var record: MessageRecord
  /// The file that it is here; nil for one that was deleted here, and goes to Trash.
  var file: UnknownFile?
}

/// What the server was asked to move, or to copy, in one flight.
struct TransferFlight {
  let mailbox: MailboxKey
  let target: MailboxKey
  /// By where the messages were.
  let steps: [UID: PushStep]
  /// Where the server told that they are now.
  var places: [UID: UID] = [:]

  func steps(of transfers: [Transfer]) -> [PushStep] {
    transfers.compactMap { steps[$0.record.uid] }
  }
}

/// Transfers whose messages were looked for.
struct FoundTransfers {
  let placed: [Transfer]
  let missing: [Transfer]
  let places: [UID: UID]

  /// - Parameter shown: flags and keywords at the new places. What is lost on the way is agreed no more: it looks as if it
  ///   had been set here, and goes with the next push.
  init(_ transfers: [Transfer], at places: [UID: UID], _ shown: [UID: MessageMarks] = [:]) {
    placed = transfers.filter { places[$0.record.uid] != nil }.map { transfer in
      guard let marks = places[transfer.record.uid].flatMap({ shown[$0] }) else { return transfer }
      var transfer = transfer
      transfer.record.agreed = MessageMarks(
        flags: transfer.record.agreed.flags.intersection(marks.flags),
        keywords: transfer.record.agreed.keywords.intersection(marks.keywords))
      return transfer
    }
    missing = transfers.filter { places[$0.record.uid] == nil }
    self.places = places
  }
}

/// What became of a batch of transfers.
struct TransferOutcome {
  var done: [UID] = []
  /// Refused, and still where they were.
  var refused: [(uid: UID, result: TaggedResult)] = []
  /// The server no longer has them where the state says: the next pull tells what became of them.
  var lost: [UID] = []
  /// Where the server told that they are now.
  var places: [UID: UID] = [:]
}

extension AccessRights {
  /// Leaves transfers alone that the server refuses for now.
  ///
  /// - Returns: whether it did.
  func leavePending(_ outcome: TransferOutcome, _ subject: RefusalSubject, _ mailbox: MailboxKey)
    throws
    -> Bool
  {
    let waiting = outcome.refused.first { $0.result.leavesPending }
    guard let waiting else { return false }
    try leavePending(outcome.refused.count, subject, waiting.result, mailbox)
    return true
  }
}
