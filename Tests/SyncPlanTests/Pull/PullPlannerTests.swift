import MailCore
import Testing

@testable import SyncPlan

/// Promise 3: a file is removed only on positive evidence, and silence is none.
struct PullPlannerTests {
  private func delta(
    exists: Int, listed: UIDSet? = nil, new: UIDSet = UIDSet(), vanished: UIDSet = UIDSet()
  )
    -> MailboxDelta
  {
    var delta = MailboxDelta(
      uidValidity: UIDValidity(1), uidNext: 100, exists: exists, highestModSeq: ModSequence(5))
    delta.listed = listed
    delta.new = new
    delta.vanished = vanished
    return delta
  }

  @Test func `a whole listing proves what is gone`() {
    let plan = PullPlanner.plan(
      known: KnownMessages(recorded: UIDSet(1...5)),
      delta: delta(exists: 4, listed: UIDSet(ranges: [1...3, 8...8])))
    #expect(plan == PullPlan(missing: UIDSet(8...8), expunged: UIDSet(4...5), doubt: nil))
  }

  @Test func `a listing shorter than EXISTS removes nothing`() {
    let plan = PullPlanner.plan(
      known: KnownMessages(recorded: UIDSet(1...5)), delta: delta(exists: 5, listed: UIDSet(1...2)))
    #expect(plan.expunged.isEmpty)
    #expect(plan.doubt == .listingIncomplete(missing: 3))
  }

  @Test func `VANISHED that names too many is not believed`() {
    let plan = PullPlanner.plan(
      known: KnownMessages(recorded: UIDSet(1...5)),
      delta: delta(exists: 5, vanished: UIDSet(1...4)))
    #expect(plan.expunged.isEmpty)
    #expect(plan.doubt == .needsListing)
  }

  @Test func `VANISHED that agrees with EXISTS is believed`() {
    let plan = PullPlanner.plan(
      known: KnownMessages(recorded: UIDSet(1...5)),
      delta: delta(exists: 5, new: UIDSet(6...7), vanished: UIDSet(ranges: [1...2, 50...60])))
    #expect(plan == PullPlan(missing: UIDSet(6...7), expunged: UIDSet(1...2), doubt: nil))
  }

  @Test func `what is out of view neither counts nor goes, until the server says a word`() {
    let known = KnownMessages(recorded: UIDSet(1...10), outOfView: UIDSet(1...6))
    let quiet = PullPlanner.plan(known: known, delta: delta(exists: 4))
    #expect(quiet == PullPlan(outOfView: UIDSet(1...6)))
    let told = PullPlanner.plan(known: known, delta: delta(exists: 4, vanished: UIDSet(1...2)))
    #expect(told == PullPlan(expunged: UIDSet(1...2), outOfView: UIDSet(3...6)))
    // They are shown again: a listing tells which.
    #expect(PullPlanner.plan(known: known, delta: delta(exists: 6)).doubt == .needsListing)
    let listed = PullPlanner.plan(
      known: known, delta: delta(exists: 5, listed: UIDSet(ranges: [5...8, 10...10])))
    #expect(listed == PullPlan(expunged: UIDSet(9...9), outOfView: UIDSet(1...4)))
  }

