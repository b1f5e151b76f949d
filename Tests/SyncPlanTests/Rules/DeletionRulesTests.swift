import Ledger
import LedgerTestKit
import MailCore
import Testing

@testable import SyncPlan

/// ``Rules/doubt``, ``Rules/folderLoss``, ``Rules/messageLoss``, ``Rules/runLoss`` and ``Rules/deletion``, row by row.
struct DeletionRulesTests {
  private func doubt(_ change: (inout TreeChanges) -> Void) -> PushPlan.HeldDeletions.Reason? {
    var changes = TreeChanges()
    change(&changes)
    return Rules.doubt.outcome(of: changes)
  }

  @Test func `a file or folder that cannot be read may be what is missing`() {
    #expect(doubt { $0.unreadFolders = ["dark"] } == .unreadable("dark"))
    #expect(
      doubt {
        $0.unreadable = ["f/a"]
        $0.unreadFolders = ["dark"]
        $0.hidingPlaces = ["heap"]
      } == .unreadable("f/a"))
  }

  @Test func `a directory that is no folder may hold what is missing`() {
    #expect(doubt { $0.hidingPlaces = ["heap"] } == .hidden("heap"))
  }

  @Test func `a tree that was read whole leaves no doubt`() {
    #expect(doubt { _ in } == nil)
  }

  // MARK: One folder

  private func loss(
    _ count: Int = 1, of expected: Int = 100, inTree: Int = 100, isGone: Bool = false,
    isReplaced: Bool = false, isTreeEmpty: Bool = false, inDay: (count: Int, size: Int)? = nil
  ) -> PushPlan.HeldDeletions.Reason? {
    Rules.folderLoss.outcome(
      of: FolderLoss(
        isFolderGone: isGone, isFolderReplaced: isReplaced, count: count, expected: expected,
        expectedInTree: inTree, isTreeEmpty: isTreeEmpty, inDay: inDay))
  }

  @Test func `a folder that is gone was hardly emptied`() {
    #expect(loss(isGone: true, isReplaced: true) == .folderGone)
  }

  @Test func `a folder that is another directory may be an older copy`() {
    #expect(loss(50, isReplaced: true) == .folderReplaced)
  }

  @Test(arguments: [(20, 20, false), (21, 42, true), (21, 43, false)])
  func `half of a folder waits, if it is more than 20`(count: Int, of all: Int, waits: Bool) {
    #expect(loss(count, of: all) == (waits ? .halfOfFolder(expected: all) : nil))
  }

  @Test func `half of a folder within a day waits`() {
    #expect(loss(inDay: (30, 60)) == .halfInDay(count: 30, expected: 60))
  }

  @Test(arguments: [(20, false), (21, true)])
  func `all that is left in the tree waits, if it is more than 20`(all: Int, waits: Bool) {
    #expect(
      loss(1, of: 100, inTree: all, isTreeEmpty: true) == (waits ? .nothingLeft(total: all) : nil))
  }

  @Test func `a few messages of a folder may go`() {
    #expect(loss() == nil)
  }

  // MARK: One message, and all of them

  private func message(_ uid: UInt32, _ hold: DeletionHold?) -> PushPlan.HeldDeletions.Reason? {
    Rules.messageLoss.outcome(of: MessageLoss(uid: UID(uid), hold: hold))
  }

  @Test func `what an earlier run held back waits still`() {
    let hold = DeletionHold(mailbox: 1, cause: .half, count: 3, total: 4, uids: UIDSet(1...3))
    #expect(message(3, hold) == .earlier(hold))
    let unnamed = DeletionHold(mailbox: 1, cause: .half, count: 3, total: 4, uids: nil)
    #expect(message(9, unnamed) == .earlier(unnamed))
  }

  @Test func `what is missing since then does not wait`() {
    let hold = DeletionHold(mailbox: 1, cause: .half, count: 3, total: 4, uids: UIDSet(1...3))
    #expect(message(4, hold) == nil && message(4, nil) == nil)
  }

  private func run(_ inRun: Int, inDay: Int, inFolder: Int = 1)
    -> PushPlan.HeldDeletions.Reason?
  {
    Rules.runLoss.outcome(of: RunLoss(inFolder: inFolder, inRun: inRun, inDay: inDay))
  }

  @Test func `a folder of which nothing counts in this run waits for no sum`() {
    #expect(run(201, inDay: 201, inFolder: 0) == nil)
  }

  @Test func `more than 200 in a run wait`() {
    #expect(run(201, inDay: 300) == .tooMany(total: 201))
  }

  @Test func `more than 200 in a day wait`() {
    #expect(run(200, inDay: 201) == .tooManyInDay(total: 201))
  }

  @Test func `up to 200 may go`() {
    #expect(run(200, inDay: 200) == nil)
  }

  // MARK: How

  private func way(_ expungesAll: Bool, isTrash: Bool) -> PushPlan.PlannedDeletion.Way {
    Rules.deletion.outcome(of: DeletionPlace(expungesAll: expungesAll, isTrash: isTrash))
  }

  @Test func `everything is expunged where the settings say so`() {
    #expect(way(true, isTrash: false) == .expunge)
  }

  @Test func `what is gone from the trash is expunged`() {
    #expect(way(false, isTrash: true) == .expunge)
  }

  @Test func `what is gone from elsewhere moves to the trash`() {
    #expect(way(false, isTrash: false) == .trash)
  }
}
