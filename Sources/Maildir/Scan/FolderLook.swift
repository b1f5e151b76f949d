/// A folder's stamp with what tells whether a change right after it would show.
struct FolderLook: Equatable {
  var stamp: FolderStamp
  /// When `new` and `cur` last changed, by times that no program can set: nanoseconds since 1970.
  var newChanged: Int64
  var curChanged: Int64

  /// The system's clock for files moves in steps of up to 10 ms; file systems with coarser times
  /// end theirs in zeros.
  static let tick: Int64 = 12_000_000
  static let coarseTick: Int64 = 2_000_000_000
  /// That another machine's clock, by which a file system may have its times, is believed to be ahead. A time beyond that
  /// is of a clock that was set back since, and a change shows.
  private static let mostAhead: Int64 = 3600 * 1_000_000_000

  private var times: [(modified: Int64, changed: Int64)] {
    [(stamp.newModified, newChanged), (stamp.curModified, curChanged)]
  }

  private static func step(_ changed: Int64) -> Int64 {
    changed % 1_000_000_000 == 0 ? coarseTick : tick
  }

  /// How long to wait for a second look. Where times are coarse and ahead of the clock, nothing but that shows that they rest.
  func pause(at time: Int64) -> Int64 {
    times.map { $0.changed > time ? Self.step($0.changed) : Self.tick }.max() ?? Self.tick
  }

  /// Whether a change right after `time`, when this look was taken, could have left the times as they are.
  ///
  /// - Parameter asBefore: an earlier look, and how long before. Times that have rested for a step of the clock that they are
  ///   by are no longer that clock's present, however far it is ahead of this machine's.
  func couldHideChange(after time: Int64, asBefore: (look: FolderLook, pause: Int64)? = nil) -> Bool
  {
    times.contains { modified, changed in
      let step = Self.step(changed)
      let isRecent =
        changed > time - step && changed < time + Self.mostAhead
        // A time that a program has set may be just what a change would set.
        || modified > time - step && modified < time + step
      guard isRecent else { return false }
      if let asBefore, asBefore.look.isLike(self), asBefore.pause >= step { return false }
      return true
    }
  }

  private func isLike(_ other: FolderLook) -> Bool {
    stamp.matches(other.stamp) && newChanged == other.newChanged && curChanged == other.curChanged
  }
}
