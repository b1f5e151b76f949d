import Ledger
import MailCore
import SyncPlan

/// The first question to a mailbox, which opens it in the same flight.
package enum Opening {
  /// What changed in it, by ``OpenMailbox/delta(asking:marksOf:wantsSizes:)``.
  case look(MailboxTarget, DeltaQuestion)
  /// Messages of it, by ``OpenMailbox/fetch(isLast:next:into:)``.
  case messages(MailboxTarget, FetchRequest)

  var target: MailboxTarget {
    switch self {
    case .look(let target, _), .messages(let target, _): target
    }
  }
}
