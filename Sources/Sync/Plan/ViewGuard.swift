import MailCore

/// Promise 3: a server that shows only its newest messages leaves out the oldest, and its counts agree with that. What
/// looks like it waits for a word, by the measure of ``DeletionGuard``.
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

  /// Those of `gone` that may only be out of view: all that remain are newer, by number or by day, and they are many. Without a word all of a mailbox may be.
  ///
  /// - Parameters:
  ///   - gone: not shown any more, and nothing was said of an expunge.
  ///   - known: ascending by UID.
  ///   - already: how many are out of view since earlier runs.
  package static func outOfView(of gone: UIDSet, among known: [Known], already: Int) -> UIDSet {
    let byNumber = older(gone, among: known) { Int64($0.uid.rawValue) }
    let byDay = olderByDay(gone, among: known)
    let block = byNumber.count < byDay.count ? byDay : byNumber
    return DeletionGuard.isMass(already + block.count, of: already + known.count { $0.hasFile })
      ? block : UIDSet()
  }

  /// Those of `gone` that came before all that remain.
  package static func olderByDay(_ gone: UIDSet, among known: [Known]) -> UIDSet {
    older(gone, among: known, by: \.date)
  }

  private static func older(
    _ gone: UIDSet, among known: [Known], by age: (Known) -> Int64
  ) -> UIDSet {
    var oldest = Int64.max
    for message in known where age(message) != 0 && !gone.contains(message.uid) {
      oldest = min(oldest, age(message))
    }
    return UIDSet(
      known.filter { $0.hasFile && age($0) < oldest && gone.contains($0.uid) }.map(\.uid))
  }
}
