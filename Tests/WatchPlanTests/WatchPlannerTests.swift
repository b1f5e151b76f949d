import MailCore
import Testing

@testable import WatchPlan

/// What concerns all accounts of a watch.
struct WatchPlannerTests {
  private static let start = Moment(milliseconds: 0)

  private static func planner(_ names: [String]) -> WatchPlanner {
    WatchPlanner(
      accounts: names.map { .init(name: $0, timing: WatchTiming()) }, seed: 1, at: start)
  }

  /// Two accounts whose first looks are over.
  private static func atRest() -> WatchPlanner {
    var planner = planner(["a", "b"])
    _ = planner.handle(.timePassed, at: start)
    for name in ["a", "b"] {
      _ = planner.handle(.account(name, .queueEnded(.done, next: nil)), at: start)
      _ = planner.handle(.account(name, .listening(.notify)), at: start)
      _ = planner.handle(.account(name, .runEnded(push: .done, pull: .done)), at: start)
    }
    return planner
  }

  @Test func `ready is told once, when every account was looked at or cannot be`() {
    var planner = Self.planner(["a", "b"])
    let first = planner.handle(.timePassed, at: Self.start)
    #expect(first.contains(.account("a", .openLine)) && first.contains(.account("b", .openLine)))
    #expect(!planner.handle(.account("a", .lineEnded(.lost)), at: Self.start).contains(.ready))
    #expect(planner.handle(.account("b", .lineEnded(.refused)), at: Self.start).contains(.ready))
    #expect(!planner.handle(.lookAtOnce, at: Self.start).contains(.ready))
  }

  @Test func `a watch whose accounts are all refused goes on`() {
    var planner = Self.planner(["a"])
    _ = planner.handle(.timePassed, at: Self.start)
    let actions = planner.handle(.account("a", .lineEnded(.refused)), at: Self.start)
    #expect(!actions.contains(.end))
    #expect(planner.nextWake != nil)
  }

  @Test func `a burst of network changes tries the lines once`() {
    var planner = Self.atRest()
    var checks = 0
    for step in 0..<20 {
      let now = Self.start + .seconds(100) + .milliseconds(100 * step)
      _ = planner.handle(.timePassed, at: now)
      checks +=
        planner.handle(.networkChanged, at: now)
        .filter { $0 == .account("a", .checkLine) }.count
    }
    #expect(checks == 0)
    while let next = planner.nextWake, next < Self.start + .seconds(200) {
      checks +=
        planner.handle(.timePassed, at: next)
        .filter { $0 == .account("a", .checkLine) }.count
    }
    #expect(checks == 1)
  }

  @Test func `a network that never comes to rest is tried all the same`() {
    var planner = Self.atRest()
    var checks: [Moment] = []
    for step in 0..<150 {
      let now = Self.start + .milliseconds(200 * Int64(step))
      let actions = planner.handle(.networkChanged, at: now)
      if actions.contains(.account("a", .checkLine)) { checks.append(now) }
    }
    #expect((4...7).contains(checks.count))
  }

