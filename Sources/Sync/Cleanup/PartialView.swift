import Ledger
import MailCore
import Maildir
import State

/// A mailbox of which the server may show only the newest messages. Where the state was lost nothing tells of the others, and
/// nothing says that they are gone.
struct PartialView {
  private let mailbox: MailboxName
  private let uidValidity: UInt32
  private let oldestUID: UID
  /// Unix seconds.
  private let oldestDate: Int64

  /// Nil where the server shows all of it, as far as is known. Where it shows nothing, there is nothing.
  init?(of record: MailboxRecord, _ context: AccountContext) throws {
    guard let id = record.id,
      context.viewIsPartial || context.viewLimits.contains(record.exists)
    else { return nil }
    var uid: UID?
    var date = Int64.max
    try context.state.forEachMessage(in: id) { message in
      guard message.traits.isDisjoint(with: [.outOfView, .expunged]) else { return }
      uid = min(uid ?? message.uid, message.uid)
      // Of what a window left out the date may not be known.
      if message.internalDate > 1 { date = min(date, message.internalDate) }
    }
    guard let uid else { return nil }
    mailbox = record.mailboxName
    uidValidity = record.uidValidity
    (oldestUID, oldestDate) = (uid, date)
  }

  /// Whether the message that was pulled from here under this name would be older than all that is shown, by number or, as
  /// some views go, by day.
  func leavesOut(_ birth: BirthName) -> Bool {
    guard birth.isBorn(in: mailbox), birth.uidValidity.rawValue == uidValidity else { return false }
    return birth.uid < oldestUID || birth.internalDate < oldestDate
  }
}
