import MailCore
import Testing

@testable import WatchPlan

/// The copies of what was sent, beside the messages that are to be sent.
struct CopiesTests {
  @Test func `what may have been sent is looked for less and less often`() throws {
    var plan = AccountWorld.atRest().plan
    var now = Moment(milliseconds: 200_000)
    #expect(plan.handle(.copiesCame, at: now) == [.fileCopies])
    for wait in [60, 120, 300] {
      _ = plan.handle(.copiesEnded(.done, areLeft: true, hasFiled: false), at: now)
      #expect(plan.handle(.copiesCame, at: now) == [])
      let next = try #require(plan.nextWake)
      #expect(next - now >= .seconds(wait) * 0.8 && next - now <= .seconds(wait) * 1.2)
      now = next
      #expect(plan.handle(.timePassed, at: now) == [.fileCopies])
    }
    _ = plan.handle(.copiesEnded(.done, areLeft: true, hasFiled: false), at: now)
    #expect(plan.handle(.queue, at: now) == [.sendQueue], "what is queued leaves at once")
    #expect(plan.handle(.queueEnded(.done, next: nil, copies: .waiting), at: now) == [])
    #expect(plan.handle(.queue, at: now) == [.sendQueue])
    _ = plan.handle(.queueEnded(.done, next: nil, copies: .new), at: now)
    _ = plan.handle(.copiesEnded(.done, areLeft: false, hasFiled: true), at: now)
    #expect(plan.handle(.copiesCame, at: now) == [.fileCopies])
  }

  @Test(arguments: [RunResult.inPart, .unreachable, .crowded])
  func `whatever keeps copies from being filed, they are tried again at growing distances`(
    result: RunResult
  ) throws {
    var plan = AccountWorld.atRest(way: .poll).plan
    var now = Moment(milliseconds: 200_000)
    #expect(plan.handle(.queue, at: now) == [.sendQueue])
    #expect(plan.handle(.queueEnded(.done, next: nil, copies: .new), at: now) == [.fileCopies])
    for wait in [60, 120] {
      _ = plan.handle(.copiesEnded(result, areLeft: true, hasFiled: false), at: now)
      let next = try #require(plan.nextWake)
      #expect(next - now >= .seconds(wait) * 0.8 && next - now <= .seconds(wait) * 1.2)
      now = next
      #expect(plan.handle(.timePassed, at: now) == [.fileCopies])
    }
  }

  @Test func `messages leave at once while their copies cannot be filed`() {
    var plan = AccountWorld.atRest(way: .poll).plan
    var now = Moment(milliseconds: 200_000)
    for _ in 0..<5 {
      #expect(plan.handle(.queue, at: now) == [.sendQueue])
      _ = plan.handle(.queueEnded(.done, next: nil, copies: .new), at: now)
      _ = plan.handle(.copiesEnded(.inPart, areLeft: true, hasFiled: false), at: now)
      now = now + .seconds(1)
    }
  }

  @Test func `a log-in that copies were refused is tried by nothing before the secret is another`()
  {
    var plan = AccountWorld.atRest().plan
    var now = Moment(milliseconds: 200_000)
    _ = plan.handle(.queue, at: now)
    _ = plan.handle(.queueEnded(.done, next: nil, copies: .new), at: now)
    let refused = plan.handle(.copiesEnded(.refused, areLeft: true, hasFiled: false), at: now)
    #expect(refused == [.closeLine, .report(.refused)])
    for _ in 0..<5 {
      now = now + .seconds(200)
      #expect(plan.handle(.queue, at: now).contains(.sendQueue), "messages leave all the same")
      let sent = plan.handle(.queueEnded(.done, next: nil, copies: .new), at: now)
      #expect(!sent.contains(.fileCopies) && plan.nextWake.map { $0 > now } == true)
      #expect(!plan.handle(.server(.everything), at: now).contains(.openLine))
    }
    let changed = plan.handle(.secretChanged, at: now + .seconds(5))
    #expect(changed.contains(.openLine) && !changed.contains(.fileCopies))
    let letIn = plan.handle(.listening(.notify), at: now + .seconds(6))
    #expect(letIn.contains(.fileCopies))
  }

  @Test func `a message that is queued while a copy hangs leaves within a second`() throws {
    var world = AccountWorld.atRest()
    world.queueChanges()
    (world.copiesTake, world.runTakes) = (.seconds(30), .milliseconds(50))
    for wait in [500, 3000] {
      world.advance(.milliseconds(wait))
      let start = world.now
      world.queueChanges()
      world.advance(.milliseconds(1100))
      #expect(world.queued == nil)
      #expect(world.times(of: .sendQueue).last.map { $0 - start <= .seconds(1) } == true)
    }
    #expect(world.unfiled != nil)
    world.copiesTake = nil
    world.advance(.seconds(31))
    #expect(world.isClean && world.faults == [])
  }

  @Test func `a copy that takes no time is not interrupted by the next message`() {
    var world = AccountWorld.atRest()
    for _ in 0..<50 {
      world.queueChanges()
      world.advance(.milliseconds(300))
    }
    world.advance(.seconds(1))
    #expect(world.times(of: .leaveCopies) == [])
    #expect(world.isClean)
  }

  @Test(arguments: [ListeningWay.notify, .idle])
  func `where the server lets in no copy beside the line, that gives way`(way: ListeningWay) {
    for isSaid in [true, false] {
      var plan = AccountWorld.atRest(way: way).plan
      let now = Moment(milliseconds: 200_000)
      _ = plan.handle(.queue, at: now)
      _ = plan.handle(.queueEnded(.done, next: nil, copies: .new), at: now)
      let ended = plan.handle(
        .copiesEnded(isSaid ? .crowded : .unreachable, areLeft: true, hasFiled: false), at: now)
      #expect(ended.contains(.closeLine) == isSaid)
      if !isSaid {
        #expect(ended.contains(.checkLine))
        #expect(plan.handle(.lineAlive, at: now).contains(.closeLine))
      }
      #expect(plan.handle(.timePassed, at: now + .seconds(1)).contains(.fileCopies))
    }
  }

  @Test func `copies that a run kept out are tried again when it is over`() {
    var plan = AccountWorld.atRest(way: .poll).plan
    let now = Moment(milliseconds: 200_000)
    _ = plan.handle(.pushIsWanted, at: now)
    _ = plan.handle(.queue, at: now)
    _ = plan.handle(.queueEnded(.done, next: nil, copies: .new), at: now)
    _ = plan.handle(.copiesEnded(.crowded, areLeft: true, hasFiled: false), at: now)
    #expect(plan.handle(.runEnded(push: .done, pull: nil), at: now).contains(.fileCopies))
  }

  @Test(arguments: [ListeningWay.notify, .idle, .poll])
  func `the copy of what was sent is pulled where the server does not tell of it`(
    way: ListeningWay
  ) {
    var plan = AccountWorld.atRest(way: way).plan
    let now = Moment(milliseconds: 200_000)
    _ = plan.handle(.queue, at: now)
    #expect(plan.handle(.queueEnded(.done, next: nil, copies: .new), at: now) == [.fileCopies])
    // The same whether it was filed at once or days later.
    let filed = plan.handle(.copiesEnded(.done, areLeft: false, hasFiled: true), at: now)
    let later = plan.handle(.timePassed, at: now + .seconds(5))
    let pulls = (filed + later).filter { $0 == .run(WatchRun(push: nil, pull: .everything)) }
    #expect(pulls.count == (way == .notify ? 0 : 1))
  }
}
