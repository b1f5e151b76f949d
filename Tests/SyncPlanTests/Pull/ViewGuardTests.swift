import Ledger
import LedgerTestKit
import MailCore
import Testing

@testable import SyncPlan

/// What may only be out of view, of what a server shows no longer.
struct ViewGuardTests {
  /// UIDs from 1 up, each a day younger than the one before.
  private func known(_ count: UInt32, filesFrom first: UInt32 = 1) -> [ViewGuard.Known] {
    (1...count).map {
      ViewGuard.Known(uid: UID($0), date: Int64($0) * 86_400, hasFile: $0 >= first)
    }
  }

  private func outOfView(
    _ gone: UIDSet, among known: [ViewGuard.Known], already: UIDSet = UIDSet(),
    earlier: [CarriedDeletions] = []
  ) -> UIDSet {
    let verdict = ViewGuard.judge(gone, of: 1, already: already, earlier: earlier) { see in
      known.forEach(see)
    }
    return if case .outOfView(let uids) = verdict { uids } else { UIDSet() }
  }

  @Test(arguments: [
    (20, 30, false), (21, 42, true), (21, 43, false), (200, 1000, false), (201, 1000, true),
  ])
  func `the measure is the push's`(gone: UInt32, all: UInt32, isHeld: Bool) {
    let held = outOfView(UIDSet(1...gone), among: known(all))
    #expect(held == (isHeld ? UIDSet(1...gone) : UIDSet()))
  }

  @Test func `only the oldest are held, and none where an older one is shown`() {
    let gone = UIDSet(ranges: [1...30, 35...36])
    #expect(outOfView(gone, among: known(40)) == UIDSet(1...30))
    #expect(outOfView(UIDSet(2...39), among: known(40)) == UIDSet())
  }

  @Test func `what is out of view already counts, and so few more follow it`() {
    let left = known(60).filter { $0.uid.rawValue > 30 }
    #expect(outOfView(UIDSet(31...31), among: left, already: UIDSet(1...30)) == UIDSet(31...31))
    #expect(outOfView(UIDSet(40...40), among: left, already: UIDSet(1...30)) == UIDSet())
  }

  @Test(arguments: [(20, false), (21, true)])
  func `a view that slides bit by bit is one within a day`(together: UInt32, isHeld: Bool) {
    let earlier = (0..<together - 1).map {
      CarriedDeletions(
        mailbox: 1, time: Int64($0), uidValidity: 1, uidNext: 41, size: 40,
        uids: UIDSet([UID($0 + 1)]))
    }
    let left = known(60).filter { $0.uid.rawValue >= together }
    let held = outOfView(UIDSet(together...together), among: left, earlier: earlier)
    #expect(held == (isHeld ? UIDSet(together...together) : UIDSet()))
  }

  @Test func `a view that slides in many mailboxes is one within a day`() {
    func earlier(_ mailboxes: Int64) -> [CarriedDeletions] {
      (2...mailboxes).map {
        CarriedDeletions(
          mailbox: MailboxKey($0), time: 1, uidValidity: 1, uidNext: 101, size: 100,
          uids: UIDSet(1...20))
      }
    }
    #expect(outOfView(UIDSet(1...20), among: known(100), earlier: earlier(10)) == UIDSet())
    #expect(outOfView(UIDSet(1...20), among: known(100), earlier: earlier(11)) == UIDSet(1...20))
  }

  @Test func `what is let go is counted with what was there before it`() {
    let all = known(60, filesFrom: 11)
    let verdict = ViewGuard.judge(
      UIDSet(1...15), of: 1, already: UIDSet(), earlier: [], among: { see in all.forEach(see) })
    #expect(verdict == .deleted(UIDSet(11...15), size: 50, uidNext: 61))
    let inside = ViewGuard.judge(
      UIDSet(20...25), of: 1, already: UIDSet(), earlier: [], among: { see in all.forEach(see) })
    #expect(inside == .none)
  }

  @Test func `what a window left out is nothing to lose`() {
    let all = known(60, filesFrom: 31)
    #expect(outOfView(UIDSet(1...40), among: all) == UIDSet())
    #expect(outOfView(UIDSet(1...51), among: all) == UIDSet(31...51))
  }

  @Test func `what is not shown does not remain, whatever the reason`() {
    var all = known(40)
    #expect(outOfView(UIDSet(2...30), among: all) == UIDSet())
    all[0].isShown = false
    #expect(outOfView(UIDSet(2...30), among: all) == UIDSet(2...30))
    #expect(
      ViewGuard.olderByDay(UIDSet(2...3), among: { see in all.forEach(see) }) == UIDSet(2...3))
  }

  @Test func `a view of days is one whatever the numbers`() {
    var all = known(40)
    for index in 0..<10 { all[index].date += 400 * 86_400 }
    #expect(outOfView(UIDSet(11...40), among: all) == UIDSet(11...40))
    #expect(
      ViewGuard.olderByDay(UIDSet(ranges: [5...6, 11...40]), among: { see in all.forEach(see) })
        == UIDSet(11...40))
  }

  @Test func `in a view of days a few old messages that are shown make no others count as gone`() {
    var all = known(300)
    for index in 1..<250 { all[index].isShown = false }
    let hidden = UIDSet(2...250)
    #expect(ViewGuard.olderByDay(hidden, among: { see in all.forEach(see) }) == hidden)
    // Few are what another client deleted.
    for index in 1..<240 { all[index].isShown = true }
    #expect(
      ViewGuard.olderByDay(UIDSet(241...250), among: { see in all.forEach(see) }) == UIDSet())
  }
}
