import MailCore
import Testing

@testable import SyncPlan

/// ``Rules/notShown``, row by row.
struct NotShownRulesTests {
  private func outcome(
    _ reason: NotShown.Reason, count: Int = 3, excess: Int = 0, doubtful: Bool = false,
    isMany: Bool = false
  ) -> NotShown.Outcome {
    Rules.notShown.outcome(
      of: NotShown(
        reason: reason, count: count, excess: excess, vanishedIsDoubtful: doubtful, isMany: isMany))
  }

  @Test func `what a push brought there and the server has not come to yet is waited for`() {
    #expect(outcome(.beyondUIDNext) == .waitForServer)
  }

  @Test func `what was out of view stays so until the server says a word`() {
    #expect(outcome(.outOfView) == .keepOutOfView)
  }

  @Test(arguments: [-1, 1])
  func `VANISHED that leaves another count than EXISTS needs a list`(excess: Int) {
    #expect(outcome(.vanished, excess: excess) == .askForList)
    #expect(outcome(.vanished, count: 0, excess: excess) == .askForList)
  }

  @Test func `VANISHED of a server that names too many needs a list`() {
    #expect(outcome(.vanished, doubtful: true) == .askForList)
    #expect(outcome(.vanished, count: 0, doubtful: true) == .unlink, "it named none")
  }

  @Test func `VANISHED that agrees with EXISTS is an expunge`() {
    #expect(outcome(.vanished) == .unlink)
  }

  @Test func `what is older than a partial view is left alone`() {
    #expect(outcome(.belowView) == .leave)
  }

  @Test func `what is missed for the first time waits where lists differ from look to look`() {
    #expect(outcome(.missedOnce) == .waitForSecondLook)
  }

  @Test func `many of the oldest may only be out of view`() {
    #expect(outcome(.oldest, isMany: true) == .keepOutOfView)
  }

  @Test func `what a whole list leaves out is expunged, also a few of the oldest`() {
    #expect(outcome(.leftOut) == .unlink)
    #expect(outcome(.oldest) == .unlink)
  }

  @Test func `a list longer than EXISTS that leaves nothing out is no reason for doubt`() {
    #expect(outcome(.leftOut, count: 0, excess: 1) == .leave)
  }

  @Test(arguments: [(3, -1), (0, -1), (3, 1)])
  func `a list that disagrees with EXISTS proves nothing`(count: Int, excess: Int) {
    #expect(outcome(.leftOut, count: count, excess: excess) == .doubtList)
  }
}
