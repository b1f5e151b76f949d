import MailCore
import Testing

@testable import WatchPlan

struct RandomWatchTests {
  private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  @Test(arguments: 1...20)
  func `ten thousand events in any order end at rest, with nothing left undone`(seed: UInt64) {
    var dice = Dice(state: seed)
    var world = AccountWorld(seed: seed)
    world.way = [.notify, .idle, .poll][Int(seed % 3)]
    world.tell(.timePassed)
    for _ in 0..<10_000 { step(&world, &dice) }
    (world.isReachable, world.secretIsGood, world.treeIsThere, world.isBusy) =
      (true, true, true, false)
    (world.runTakes, world.copiesTake) = (.milliseconds(200), nil)
    world.tell(.treeIsWatched(true))
    world.advance(.seconds(3 * 3600))
    let left = (world.mail.keys.sorted(), world.files.keys.sorted(), world.queued, world.unfiled)
    #expect(left.0 == [] && left.1 == [] && left.2 == nil && left.3 == nil)
    let (isAtRest, stands, faults) = (world.isAtRest, world.lineStands, world.faults)
    #expect(isAtRest && stands)
    #expect(faults == [])
    let before = world.wakes.count
    world.advance(.seconds(6000))
    let wakes = world.wakes.count - before
    #expect(wakes <= 100)
  }

  private func step(_ world: inout AccountWorld, _ dice: inout Dice) {
    let name = ["INBOX", "Archive", "Sent", "Lists"].randomElement(using: &dice) ?? "INBOX"
    let isTold = Int.random(in: 0..<10, using: &dice) > 0
    switch Int.random(in: 0..<40, using: &dice) {
    case 0..<8: world.serverChanges(name, arrives: Bool.random(using: &dice), isTold: isTold)
    case 8..<13: world.treeChanges(.marks, isTold: isTold)
    case 13..<15: world.treeChanges(.arrived(folder: "Archive"))
    case 15..<17: world.treeChanges(.removed)
    case 17..<19: world.treeChanges(.draft(folder: "Drafts"))
    case 19: world.treeChanges(.folders)
    case 20: world.treeChanges(.everything)
    case 21..<23: world.queueChanges()
    case 23..<25: world.lineBreaks()
    case 25: world.isReachable.toggle()
    case 26: world.isReachable = true
    case 27: world.secretIsGood = Int.random(in: 0..<10, using: &dice) > 0
    case 28:
      world.treeIsThere = Bool.random(using: &dice)
      if !world.treeIsThere { world.tell(.treeGone) }
    case 29: world.isBusy = Bool.random(using: &dice)
    case 30: world.tell(.shaken(slept: Bool.random(using: &dice)))
    case 31: world.tell(.lookAtOnce)
    case 32: world.tell(.treeIsWatched(Bool.random(using: &dice)))
    case 33: world.runTakes = .milliseconds(Int.random(in: 1...30_000, using: &dice))
    case 34: world.nextAttempt = world.now + .seconds(120)
    case 36: world.copiesTake = .milliseconds(Int.random(in: 1...60_000, using: &dice))
    case 35: world.tell(.server(.everything))
    default: break
    }
    world.advance(.milliseconds(Int.random(in: 0...20_000, using: &dice)))
  }
}