  @Test func `a timer that comes half a minute late has slept`() {
    var planner = Self.atRest()
    guard let next = planner.nextWake else {
      Issue.record("no next wake-up")
      return
    }
    var early = planner
    #expect(
      !early.handle(.timePassed, at: next + .seconds(20)).contains(.account("a", .checkLine)))
    #expect(
      planner.handle(.timePassed, at: next + .seconds(31)).contains(.account("a", .checkLine)))
  }

  @Test func `told to stop it ends when the runs have, or after less than three seconds`() {
    var planner = Self.atRest()
    let now = Self.start + .seconds(100)
    _ = planner.handle(.account("a", .server(.arrived(mailbox: Array("INBOX".utf8)))), at: now)
    var slow = planner
    let actions = planner.handle(.stop, at: now)
    #expect(actions.contains(.account("a", .interrupt)) && !actions.contains(.end))
    #expect(actions.contains(.account("b", .closeLine)))
    #expect(
      planner.handle(.account("a", .runEnded(push: nil, pull: .interrupted)), at: now)
        .contains(.end))
    _ = slow.handle(.stop, at: now)
    guard let deadline = slow.nextWake else {
      Issue.record("no deadline")
      return
    }
    #expect(deadline - now < .seconds(3))
    #expect(slow.handle(.timePassed, at: deadline).contains(.end))
  }

  @Test func `told to stop it waits longer for a message whose end has left`() throws {
    var planner = Self.atRest()
    let now = Self.start + .seconds(100)
    _ = planner.handle(.account("a", .queue), at: now)
    _ = planner.handle(.account("a", .outcomeIsAwaited(true)), at: now)
    #expect(!planner.handle(.stop, at: now).contains(.end))
    #expect(!planner.handle(.timePassed, at: now + .seconds(5)).contains(.end))
    var silent = planner
    let ended = AccountEvent.queueEnded(.interrupted, next: nil)
    let isKnown = AccountEvent.outcomeIsAwaited(false)
    #expect(!planner.handle(.account("a", isKnown), at: now + .seconds(9)).contains(.end))
    var slow = planner
    #expect(planner.handle(.account("a", ended), at: now + .seconds(9.5)).contains(.end))
    let later = try #require(slow.nextWake)
    #expect(later - now > .seconds(11) && later - now < .seconds(12))
    #expect(slow.handle(.timePassed, at: later).contains(.end))
    let deadline = try #require(silent.nextWake)
    #expect(deadline - now > .seconds(10) && deadline - now < .seconds(15))
    #expect(silent.handle(.timePassed, at: deadline).contains(.end))
  }

  @Test(arguments: [false, true])
  func `told to stop it does not wait for a send of which no message's end has left`(
    wasOneSent: Bool
  ) throws {
    var planner = Self.atRest()
    let now = Self.start + .seconds(100)
    _ = planner.handle(.account("a", .queue), at: now)
    for isAwaited in wasOneSent ? [true, false] : [] {
      _ = planner.handle(.account("a", .outcomeIsAwaited(isAwaited)), at: now)
    }
    #expect(!planner.handle(.stop, at: now).contains(.end))
    let deadline = try #require(planner.nextWake)
    #expect(deadline - now < .seconds(3))
    #expect(planner.handle(.timePassed, at: deadline).contains(.end))
  }

  @Test func `a configuration read again ends, changes and begins accounts`() {
    var planner = Self.atRest()
    let now = Self.start + .seconds(100)
    _ = planner.handle(.account("b", .server(.arrived(mailbox: Array("INBOX".utf8)))), at: now)
    let fresh = ["b", "c"].map { WatchPlanner.NewAccount(name: $0, timing: WatchTiming()) }
    let same = [WatchPlanner.NewAccount(name: "a", timing: WatchTiming())]
    let actions = planner.handle(.reload(unchanged: same, begin: fresh), at: now)
    #expect(actions.contains(.account("c", .openLine)))
    #expect(!actions.contains(.account("b", .openLine)))
    #expect(!actions.contains(.account("a", .closeLine)))
    let after = planner.handle(
      .account("b", .runEnded(push: nil, pull: .interrupted)), at: now + .seconds(1))
    #expect(after.contains(.account("b", .openLine)))
  }

  @Test func `an account that comes back while it is still ending begins anew`() {
    var planner = Self.atRest()
    let now = Self.start + .seconds(100)
    let both = ["a", "b"].map { WatchPlanner.NewAccount(name: $0, timing: WatchTiming()) }
    _ = planner.handle(.account("b", .server(.arrived(mailbox: Array("INBOX".utf8)))), at: now)
    _ = planner.handle(.reload(unchanged: [both[0]], begin: []), at: now)
    let actions = planner.handle(.reload(unchanged: both, begin: []), at: now + .seconds(1))
    #expect(!actions.contains(.account("b", .openLine)))
    let after = planner.handle(
      .account("b", .runEnded(push: nil, pull: .interrupted)), at: now + .seconds(2))
    #expect(after.contains(.account("b", .openLine)))
    #expect(!after.contains(.account("a", .openLine)))
  }
}