  @Test func `what failed before is asked for again`() {
    let known = KnownMessages(recorded: UIDSet(1...3), failed: UIDSet(4...4))
    #expect(PullPlanner.plan(known: known, delta: delta(exists: 4)).missing == UIDSet(4...4))
    #expect(
      PullPlanner.plan(known: known, delta: delta(exists: 3, vanished: UIDSet(4...4))).doubt == nil)
  }

  @Test func `what slid out of a partial view is not expunged`() {
    let plan = PullPlanner.plan(
      known: KnownMessages(recorded: UIDSet(1...10)),
      delta: delta(exists: 5, listed: UIDSet(ranges: [5...7, 9...10])), viewIsPartial: true)
    #expect(plan == PullPlan(expunged: UIDSet(8...8), belowView: UIDSet(1...4)))
  }

  @Test func `a VANISHED that names one for another is not believed where servers do that`() {
    // 2 is there, and 5, which is gone, was not named: the sum agrees.
    var delta = delta(exists: 4, vanished: UIDSet(2...2))
    delta.vanishedIsDoubtful = true
    let known = KnownMessages(recorded: UIDSet(1...5))
    #expect(PullPlanner.plan(known: known, delta: delta) == PullPlan(doubt: .needsListing))
    delta.vanished = UIDSet(50...60)
    delta.exists = 5
    #expect(PullPlanner.plan(known: known, delta: delta) == PullPlan(), "nothing to prove")
  }

  @Test func `a session that lags behind a push proves nothing of what it cannot know`() {
    let known = KnownMessages(
      recorded: UIDSet(ranges: [1...3, 99...101]), pushed: UIDSet(99...101))
    let listed = PullPlanner.plan(known: known, delta: delta(exists: 2, listed: UIDSet(1...2)))
    #expect(listed.unseen == UIDSet(100...101))
    #expect(listed.expunged == UIDSet(ranges: [3...3, 99...99]), "UIDNEXT 100 is beyond 99")
    let told = PullPlanner.plan(
      known: known, delta: delta(exists: 2, vanished: UIDSet(ranges: [3...3, 99...200])))
    #expect(told == PullPlan(expunged: listed.expunged, unseen: UIDSet(100...101)))
    let shown = PullPlanner.plan(
      known: known, delta: delta(exists: 6, listed: UIDSet(ranges: [1...3, 99...101])))
    #expect(shown == PullPlan())
  }

  @Test func `all that a list leaves out is not shown, whatever becomes of it`() {
    var known = KnownMessages(
      recorded: UIDSet(ranges: [1...10, 100...100]), pushed: UIDSet(100...100),
      outOfView: UIDSet(1...1))
    known.missedBefore = UIDSet(8...8)
    let plan = PullPlanner.plan(
      known: known, delta: delta(exists: 3, listed: UIDSet(ranges: [5...6, 10...10])),
      viewIsPartial: true)
    #expect(
      plan
        == PullPlan(
          expunged: UIDSet(8...8), unseen: UIDSet(100...100), outOfView: UIDSet(1...1),
          belowView: UIDSet(2...4), missedOnce: UIDSet(ranges: [7...7, 9...9])))
    #expect(plan.notShown == UIDSet(ranges: [1...4, 7...9, 100...100]))
  }

  @Test func `only what a push alone has met may be missing beyond UIDNEXT`() {
    let known = KnownMessages(recorded: UIDSet(ranges: [1...3, 100...101]))
    let plan = PullPlanner.plan(known: known, delta: delta(exists: 3, listed: UIDSet(1...3)))
    #expect(plan == PullPlan(expunged: UIDSet(100...101)))
  }

  /// Whatever the server says, no UID that it still has is ever taken for expunged, as long as its own count is true.
  @Test(arguments: 0..<300) func `no lie removes what exists`(seed: UInt64) {
    var random = Numbers(state: seed &+ 7)
    let known = UIDSet((0..<random.below(20)).map { _ in UID(UInt32(1 + random.below(25))) })
    let truth = UIDSet((0..<random.below(20)).map { _ in UID(UInt32(1 + random.below(30))) })
    let lie = UIDSet((0..<random.below(20)).map { _ in UID(UInt32(1 + random.below(30))) })
    let said = random.below(2) == 0 ? truth.intersection(lie) : truth
    let plan = PullPlanner.plan(
      known: KnownMessages(recorded: known), delta: delta(exists: truth.count, listed: said))
    #expect(plan.expunged.intersection(truth).isEmpty)
    if said == truth { #expect(plan.missing == truth.subtracting(known)) }
  }
}

struct Numbers {
  var state: UInt64
  mutating func below(_ limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % limit
  }
}
