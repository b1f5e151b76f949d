import MailCore
import Testing

@testable import WatchPlan

/// When what was heard of is acted on.
struct TimingTests {
  @Test func `at the start the line is opened and then everything is looked at, once`() {
    let world = AccountWorld.atRest()
    #expect(
      world.actions() == [
        .sendQueue, .openLine, .run(WatchRun(push: .everything, pull: .everything)),
      ])
    #expect(world.plan.isSettled)
  }

  @Test(arguments: [
    (ServerNews.arrived(mailbox: Array("A".utf8)), 0), (.changed(mailbox: Array("A".utf8)), 1000),
    (.mailboxes, 1000),
    (.everything, 1000),
  ])
  func `the server's news are pulled after their wait`(news: ServerNews, wait: Int) {
    var world = AccountWorld.atRest()
    let start = world.now
    world.tell(.server(news))
    world.advance(.seconds(20))
    #expect(world.runs().filter { $0 >= start } == [start + .milliseconds(wait)])
  }

  @Test(arguments: [
    (TreeNews.marks, 2), (.arrived(folder: "A"), 2), (.removed, 5),
    (.draft(folder: "Drafts"), 60), (.folders, 2),
  ])
  func `changes of the tree are pushed after their wait`(news: TreeNews, wait: Int) {
    var world = AccountWorld.atRest()
    let start = world.now
    world.treeChanges(news)
    world.advance(.seconds(100))
    #expect(world.runs().filter { $0 >= start } == [start + .seconds(wait)])
    #expect(world.isClean)
  }

  @Test func `a queued message is sent at once, also while a run is under way`() {
    var world = AccountWorld.atRest()
    world.runTakes = .seconds(3000)
    world.serverChanges("INBOX")
    world.advance(.seconds(10))
    let start = world.now
    world.queueChanges()
    #expect(world.times(of: .sendQueue).last == start)
  }

  @Test func `the queue's own times wake the watch`() {
    var world = AccountWorld.atRest()
    let start = world.now
    world.nextAttempt = start + .seconds(30)
    world.queueChanges()
    world.advance(.seconds(60))
    #expect(world.times(of: .sendQueue).filter { $0 >= start } == [start, start + .seconds(30)])
  }

  @Test func `a steady trickle in the tree is pushed all along, at most every five seconds`() {
    var world = AccountWorld.atRest()
    let start = world.now
    for second in 0..<300 {
      world.treeChanges(second % 3 == 0 ? .removed : .marks)
      world.advance(.seconds(1))
    }
    let pushes = world.runs { $0.push != nil }.filter { $0 >= start }
    let gaps = zip(pushes, pushes.dropFirst()).map { $1 - $0 }
    #expect(gaps.allSatisfy { $0 >= .seconds(5) && $0 <= .seconds(15) })
    #expect(pushes.count >= 20)
  }

  @Test func `a steady trickle of new mail is pulled all along, at most each second`() {
    var world = AccountWorld.atRest()
    let start = world.now
    for _ in 0..<3000 {
      world.serverChanges("INBOX")
      world.advance(.milliseconds(100))
    }
    let gaps = zip(world.runs(), world.runs().dropFirst()).filter { $0.0 >= start }.map { $1 - $0 }
    #expect(gaps.allSatisfy { $0 >= .seconds(1) && $0 <= .milliseconds(1400) })
  }

  @Test func `a draft saved again and again goes after ten minutes`() {
    var world = AccountWorld.atRest()
    let start = world.now
    for _ in 0..<70 {
      world.treeChanges(.draft(folder: "Drafts"))
      world.advance(.seconds(20))
    }
    let pushes = world.runs { $0.push != nil }.filter { $0 >= start }
    #expect(pushes.count == 2)
    #expect(pushes.first == start + .seconds(600))
  }

  @Test func `drafts and deletions wait while marks go`() {
    var world = AccountWorld.atRest()
    let start = world.now
    world.treeChanges(.draft(folder: "Drafts"))
    world.treeChanges(.removed)
    world.treeChanges(.marks)
    world.advance(.seconds(4))
    let scope = PushScope(looksAtAll: false, leavesDrafts: true, leavesDeletions: true)
    #expect(world.actions(since: start) == [.run(WatchRun(push: scope, pull: nil))])
    #expect(world.files.keys.sorted() == ["draft", "removed"])
    world.advance(.seconds(4))
    #expect(world.files.keys.sorted() == ["draft"])
  }

  @Test func `what nobody told of yet is left for later`() {
    var world = AccountWorld.atRest()
    world.treeChanges(.marks)
    world.advance(.milliseconds(1900))
    world.treeChanges(.removed, isTold: false)
    world.advance(.seconds(4))
    #expect(world.files.keys.sorted() == ["removed"])
  }

  @Test
  func `where files came or were written anew, all are compared; after lost events, everywhere`() {
    func compared(_ news: TreeNews...) -> [Set<String>?] {
      var world = AccountWorld.atRest()
      let start = world.now
      for news in news { world.treeChanges(news) }
      world.advance(.seconds(100))
      return world.log.filter { $0.at >= start }.compactMap { entry in
        guard case .run(let run) = entry.action, let push = run.push else { return nil }
        return .some(push.compared)
      }
    }
    #expect(compared(.marks) == [[]])
    #expect(compared(.arrived(folder: "A"), .arrived(folder: "B")) == [["A", "B"]])
    #expect(compared(.arrived(folder: "A"), .draft(folder: "Drafts")) == [["A"], ["Drafts"]])
    #expect(compared(.everything).contains(nil))
  }

  @Test func `folders to be compared are, when a run has failed before`() {
    var plan = AccountWorld.atRest().plan
    var now = Moment(milliseconds: 200_000)
    _ = plan.handle(.tree(.arrived(folder: "A")), at: now)
    now = now + .seconds(2)
    let scope = PushScope(
      looksAtAll: false, leavesDrafts: true, leavesDeletions: true, compared: ["A"])
    #expect(
      plan.handle(.timePassed, at: now) == [
        .run(WatchRun(push: scope, pull: nil)), .report(.working),
      ])
    _ = plan.handle(.runEnded(push: .busy, pull: nil), at: now)
    let again = plan.handle(.timePassed, at: now + .seconds(31))
    #expect(again.contains(.run(WatchRun(push: scope, pull: nil))))
  }

  @Test func `lost events lead to a look at everything, at most once a minute`() {
    var world = AccountWorld.atRest()
    let start = world.now
    for _ in 0..<240 {
      world.tell(.tree(.everything))
      world.tell(.server(.everything))
      world.advance(.seconds(1))
    }
    #expect((4...6).contains(world.runs { $0.pull != nil }.filter { $0 >= start }.count))
    let looks = world.runs { $0.push?.looksAtAll == true }.filter { $0 >= start }
    #expect((4...6).contains(looks.count))
  }

  @Test func `a deletion of which nothing was heard waits from the look on`() {
    for news in [AccountEvent.tree(.everything), .treeIsWatched(false), .treeBack] {
      var world = AccountWorld.atRest()
      world.treeChanges(.removed, isTold: false)
      world.treeChanges(.marks, isTold: false)
      world.tell(news)
      world.advance(.milliseconds(1500))
      #expect(world.files.keys.sorted() == ["removed"])
      world.advance(.seconds(3))
      #expect(world.files.keys.sorted() == ["removed"])
      world.advance(.seconds(2))
      #expect(world.isClean)
    }
  }

  @Test(arguments: [
    (ListeningWay.notify, 3600), (.idle, 600), (.poll, 600),
  ])
  func `everything is looked at now and then, whatever was told`(way: ListeningWay, wait: Int) {
    var world = AccountWorld.atRest(way: way)
    world.serverChanges("INBOX", isTold: false)
    world.advance(.seconds(wait - 101))
    #expect(!world.isClean)
    world.advance(.seconds(3))
    #expect(world.isClean)
  }

  @Test(arguments: [ListeningWay.notify, .idle, .poll])
  func `at rest it is woken at most four times a minute`(way: ListeningWay) {
    for watched in [true, false] {
      var world = AccountWorld.atRest(way: way)
      world.tell(.treeIsWatched(watched))
      world.advance(.seconds(60))
      let before = world.wakes.count
      world.advance(.seconds(6000))
      #expect(world.wakes.count - before <= 400)
    }
  }

  @Test func `where the tree tells nothing it is looked at each minute`() {
    var world = AccountWorld.atRest()
    world.tell(.treeIsWatched(false))
    world.advance(.seconds(1))
    world.treeChanges(.marks, isTold: false)
    world.queued = world.now
    world.advance(.seconds(61))
    #expect(world.isClean)
  }

  @Test func `what a pull left is pushed when it is over`() {
    var plan = AccountWorld.atRest().plan
    let now = Moment(milliseconds: 200_000)
    _ = plan.handle(.server(.arrived(mailbox: Array("INBOX".utf8))), at: now)
    #expect(plan.handle(.pushIsWanted, at: now) == [])
    let actions = plan.handle(.runEnded(push: nil, pull: .done), at: now)
    #expect(actions == [.run(WatchRun(push: .everything, pull: nil))])
  }

  @Test func `many mailboxes at once are looked at together`() {
    var world = AccountWorld.atRest()
    for number in 0..<40 { world.serverChanges("\(number)", arrives: false) }
    world.advance(.seconds(2))
    #expect(world.actions().last == .run(WatchRun(push: nil, pull: .everything)))
  }
}
