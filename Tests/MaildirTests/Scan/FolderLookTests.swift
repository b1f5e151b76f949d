import Foundation
import Testing

@testable import Maildir

/// Whether a change right after a look would show.
struct FolderLookTests {
  private static let second: Int64 = 1_000_000_000
  private let now = 1_800_000_000 * second + 700_000_000

  private func look(_ changed: Int64, modified: Int64? = nil) -> FolderLook {
    var stamp = FolderStamp.none
    (stamp.newModified, stamp.curModified) = (now - 3600 * Self.second, modified ?? changed)
    return FolderLook(stamp: stamp, newChanged: now - 3600 * Self.second, curChanged: changed)
  }

  /// The clock of a file server, or one that was set back: its present is not this machine's.
  @Test(arguments: [-5_000_000, 1, 2_500_000_000, 1_800_000_000_123] as [Int64])
  func `times that have rested hide nothing, however far they are ahead`(ahead: Int64) {
    let first = look(now + ahead)
    #expect(first.couldHideChange(after: now))
    let pause = first.pause(at: now)
    #expect(pause == FolderLook.tick)
    #expect(!first.couldHideChange(after: now + pause, asBefore: (first, pause)))
    // It goes on: the next change may be in the same step of that clock.
    let later = look(now + ahead + pause)
    #expect(later.couldHideChange(after: now + pause, asBefore: (first, pause)))
  }

  @Test func `coarse times need as long as their clock's step to rest`() {
    let ahead = look(1_800_001_000 * Self.second)
    let pause = ahead.pause(at: now)
    #expect(pause == FolderLook.coarseTick)
    #expect(!ahead.couldHideChange(after: now + pause, asBefore: (ahead, pause)))
    #expect(ahead.couldHideChange(after: now, asBefore: (ahead, FolderLook.tick)))
    // One that has just been shows by itself whether it still may.
    let recent = look(1_800_000_000 * Self.second)
    #expect(recent.pause(at: now) == FolderLook.tick)
    #expect(recent.couldHideChange(after: now, asBefore: (recent, FolderLook.tick)))
    #expect(!recent.couldHideChange(after: now + 2 * Self.second))
  }

  @Test func `a time that a program has set hides nothing but what comes at that time`() {
    let set = look(now - Self.second, modified: now + 1800 * Self.second)
    #expect(!set.couldHideChange(after: now))
    #expect(set.couldHideChange(after: now + 1800 * Self.second))
  }

  @Test func `a folder with times in the future can be read whole`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    try scratch.write("", to: "INBOX/cur/m:2,")
    for part in ["cur", "new"] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: 1800)],
        ofItemAtPath: scratch.url("INBOX/" + part).path)
    }
    let scan = try FolderScan.read(folder)
    #expect(!scan.isRaced && scan.count == 1)
    // What comes after it still shows.
    try scratch.write("", to: "INBOX/cur/n:2,")
    #expect(try !folder.stamp().matches(scan.stamp))
  }
}
