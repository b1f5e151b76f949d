import MailCore
import Testing

@testable import WatchPlan

/// Lines that break, servers that refuse, trees that are gone.
struct TroubleTests {
  @Test func `a server that cannot be reached is tried at growing distances`() {
    var world = AccountWorld()
    world.isReachable = false
    world.tell(.timePassed)
    world.advance(.seconds(3600))
    let tries = world.times(of: .openLine)
    let gaps = zip(tries, tries.dropFirst()).map { $1 - $0 }
    for (gap, wait) in zip(gaps, [5, 15, 45, 120, 300, 900, 900]) {
      #expect(gap >= .seconds(wait) * 0.8 && gap <= .seconds(wait) * 1.2 + .seconds(1))
    }
    #expect(gaps.count >= 6)
    #expect(world.runs().isEmpty)
    #expect(world.plan.isSettled)
  }

  @Test func `waits of two accounts differ`() {
    let tries = (UInt64(0)..<2).map { seed in
      var world = AccountWorld(seed: seed)
      world.isReachable = false
      world.tell(.timePassed)
      world.advance(.seconds(600))
      return world.times(of: .openLine)
    }
    #expect(tries[0] != tries[1])
  }

  @Test func `a line that stood is opened again at once, and everything looked at`() {
    var world = AccountWorld.atRest()
    world.lineBreaks()
    let start = world.now
    world.advance(.seconds(1))
    #expect(
      world.actions(since: start) == [
        .distrustConnections, .openLine, .run(WatchRun(push: nil, pull: .everything)),
      ])
  }

  @Test func `a line that is lost soon is opened again at once, and after seconds the next time`() {
    var world = AccountWorld()
    world.tell(.timePassed)
    world.advance(.seconds(5))
    #expect(world.lineStands)
    world.lineBreaks()
    world.advance(.milliseconds(500))
    #expect(world.times(of: .openLine).count == 2 && world.lineStands)
    world.lineBreaks()
    world.advance(.seconds(3))
    #expect(world.times(of: .openLine).count == 2)
    world.advance(.seconds(4))
    #expect(world.times(of: .openLine).count == 3 && world.lineStands)
  }

  @Test func `a server that closes each line at once is no reason to log in without end`() {
    var world = AccountWorld.atRest()
    let start = world.now
    while world.now < start + .seconds(3600) {
      world.lineBreaks()
      world.advance(.milliseconds(500))
    }
    #expect(world.times(of: .openLine).filter { $0 >= start }.count < 13)
  }

  @Test func `a line that dies once a minute costs one log-in a minute`() {
    var world = AccountWorld.atRest()
    let start = world.now
    for _ in 0..<30 {
      world.advance(.seconds(60))
      world.lineBreaks()
    }
    world.advance(.seconds(5))
    #expect(world.times(of: .openLine).filter { $0 >= start }.count == 30)
    #expect(world.lineStands)
  }

  @Test func `a wake-up and a new network try at once what failed before`() {
    var world = AccountWorld()
    world.isReachable = false
    world.tell(.timePassed)
    world.advance(.seconds(1500))
    world.isReachable = true
    world.serverChanges("INBOX")
    world.treeChanges(.marks)
    world.tell(.shaken(slept: true))
    world.advance(.seconds(3))
    #expect(world.lineStands)
    #expect(world.isClean)
  }

  @Test func `after a wake-up new mail comes before it is known that the line is dead`() {
    var world = AccountWorld.atRest()
    world.serverChanges("INBOX", isTold: false)
    let start = world.now
    world.tell(.shaken(slept: true))
    world.advance(.seconds(1))
    #expect(
      world.actions(since: start) == [
        .distrustConnections, .checkLine, .run(WatchRun(push: nil, pull: .everything)),
      ])
    #expect(world.isClean)
  }

  @Test
  func `a run that slept is ended and done over, and one that only sees another network goes on`() {
    for slept in [false, true] {
      var world = AccountWorld.atRest()
      world.runTakes = .seconds(60)
      world.serverChanges("INBOX")
      world.advance(.seconds(5))
      world.runTakes = .milliseconds(200)
      let start = world.now
      world.tell(.shaken(slept: slept))
      world.advance(.seconds(3))
      #expect(world.times(of: .interrupt).filter { $0 >= start }.count == (slept ? 1 : 0))
      #expect(world.isClean == slept)
    }
  }

  @Test func `networks that come and go cost no log-in while the line answers`() {
    var world = AccountWorld.atRest()
    let start = world.now
    for _ in 0..<24 {
      world.tell(.shaken(slept: false))
      world.advance(.milliseconds(2500))
    }
    #expect(world.actions(since: start).allSatisfy { $0 == .checkLine })
    #expect(world.times(of: .checkLine).count == 24)
  }

  @Test func `a line that a new network has cut is opened again, and a run over others ended`() {
    var world = AccountWorld.atRest()
    world.runTakes = .seconds(60)
    world.serverChanges("INBOX")
    world.advance(.seconds(1))
    world.isReachable = false
    world.tell(.shaken(slept: false))
    world.advance(.seconds(9))
    #expect(world.times(of: .interrupt) == [])
    (world.isReachable, world.runTakes) = (true, .milliseconds(200))
    world.lineBreaks()
    world.advance(.seconds(2))
    #expect(world.times(of: .interrupt).count == 1)
    #expect(world.lineStands && world.isClean)
  }

  @Test func `a line that was being opened goes by the old network, and another is opened`() {
    for began in [1, 20] {
      var world = AccountWorld.atRest()
      world.lineTakes = .seconds(60)
      world.lineBreaks()
      world.advance(.seconds(10))
      world.tell(.shaken(slept: false))
      world.advance(.seconds(began))
      world.lineTakes = .milliseconds(100)
      world.tell(.shaken(slept: false))
      world.advance(.seconds(1))
      #expect(world.lineStands == (began == 20))
    }
  }

  @Test func `a refused log-in is tried once, and again when the secret is another one`() {
    var world = AccountWorld()
    world.secretIsGood = false
    world.tell(.timePassed)
    world.advance(.seconds(86400))
    for news in [
      AccountEvent.shaken(slept: true), .lookAtOnce, .server(.everything), .tree(.everything),
    ] {
      world.tell(news)
      world.advance(.seconds(600))
    }
    #expect(world.times(of: .openLine).count == 1)
    #expect(world.runs().isEmpty)
    #expect(world.log.filter { $0.action == .report(.refused) }.count == 1)
    world.secretIsGood = true
    world.advance(.seconds(61))
    #expect(world.lineStands)
    #expect(world.times(of: .openLine).count == 2)
  }

  @Test func `commands are asked for another secret seldom, and when somebody says so`() {
    let world = AccountWorld.atRest()
    var (plan, now) = (world.plan, world.now)
    _ = plan.handle(.server(.arrived(mailbox: Array("INBOX".utf8))), at: now)
    _ = plan.handle(.runEnded(push: nil, pull: .refused), at: now)
    var looks: [AccountAction] = []
    for _ in 0..<20 {
      now = now + .seconds(60)
      looks += plan.handle(.timePassed, at: now)
    }
    #expect(looks.count == 20)
    #expect(looks.filter { $0 == .lookForSecret(runsCommands: true) }.count == 1)
    for _ in 0..<2 {
      #expect(plan.handle(.lookAtOnce, at: now).contains(.lookForSecret(runsCommands: true)))
    }
  }

  @Test func `a run that is refused ends the account's work, too`() {
    var world = AccountWorld.atRest()
    world.secretIsGood = false
    world.serverChanges("INBOX")
    world.advance(.seconds(86400))
    #expect(world.runs { $0.pull != nil }.count == 2)
    #expect(world.actions().contains(.closeLine))
    #expect(!world.lineStands)
  }

  @Test(arguments: [true, false])
  func `what the settings forbid is tried again after a while, or when asked for`(isAsked: Bool) {
    let world = AccountWorld.atRest()
    var plan = world.plan
    let now = world.now
    _ = plan.handle(.server(.arrived(mailbox: Array("INBOX".utf8))), at: now)
    _ = plan.handle(.runEnded(push: nil, pull: .misconfigured), at: now)
    #expect(plan.nextWake == now + .seconds(900))
    let actions =
      isAsked
      ? plan.handle(.lookAtOnce, at: now + .seconds(5))
      : plan.handle(.timePassed, at: now + .seconds(900))
    #expect(actions.contains(.openLine))
  }

  @Test func `a refused log-in of the sending server leaves the rest at work`() {
    var world = AccountWorld.atRest()
    var plan = world.plan
    _ = plan.handle(.queue, at: world.now)
    _ = plan.handle(.queueEnded(.refused, next: nil), at: world.now)
    #expect(plan.handle(.queue, at: world.now) == [])
    let news = plan.handle(.server(.arrived(mailbox: Array("INBOX".utf8))), at: world.now)
    #expect(news.contains(.run(WatchRun(push: nil, pull: .these([Array("INBOX".utf8)])))))
    world.advance(.seconds(61))
    #expect(
      plan.handle(.timePassed, at: world.now).contains(.lookForSecret(runsCommands: false)))
    #expect(plan.handle(.secretChanged, at: world.now).contains(.sendQueue))
  }

  @Test func `while the tree is gone nothing is pulled, pushed or sent`() {
    var world = AccountWorld.atRest()
    world.treeIsThere = false
    world.tell(.treeGone)
    let start = world.now
    world.serverChanges("INBOX")
    world.treeChanges(.removed)
    world.queueChanges()
    world.tell(.shaken(slept: true))
    world.advance(.seconds(3500))
    #expect(world.runs().allSatisfy { $0 < start })
    #expect(world.times(of: .sendQueue).allSatisfy { $0 < start })
    #expect((50...60).contains(world.times(of: .lookForTree).count))
    #expect(world.log.filter { $0.action == .report(.treeGone) }.count == 1)
    world.treeIsThere = true
    world.advance(.seconds(65))
    #expect(world.isClean)
  }

  @Test func `an account that another process has is tried again after half a minute`() {
    var world = AccountWorld.atRest()
    world.isBusy = true
    let start = world.now
    world.serverChanges("INBOX")
    world.treeChanges(.marks)
    world.advance(.seconds(100))
    #expect(world.runs().filter { $0 >= start }.count == 4)
    world.isBusy = false
    world.advance(.seconds(31))
    #expect(world.isClean)
  }

  @Test func `what was done in part is tried again, less and less often`() {
    let world = AccountWorld.atRest()
    var plan = world.plan
    var now = world.now
    var gaps: [Duration] = []
    _ = plan.handle(.server(.arrived(mailbox: Array("A".utf8))), at: now)
    for _ in 0..<6 {
      now = now + .milliseconds(100)
      _ = plan.handle(.runEnded(push: nil, pull: .inPart), at: now)
      guard let next = plan.nextWake else { break }
      gaps.append(next - now)
      now = next
      #expect(
        plan.handle(.timePassed, at: now).contains(
          .run(WatchRun(push: nil, pull: .everything))))
    }
    for (gap, wait) in zip(gaps, [60, 120, 300, 900, 900, 900]) {
      #expect(gap >= .seconds(wait) * 0.8 && gap <= .seconds(wait) * 1.2)
    }
  }

  @Test func `where the server takes no further connection, mail is polled for meanwhile`() {
    var world = AccountWorld.atRest()
    world.advance(.seconds(100))
    var plan = world.plan
    let now = world.now
    let actions = plan.handle(.lineEnded(.crowded), at: now)
    #expect(actions.contains(.run(WatchRun(push: nil, pull: .everything))))
    _ = plan.handle(.runEnded(push: nil, pull: .done), at: now)
    #expect(plan.nextWake.map { $0 <= now + .seconds(6) } == true)
    #expect(plan.handle(.timePassed, at: now + .seconds(6)).contains(.openLine))
  }

  @Test(arguments: [ListeningWay.notify, .idle])
  func `a run that the server takes no connection for is done over without the line`(
    way: ListeningWay
  ) throws {
    var plan = AccountWorld.atRest(way: way).plan
    var now = Moment(milliseconds: 200_000)
    _ = plan.handle(.server(.arrived(mailbox: Array("INBOX".utf8))), at: now)
    let actions = plan.handle(.runEnded(push: nil, pull: .crowded), at: now)
    #expect(actions.contains(.closeLine))
    now = try #require(plan.nextWake)
    #expect(
      plan.handle(.timePassed, at: now).contains(.run(WatchRun(push: nil, pull: .everything))))
    _ = plan.handle(.runEnded(push: nil, pull: .done), at: now)
    // The line is tried again, at growing distances, and each time everything is looked at.
    for wait in [15, 45, 120] {
      now = try #require(plan.nextWake)
      #expect(plan.handle(.timePassed, at: now) == [.openLine, .report(.connecting)])
      let pulled = plan.handle(.lineEnded(.crowded), at: now)
      #expect(pulled.contains(.run(WatchRun(push: nil, pull: .everything))))
      let ended = plan.handle(.runEnded(push: nil, pull: .done), at: now)
      #expect(ended == [.report(.listening(.poll))])
      let next = try #require(plan.nextWake)
      #expect(next - now >= .seconds(wait) * 0.8 && next - now <= .seconds(wait) * 1.2)
    }
  }

  @Test func `where no line is in its way, a run that is not let in is tried less and less often`()
    throws
  {
    var plan = AccountWorld.atRest(way: .poll).plan
    var now = Moment(milliseconds: 200_000)
    _ = plan.handle(.pushIsWanted, at: now)
    for wait in [5, 15, 45] {
      let actions = plan.handle(.runEnded(push: .crowded, pull: nil), at: now)
      #expect(!actions.contains(.closeLine))
      let next = try #require(plan.nextWake)
      #expect(next - now >= .seconds(wait) * 0.8 && next - now <= .seconds(wait) * 1.2)
      now = next
      let runs = plan.handle(.timePassed, at: now).contains {
        if case .run = $0 { true } else { false }
      }
      #expect(runs)
    }
  }

  @Test(arguments: [RunResult.done, .inPart])
  func `a message that could not be tried is tried again at growing distances`(result: RunResult) {
    var plan = AccountWorld.atRest().plan
    var now = Moment(milliseconds: 200_000)
    #expect(plan.handle(.queue, at: now) == [.sendQueue])
    for wait in [5, 15, 45] {
      _ = plan.handle(.queueEnded(result, next: now), at: now)
      guard let next = plan.nextWake else { break }
      #expect(next - now >= .seconds(wait) * 0.8 && next - now <= .seconds(wait) * 1.2)
      now = next
      #expect(plan.handle(.timePassed, at: now) == [.sendQueue])
    }
    _ = plan.handle(.queueEnded(.done, next: nil), at: now)
    #expect(plan.handle(.queue, at: now) == [.sendQueue])
  }

  @Test(arguments: [ListeningWay.notify, .idle])
  func `where a message may have come from is looked at, if the server does not tell`(
    way: ListeningWay
  ) throws {
    var world = AccountWorld.atRest(way: way)
    world.serverChanges("INBOX")
    let start = world.now
    world.tell(.mailMayHaveMoved)
    // One after another, as a person moves mail, they are not looked at each time.
    for _ in 0..<30 {
      world.advance(.milliseconds(500))
      world.tell(.mailMayHaveMoved)
    }
    world.advance(.seconds(20))
    let looks = world.runs { $0.pull == .everything }.filter { $0 >= start }
    #expect(way == .notify ? looks.isEmpty : (2...7).contains(looks.count), "\(looks)")
  }

  @Test func `the queue's unreachable server is tried at growing distances of its own`() {
    var plan = AccountWorld.atRest().plan
    var now = Moment(milliseconds: 200_000)
    #expect(plan.handle(.queue, at: now) == [.sendQueue])
    _ = plan.handle(.queueEnded(.unreachable, next: nil), at: now)
    for wait in [5, 15, 45] {
      guard let next = plan.nextWake else { break }
      #expect(next - now >= .seconds(wait) * 0.8 && next - now <= .seconds(wait) * 1.2)
      now = next
      #expect(plan.handle(.timePassed, at: now) == [.sendQueue])
      _ = plan.handle(.queueEnded(.unreachable, next: nil), at: now)
    }
    #expect(plan.handle(.shaken(slept: true), at: now).contains(.sendQueue))
  }
}
