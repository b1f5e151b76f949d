import Ledger
import MailCore

/// Promise 3: a server that shows only its newest messages leaves out the oldest, and its counts agree with that. What
/// looks like it waits until the person confirms it, by the measure of ``DeletionGuard``, and with its memory of a day.
package enum ViewGuard {
  /// A message that is recorded.
  package struct Known: Sendable {
    package var uid: UID
    /// INTERNALDATE, Unix seconds; 0 where it is not known.
    package var date: Int64
    /// False for what a window left out: nothing can be lost of it.
    package var hasFile: Bool
    /// False for what the server does not show, whatever the reason: it does not remain.
    package var isShown: Bool

    package init(uid: UID, date: Int64, hasFile: Bool = true, isShown: Bool = true) {
      self.uid = uid
      self.date = date
      self.hasFile = hasFile
      self.isShown = isShown
    }

    package init(_ record: MessageRecord, isShown: Bool) {
      self.init(
        uid: record.uid, date: record.internalDate,
        hasFile: !record.isPruned && !record.name.isEmpty, isShown: isShown)
    }
  }

  /// Calls back with each message of the ledger, by ascending UIDs.
  package typealias Telling = ((Known) -> Void) throws -> Void

  /// What becomes of the oldest messages of those that are not shown any more.
  package enum Verdict: Sendable, Equatable {
    /// None of them is among the oldest, or none has a file.
    case none
    /// They may only be out of view.
    case outOfView(UIDSet)
    /// They are few, and count for a day; `size` messages below `uidNext` had a file before.
    case deleted(UIDSet, size: Int, uidNext: UInt32)
  }

  /// Judges those of `gone` than which all that are shown are newer, by number or by day. All of a mailbox may be.
  ///
  /// - Parameters:
  ///   - gone: not shown any more, and nothing was said of an expunge.
  ///   - already: out of view since earlier runs; where some are, more follow them, however few.
  ///   - earlier: what pulls of the last day deleted in all mailboxes, this one's along: a view may slide by a few messages
  ///     each time, and in many mailboxes.
  package static func judge(
    _ gone: UIDSet, of mailbox: MailboxKey, already: UIDSet, earlier: [CarriedDeletions],
    among telling: Telling
  ) rethrows -> Verdict {
    let blocks = try Blocks(of: gone, among: telling)
    let block = blocks.byNumber.count < blocks.byDay.count ? blocks.byDay : blocks.byNumber
    guard !block.isEmpty else { return .none }
    let day = DayOfDeletions(earlier, finals: [])
    let oldest = NotShown(
      reason: .oldest, count: block.count,
      isMany: !already.isEmpty || MassDeletion.isMass(block.count, of: blocks.fileCount)
        || day.isMass(mailbox, with: block))
    return Rules.notShown.outcome(of: oldest) == .keepOutOfView
      ? .outOfView(block)
      : .deleted(block, size: blocks.fileCount, uidNext: blocks.uidNext)
  }

  /// Those of `gone` that a view by days may hide: that came before all that are shown. A few old ones may be shown
  /// whatever their day, a draft or what was filed lately; where those would make many count as gone, they end nothing.
  package static func olderByDay(_ gone: UIDSet, among telling: Telling) rethrows -> UIDSet {
    let blocks = try Blocks(of: gone, among: telling)
    return MassDeletion.isMass(blocks.byMostDays.count, of: blocks.fileCount)
      ? blocks.byMostDays : blocks.byDay
  }

  /// What of a mailbox is gone, and among its oldest.
  private struct Blocks {
    private(set) var byNumber = UIDSet()
    private(set) var byDay = UIDSet()
    /// Before all that are shown but the oldest tenth, ten messages at most.
    private(set) var byMostDays = UIDSet()
    private(set) var fileCount = 0
    private(set) var uidNext: UInt32 = 1

    init(of gone: UIDSet, among telling: Telling) rethrows {
      var (fileCount, uidNext) = (0, UInt32(1))
      var missing: [(uid: UID, date: Int64)] = []
      var (oldestNumber, shownCount) = (UInt64.max, 0)
      var oldestDays: [Int64] = []
      try telling { message in
        if message.hasFile { fileCount += 1 }
        uidNext = max(uidNext, message.uid.rawValue &+ 1)
        guard gone.contains(message.uid) else {
          guard message.isShown else { return }
          oldestNumber = min(oldestNumber, UInt64(message.uid.rawValue))
          guard message.date != 0 else { return }
          shownCount += 1
          if oldestDays.count < 11 || message.date < oldestDays[10] {
            oldestDays.insert(
              message.date, at: oldestDays.firstIndex { $0 > message.date } ?? oldestDays.count)
            if oldestDays.count > 11 { oldestDays.removeLast() }
          }
          return
        }
        if message.hasFile { missing.append((message.uid, message.date)) }
      }
      self.fileCount = fileCount
      self.uidNext = uidNext
      byNumber = UIDSet(missing.map(\.uid).filter { $0.rawValue < oldestNumber })
      let most = oldestDays.isEmpty ? Int64.max : oldestDays[min(shownCount / 10, 10)]
      let oldest = oldestDays.first ?? Int64.max
      byDay = UIDSet(missing.filter { $0.date < oldest }.map(\.uid))
      byMostDays = UIDSet(missing.filter { $0.date < most }.map(\.uid))
    }
  }
}
