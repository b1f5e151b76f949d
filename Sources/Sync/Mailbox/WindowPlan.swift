import MailCore
import Settings

/// Which part of a mailbox's history is kept here.
struct WindowPlan: Sendable, Equatable {
  /// Messages that arrived before this moment are left out (Unix seconds); nil keeps all.
  let start: Int64?
  /// Dates and sizes that were asked for to find the start, so that they need not be asked for again.
  var measured = MeasuredMessages()

  static let open = WindowPlan(start: nil)

  /// Whole days, as IMAP's SINCE counts them, so that a run tomorrow moves the window by a day and not by seconds.
  static func days(_ days: Int, now: Int64) -> WindowPlan {
    let day: Int64 = 86_400
    return WindowPlan(start: (now / day - Int64(days)) * day)
  }

  /// The newest messages that fit `budget` bytes: `sizes` newest first. Open when all of them fit.
  ///
  /// Whole days, as far as that leaves anything: SINCE knows no others.
  static func newest(fitting budget: Int64, _ sizes: some Sequence<(date: Int64, size: Int64)>)
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
}

/// Dates and sizes of messages that have no record yet.
struct MeasuredMessages: Sendable, Equatable {
  struct Measure: Sendable, Equatable {
    var date: Int64
    var size: Int64
  }

  private var mailboxes: [MailboxName: [UID: Measure]] = [:]

  subscript(uid: UID, in mailbox: MailboxName) -> Measure? {
    get { mailboxes[mailbox]?[uid] }
    set { mailboxes[mailbox, default: [:]][uid] = newValue }
  }
}
