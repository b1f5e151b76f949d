import Ledger
import MailCore
import SyncPlan

/// The first question to a mailbox, which opens it in the same flight.
package enum Opening {
  /// What changed in it, by ``OpenMailbox/delta(asking:marksOf:wantsSizes:probing:isLast:)``.
  case look(MailboxTarget, DeltaQuestion)
  /// Messages of it, by ``OpenMailbox/fetch(isLast:next:into:)``.
  case messages(MailboxTarget, FetchRequest)
}

/// How much of it was sent before it was the mailbox's turn.
package enum SentAhead {
  case nothing
  /// More is to be asked for there: the server must not be on its way to yet another mailbox by then.
  case begun
  case whole
}

/// The mailboxes that a connection is to ask in next, each given to what sends.
package typealias NextMailboxes = (_ send: (Opening) throws -> SentAhead) throws -> Void
