/// When a folder's `new` and `cur` last changed, to pass over what did not.
package struct FolderStamp: Hashable, Sendable {
  /// Nanoseconds since 1970.
  package var newModified: Int64
  package var curModified: Int64
  /// False while a change in the same tick of the file system's clock could leave the times as they
  /// are: such a stamp tells nothing tomorrow.
  package var isSettled: Bool

  /// File systems with whole seconds, or two (FAT), need this long until a new change shows.
  static let settling: Int64 = 2_500_000_000

  package init(newModified: Int64, curModified: Int64, isSettled: Bool) {
    self.newModified = newModified
    self.curModified = curModified
    self.isSettled = isSettled
  }

  /// Whether nothing can have changed since `earlier` was taken.
  package func provesUnchanged(since earlier: FolderStamp) -> Bool {
    earlier.isSettled && hasSameTimes(as: earlier)
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
      let step = modified % 1_000_000_000 == 0 ? Self.coarseTick : Self.tick
      return modified > time - step
    }
  }
}

extension MaildirFolder {
  package func stamp() throws(MaildirError) -> FolderStamp {
    let now = wallClock()
    let newModified = try new.facts().modified
    let curModified = try cur.facts().modified
    let latest = max(newModified, curModified)
    // A time in the future (a clock set back, another machine's) proves nothing either.
    return FolderStamp(
      newModified: newModified, curModified: curModified,
      isSettled: latest <= now - FolderStamp.settling)
  }
}
