import MailCore
import Testing

@testable import WatchPlan

/// Servers that let in one connection, and do not say so.
struct RoomTests {
  private let news = AccountEvent.server(.arrived(mailbox: Array("INBOX".utf8)))
  private let whole = AccountAction.run(WatchRun(push: nil, pull: .everything))

  @Test(arguments: [ListeningWay.notify, .idle])
  func `a run that cannot connect while the line answers is done over without the line`(
    way: ListeningWay
  ) {
    var plan = AccountWorld.atRest(way: way).plan
    let now = Moment(milliseconds: 200_000)
    _ = plan.handle(news, at: now)
    let ended = plan.handle(.runEnded(push: nil, pull: .unreachable), at: now)
    #expect(ended.contains(.checkLine) && !ended.contains(.closeLine))
    #expect(plan.handle(.lineAlive, at: now).contains(.closeLine))
    #expect(plan.handle(.timePassed, at: now + .seconds(1)).contains(whole))
  }

  @Test func `a line that is dead is no sign of a server without room`() {
    var plan = AccountWorld.atRest().plan
    let now = Moment(milliseconds: 200_000)
    _ = plan.handle(news, at: now)
    _ = plan.handle(.runEnded(push: nil, pull: .unreachable), at: now)
    let ended = plan.handle(.lineEnded(.lost), at: now + .seconds(10))
    #expect(ended.contains(.openLine) && !ended.contains(whole))
  }

  @Test func `a line that only was checked stays`() {
    var plan = AccountWorld.atRest().plan
    let now = Moment(milliseconds: 200_000)
    _ = plan.handle(.shaken(slept: false), at: now)
    #expect(plan.handle(.lineAlive, at: now) == [])
  }

  /// The connection that a run leaves for the next has the server's only place.
  @Test func `a line that cannot be opened again after it made way keeps no run from its work`()
    throws
  {
    var plan = AccountWorld.atRest().plan
    var now = Moment(milliseconds: 200_000)
    _ = plan.handle(news, at: now)
    _ = plan.handle(.runEnded(push: nil, pull: .unreachable), at: now)
    _ = plan.handle(.lineAlive, at: now)
    now = now + .seconds(1)
    #expect(plan.handle(.timePassed, at: now).contains(whole))
    _ = plan.handle(.runEnded(push: nil, pull: .done), at: now)
    for wait in [5, 15, 45, 120] {
      let opened = now
      now = try #require(plan.nextWake)
      #expect(now - opened <= .seconds(wait) * 1.2)
      #expect(plan.handle(.timePassed, at: now).contains(.openLine))
      #expect(plan.handle(.lineEnded(.lost), at: now).contains(whole))
      #expect(
        plan.handle(.runEnded(push: nil, pull: .done), at: now) == [
          .report(.listening(.poll))
        ])
    }
  }

  @Test func `once a run was let in beside the line, one that is lost is only opened again`() {
    var plan = AccountWorld.atRest().plan
    var now = Moment(milliseconds: 200_000)
    _ = plan.handle(news, at: now)
    _ = plan.handle(.runEnded(push: nil, pull: .unreachable), at: now)
    _ = plan.handle(.lineAlive, at: now)
    _ = plan.handle(.timePassed, at: now + .seconds(1))
    _ = plan.handle(.runEnded(push: nil, pull: .done), at: now + .seconds(1))
    now = now + .seconds(8)
    #expect(plan.handle(.timePassed, at: now).contains(.openLine))
    #expect(plan.handle(.listening(.notify), at: now).contains(whole))
    _ = plan.handle(.runEnded(push: nil, pull: .done), at: now)
    now = now + .seconds(60)
    #expect(plan.handle(.lineEnded(.lost), at: now).contains(.openLine))
    let failed = plan.handle(.lineEnded(.lost), at: now)
    #expect(!failed.contains(whole))
  }
}
