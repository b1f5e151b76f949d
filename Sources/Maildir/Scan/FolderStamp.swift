/// Which directories a folder's `new` and `cur` are, and when they last changed, to pass over what did not.
package struct FolderStamp: Hashable, Sendable {
  /// Nanoseconds since 1970.
  package var newModified: Int64
  package var curModified: Int64
  /// A folder that was put in another's place may have its times: those of one download are often the same.
  package var newInode: Int64
  package var curInode: Int64
  /// False while a change in the same tick of the file system's clock could leave the time as it is: such a stamp
  /// tells nothing tomorrow.
  package var isNewSettled: Bool
  package var isCurSettled: Bool

  /// File systems with whole seconds, or two (FAT), need this long until a new change shows.
  static let settling: Int64 = 2_500_000_000
  /// Others a few steps of the clock, here with room for another machine's.
  private static let fineSettling: Int64 = 100_000_000

  /// Whether every change after `time` shows in a directory that last changed at `modified`. Times of file systems with
  /// whole seconds end in zeros.
  static func isSettled(_ modified: Int64, at time: Int64) -> Bool {
    modified <= time - (isCoarse(modified) ? settling : fineSettling)
  }

  /// Of no folder: nothing is like it.
  package static let none = FolderStamp(
    newModified: 0, curModified: 0, newInode: 0, curInode: 0, isNewSettled: false,
    isCurSettled: false)

  package init(
    newModified: Int64, curModified: Int64, newInode: Int64, curInode: Int64, isNewSettled: Bool,
    isCurSettled: Bool
  ) {
    self.newModified = newModified
    self.curModified = curModified
    self.newInode = newInode
    self.curInode = curInode
    self.isNewSettled = isNewSettled
    self.isCurSettled = isCurSettled
  }

  /// - Parameter now: a time that had come when the facts were looked at.
  init(new: FileFacts, cur: FileFacts, at now: Int64) {
    // A time in the future (a clock set back, another machine's) proves nothing either.
    self.init(
      newModified: new.modified, curModified: cur.modified,
      newInode: Int64(bitPattern: new.inode), curInode: Int64(bitPattern: cur.inode),
      isNewSettled: Self.isSettled(new.modified, at: now),
      isCurSettled: Self.isSettled(cur.modified, at: now))
  }

  package var isSettled: Bool { isNewSettled && isCurSettled }

  /// Whether nothing can have changed since `earlier` was taken.
  package func provesUnchanged(since earlier: FolderStamp) -> Bool {
    Subdirectory.allCases.allSatisfy { provesUnchanged($0, since: earlier) }
  }

  package func provesUnchanged(_ subdirectory: Subdirectory, since earlier: FolderStamp) -> Bool {
    switch subdirectory {
    case .new:
      earlier.isNewSettled && newModified == earlier.newModified && newInode == earlier.newInode
    case .cur:
      earlier.isCurSettled && curModified == earlier.curModified && curInode == earlier.curInode
    }
  }

  /// The same directories with the same times.
  package func matches(_ other: FolderStamp) -> Bool {
    newModified == other.newModified && curModified == other.curModified
      && newInode == other.newInode && curInode == other.curInode
  }

  /// Whether every change after `time` will show, for a stamp that was taken then or later, and before the folder was
  /// read.
  package func showsChanges(after time: Int64) -> Bool {
    Self.isSettled(newModified, at: time) && Self.isSettled(curModified, at: time)
  }

  private static func isCoarse(_ modified: Int64) -> Bool { modified % 1_000_000_000 == 0 }
}

extension MaildirFolder {
  package func stamp() throws(MaildirError) -> FolderStamp { try look().stamp }

  func look() throws(MaildirError) -> FolderLook {
    let now = wallClock()
    let (new, cur) = (try new.facts(), try cur.facts())
    return FolderLook(
      stamp: FolderStamp(new: new, cur: cur, at: now), newChanged: new.changed,
      curChanged: cur.changed)
  }

  /// When `new` or `cur` last changed (nanoseconds since 1970), by a time that no program can set.
  package func lastChange() throws(MaildirError) -> Int64 {
    max(try new.facts().changed, try cur.facts().changed)
  }
}
