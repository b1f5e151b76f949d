import MailCore

/// Promise 3: a server that shows only its newest messages leaves out the oldest, and its counts agree with that. What
/// looks like it waits until the person confirms it, by the measure of ``DeletionGuard``.
package enum ViewGuard {
  /// A message that is recorded, and not out of view so far.
  package struct Known: Sendable {
    package var uid: UID
    /// INTERNALDATE, Unix seconds; 0 where it is not known.
    package var date: Int64
    /// False for what a window left out: nothing can be lost of it.
    package var hasFile: Bool

    package init(uid: UID, date: Int64, hasFile: Bool = true) {
      self.uid = uid
      self.date = date
      self.hasFile = hasFile
    }
  }

  /// Calls back with each message of the ledger; called twice, so that none need be kept.
  package typealias Telling = ((Known) -> Void) throws -> Void

  /// Those of `gone` that may only be out of view: all that remain are newer, by number or by day, and they are many.
  /// All of a mailbox may be.
  ///
  /// - Parameters:
  ///   - gone: not shown any more, and nothing was said of an expunge.
  ///   - already: how many are out of view since earlier runs.
  package static func outOfView(of gone: UIDSet, already: Int, among telling: Telling) rethrows
    -> UIDSet
  {
    let blocks = try Blocks(of: gone, among: telling)
    let block = blocks.byNumber.count < blocks.byDay.count ? blocks.byDay : blocks.byNumber
    let oldest = NotShown(
      reason: .oldest, count: block.count,
      isMany: MassDeletion.isMass(already + block.count, of: already + blocks.fileCount))
    return Rules.notShown.outcome(of: oldest) == .keepOutOfView ? block : UIDSet()
  }

  /// Those of `gone` that came before all that remain.
  package static func olderByDay(_ gone: UIDSet, among telling: Telling) rethrows -> UIDSet {
    try Blocks(of: gone, among: telling).byDay
  }

  /// What of a mailbox is gone and older than all that remains.
  private struct Blocks {
    var byNumber = UIDSet()
    var byDay = UIDSet()
    var fileCount = 0

    init(of gone: UIDSet, among telling: Telling) rethrows {
      var (oldestNumber, oldestDay) = (UInt64.max, Int64.max)
      var fileCount = 0
      try telling { message in
        if message.hasFile { fileCount += 1 }
        guard !gone.contains(message.uid) else { return }
        oldestNumber = min(oldestNumber, UInt64(message.uid.rawValue))
        if message.date != 0 { oldestDay = min(oldestDay, message.date) }
      }
      var (byNumber, byDay) = (UIDSet(), UIDSet())
      try telling { message in
        guard message.hasFile, gone.contains(message.uid) else { return }
        if message.uid.rawValue < oldestNumber { byNumber.insert(message.uid) }
        if message.date < oldestDay { byDay.insert(message.uid) }
      }
      (self.byNumber, self.byDay, self.fileCount) = (byNumber, byDay, fileCount)
    }
  }
}
