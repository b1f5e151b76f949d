import Ledger
import MailCore

/// What runs of the last day deleted: bit by bit they could do what none would be let do at once.
struct DayOfDeletions {
  /// Oldest first.
  private let carried: [MailboxKey: [CarriedDeletions]]
  /// Mailboxes whose messages go for good. A day's sum tells these from those that go to the trash: one message may
  /// well do both within a day.
  private let finals: Set<MailboxKey>

  init(_ carried: [CarriedDeletions], finals: Set<MailboxKey>) {
    self.carried = Dictionary(grouping: carried, by: \.mailbox)
    self.finals = finals
  }

  /// From each push of the last day on: of the messages that were there when it began, how many are gone since, if they
  /// are half of them. What came later does not count, so that a folder through which much mail goes can be kept empty.
  func half(_ mailbox: MailboxKey, with going: UIDSet) -> (count: Int, size: Int)? {
    var sum = going
    var half: (count: Int, size: Int)?
    for push in (carried[mailbox] ?? []).reversed() {
      sum = sum.union(push.uids)
      let count = push.ofThoseThere(sum).count
      if MassDeletion.isHalf(count, of: push.size) { half = (count, push.size) }
    }
    return half
  }

  /// Whether more of one mailbox is gone within a day than one person deletes at once.
  func isMass(_ mailbox: MailboxKey, with going: UIDSet) -> Bool {
    if half(mailbox, with: going) != nil { return true }
    return sums(with: [mailbox: going]).total(like: mailbox) > MassDeletion.most
  }

  /// Of the messages that were there when the day began, all that go to the trash, and all that go for good.
  func sums(with going: [MailboxKey: UIDSet]) -> DaySums {
    var gone = carried.mapValues { $0.reduce(UIDSet()) { $0.union($1.uids) } }
    gone.merge(going) { $0.union($1) }
    let totals: [Bool: Int] = gone.reduce(into: [:]) { totals, entry in
      let counted = carried[entry.key]?.first?.ofThoseThere(entry.value) ?? entry.value
      totals[finals.contains(entry.key), default: 0] += counted.count
    }
    return DaySums(totals: totals, finals: finals)
  }
}

/// How many messages a day's pushes and this one delete.
struct DaySums {
  fileprivate let totals: [Bool: Int]
  fileprivate let finals: Set<MailboxKey>

  /// In all mailboxes from which messages go the same way as from this one.
  func total(like mailbox: MailboxKey) -> Int { totals[finals.contains(mailbox)] ?? 0 }
}

extension CarriedDeletions {
  /// Of these messages those that were there when the push began.
  fileprivate func ofThoseThere(_ uids: UIDSet) -> UIDSet {
    uidNext > 1 ? uids.intersection(UIDSet(1...(uidNext - 1))) : UIDSet()
  }
}
