/// When a folder's `new` and `cur` last changed, to pass over what did not.
package struct FolderStamp: Hashable, Sendable {
  /// Nanoseconds since 1970.
  package var newModified: Int64
  package var curModified: Int64
  /// False while a change in the same tick of the file system's clock could leave the time as it is: such a stamp
  /// tells nothing tomorrow.
  package var isNewSettled: Bool
  package var isCurSettled: Bool

  /// How long after a change at `modified` a new one could have the same time: on file systems with whole seconds, or two
  /// (FAT), whose times end in zeros, that is long; on others a step of the clock, here with room for another machine's.
  static func settling(_ modified: Int64) -> Int64 {
    isCoarse(modified) ? 2_500_000_000 : 100_000_000
  }

  package static func isSettled(_ modified: Int64, at now: Int64) -> Bool {
    modified <= now - settling(modified)
  }

  private static func isCoarse(_ modified: Int64) -> Bool { modified % 1_000_000_000 == 0 }

  package init(newModified: Int64, curModified: Int64, isSettled: Bool) {
    self.init(
      newModified: newModified, curModified: curModified, isNewSettled: isSettled,
      isCurSettled: isSettled)
  }

  package init(newModified: Int64, curModified: Int64, isNewSettled: Bool, isCurSettled: Bool) {
    self.newModified = newModified
    self.curModified = curModified
    self.isNewSettled = isNewSettled
    self.isCurSettled = isCurSettled
  }

  package var isSettled: Bool { isNewSettled && isCurSettled }

  /// Whether nothing can have changed since `earlier` was taken.
  package func provesUnchanged(since earlier: FolderStamp) -> Bool {
    Subdirectory.allCases.allSatisfy { provesUnchanged($0, since: earlier) }
  }

  package func provesUnchanged(_ subdirectory: Subdirectory, since earlier: FolderStamp) -> Bool {
    switch subdirectory {
    case .new: earlier.isNewSettled && newModified == earlier.newModified
    case .cur: earlier.isCurSettled && curModified == earlier.curModified
    }
  }

  package func hasSameTimes(as other: FolderStamp) -> Bool {
    newModified == other.newModified && curModified == other.curModified
  }

  /// The system's clock for files moves in steps of up to 10 ms; file systems with coarser times
  /// end theirs in zeros.
  static let tick: Int64 = 12_000_000
  private static let coarseTick: Int64 = 2_000_000_000

  /// Whether a change right after `time`, when this stamp was taken, could have left the times as
  /// they are.
  func couldHideChange(after time: Int64) -> Bool {
    [newModified, curModified].contains { modified in
      let step = Self.isCoarse(modified) ? Self.coarseTick : Self.tick
      return modified > time - step
    }
  }
}

extension MaildirFolder {
  package func stamp() throws(MaildirError) -> FolderStamp {
    let now = wallClock()
    let newModified = try new.facts().modified
    let curModified = try cur.facts().modified
    // A time in the future (a clock set back, another machine's) proves nothing either.
    return FolderStamp(
      newModified: newModified, curModified: curModified,
      isNewSettled: FolderStamp.isSettled(newModified, at: now),
      isCurSettled: FolderStamp.isSettled(curModified, at: now))
  }
}
