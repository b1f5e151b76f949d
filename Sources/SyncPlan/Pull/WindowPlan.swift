import MailCore

/// Which part of a mailbox's history is kept here.
package struct WindowPlan: Sendable, Equatable {
  /// Messages that arrived before this moment are left out (Unix seconds); nil keeps all.
  package var start: Int64?
  package var beyond: BeyondWindow
  /// Dates and sizes that were asked for to find the start, so that they need not be asked for again.
  package var measured = MeasuredMessages()
  /// Set while the start is not known yet: the bytes that the whole account may take.
  package var undecidedBudget: Int64?

  package init(
    start: Int64?, beyond: BeyondWindow = BeyondWindow(),
    measured: MeasuredMessages = MeasuredMessages(),
    undecidedBudget: Int64? = nil
  ) {
    self.start = start
    self.beyond = beyond
    self.measured = measured
    self.undecidedBudget = undecidedBudget
  }

  /// All of it.
  package static let open = WindowPlan(start: nil)

  /// The start will be found when the dates and sizes of all mailboxes are known; it is not before this window's.
  package func undecided(budget: Int64) -> WindowPlan {
    var plan = self
    plan.undecidedBudget = budget
    return plan
  }

  /// Whole days, as IMAP's SINCE counts them, so that a run tomorrow moves the window by a day and not by seconds.
  package static func days(_ days: Int, now: Int64) -> WindowPlan {
    let day: Int64 = 86_400
    return WindowPlan(start: (now / day - Int64(days)) * day)
  }

  /// The newest messages that fit `budget` bytes: `sizes` newest first. Open when all of them fit.
  ///
  /// Whole days, as far as that leaves anything: SINCE knows no others.
  package static func newest(
    fitting budget: Int64, _ sizes: some Sequence<(date: Int64, size: Int64)>
  )
    -> WindowPlan
  {
    let day: Int64 = 86_400
    var used: Int64 = 0
    var newest: Int64?
    for (date, size) in sizes {
      newest = newest ?? date
      used += size
      guard used > budget, let newest else { continue }
      let nextDay = (date / day + 1) * day
      return WindowPlan(start: nextDay <= newest ? nextDay : date / day * day)
    }
    return .open
  }

  /// The same window, or the part of it that begins here.
  package func notBefore(_ earliest: Int64?) -> WindowPlan {
    guard let earliest, start ?? .min < earliest else { return self }
    var plan = self
    plan.start = earliest
    return plan
  }

  /// Of a few messages, those that are safely inside an undecided window: the newest that fit the budget by themselves,
  /// and did not leave the window of the last run.
  package static func surelyInside(
    _ few: [MeasuredMessages.Measure], budget: Int64, lastStart: Int64?
  ) -> UIDSet {
    var used: Int64 = 0
    var inside: [UID] = []
    for one in few.sorted(by: { ($0.date, $0.uid) > ($1.date, $1.uid) }) {
      used += one.size
      guard used <= budget, one.date >= lastStart ?? .min else { break }
      inside.append(UID(one.uid))
    }
    return UIDSet(inside)
  }
}

/// Dates and sizes of messages that have no record yet, in twenty-four bytes a message.
package struct MeasuredMessages: Sendable, Equatable {
  /// One message.
  package struct Measure: Sendable, Equatable {
    package var uid: UInt32
    /// Unix seconds.
    package var date: Int64
    /// RFC822.SIZE in bytes.
    package var size: Int64

    package init(uid: UInt32, date: Int64, size: Int64) {
      self.uid = uid
      self.date = date
      self.size = size
    }
  }

  /// Ascending by UID.
  private var mailboxes: [MailboxName: [Measure]] = [:]

  package init() {}

  /// Once for each mailbox, in any order of UIDs.
  package mutating func put(_ measures: [Measure], of mailbox: MailboxName) {
    mailboxes[mailbox] = measures.sorted { $0.uid < $1.uid }
  }

  /// Whether this mailbox was asked.
  package func covers(_ mailbox: MailboxName) -> Bool { mailboxes[mailbox] != nil }

  /// Nil for a message that was not asked for.
  package subscript(uid: UID, in mailbox: MailboxName) -> Measure? {
    guard let measures = mailboxes[mailbox] else { return nil }
    var low = 0
    var high = measures.count
    while low < high {
      let middle = (low + high) / 2
      if measures[middle].uid < uid.rawValue { low = middle + 1 } else { high = middle }
    }
    return low < measures.count && measures[low].uid == uid.rawValue ? measures[low] : nil
  }
}
