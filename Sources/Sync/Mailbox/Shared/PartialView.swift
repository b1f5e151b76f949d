import Ledger
import MailCore
import Maildir
import State

/// A mailbox of which the server may show only the newest messages. Where the state was lost, or the mailbox is numbered anew,
/// nothing tells of the others, and nothing says that they are gone.
struct PartialView {
  let mailbox: MailboxName
  private let uidValidity: UInt32
  let showsNothing: Bool
  /// The lowest UID of all that is shown, by the UIDVALIDITY under which the files were pulled: their names keep it.
  private let oldestUIDs: [UInt32: UID]
  /// Unix seconds.
  let oldestDate: Int64
  /// Of what is shown, the tenth that has the lowest numbers, ten messages at most: they lie where the view ends. One alone
  /// may be an old message that came there lately, and so may the one with the oldest date.
  let lowest: [MessageRecord]
  /// How many messages are shown whose date is known.
  let count: Int

  /// Nil where the server shows all of it, as far as is known.
  init?(of record: MailboxRecord, _ context: AccountContext) throws {
    guard context.viewIsPartial || context.viewLimits.contains(record.exists)
    else { return nil }
    let name = record.mailboxName
    let validity = record.uidValidity
    var oldest: [UInt32: UID] = [:]
    var date = Int64.max
    var lowest: [MessageRecord] = []
    var count = 0
    try context.state.forEachMessage(in: record.id) { message in
      guard message.traits.isDisjoint(with: [.outOfView, .expunged]) else { return }
      oldest[validity] = min(oldest[validity] ?? message.uid, message.uid)
      // Of what a window left out the date may not be known.
      if message.internalDate > 1 {
        date = min(date, message.internalDate)
        count += 1
        if lowest.count < 10 { lowest.append(message) }
      }
      guard let birth = BirthName(base: message.name), birth.isBorn(in: name),
        birth.uidValidity.rawValue != validity
      else { return }
      let earlier = birth.uidValidity.rawValue
      oldest[earlier] = min(oldest[earlier] ?? birth.uid, birth.uid)
    }
    mailbox = name
    uidValidity = validity
    showsNothing = oldest.isEmpty
    (oldestUIDs, oldestDate) = (oldest, date)
    self.lowest = Array(lowest.prefix(max(1, count / 10)))
    self.count = count
  }

  /// Whether the message that was pulled from here under this name would be older than all that is shown, by number or, as
  /// some views go, by day. Where nothing is shown, the UIDVALIDITY tells that it is the same mailbox.
  func leavesOut(_ birth: BirthName) -> Bool {
    guard birth.isBorn(in: mailbox) else { return false }
    if showsNothing { return birth.uidValidity.rawValue == uidValidity }
    let oldest = oldestUIDs[birth.uidValidity.rawValue]
    return oldest.map { birth.uid < $0 } == true || leavesOut(from: birth.internalDate)
  }

  /// Whether a message of that day, in Unix seconds, would be older than all that is shown.
  func leavesOut(from date: Int64) -> Bool { !showsNothing && date < oldestDate }

  /// The same of a message that the ledger knows by an earlier number.
  func leavesOut(_ record: MessageRecord) -> Bool {
    if showsNothing || record.internalDate > 1 && leavesOut(from: record.internalDate) {
      return true
    }
    return BirthName(base: record.name).map(leavesOut) ?? false
  }
}
