import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A watch as the third player, beside another client and a mail reader.
@Suite(.onWaitingThreads, .enabled(if: WatchStage.isPossible), .serialized)
struct WatchRandomTests {
  @Test(arguments: Seeds.batches(2, long: 200).flatMap { Array($0) })
  func `while both sides change at random, a watch alone brings them together`(seed: UInt64) throws
  {
    var teller = try PushTeller(seed: seed, themes: [.watched])
    let problems = try teller.play()
    let story = teller.story.events.map { "\($0)" }.joined(separator: "\n")
    #expect(problems == [], "seed \(seed):\n\(story)")
    // To look at all mailboxes it may have four connections, and the push that looks for leftovers has one. Where they
    // cannot be kept (a server without UNSELECT), pushes of what happened meanwhile have one more.
    let limit = 1 + 5 * teller.world.looks + teller.story.events.count
    #expect(teller.world.scenario.proxy.servedCount <= limit, "\(teller.story.server)")
  }

  @Test(arguments: 1...2)
  func `killed at any moment, with both sides at work, it loses and doubles nothing`(seed: UInt64)
    throws
  {
    let stage = try WatchStage { client in
      try client.create("Other")
      try client.append((0..<30).map { SampleMessage(token: "s\($0)x") }, to: "INBOX")
    }
    var random = SeededGenerator(seed: seed)
    for round in 0..<4 {
      for step in 0..<6 {
        switch Int(random.next() % 5) {
        case 0: try stage.append("r\(round)-\(step)x", to: ["INBOX", "Other"][step % 2])
        case 1, 2:
          let tree = try stage.mirror.tree()
          if let message = tree["INBOX"].randomElement(using: &random) {
            let letters = ["S", "F", "FS", ""][Int(random.next() % 4)]
            _ = rename(
              "\(stage.mirror.account)/\(message.path)",
              "\(stage.mirror.account)/INBOX/cur/\(message.base):2,\(letters)")
          }
        case 3:
          let tree = try stage.mirror.tree()
          if let message = tree["INBOX"].randomElement(using: &random) {
            _ = rename(
              "\(stage.mirror.account)/\(message.path)",
              "\(stage.mirror.account)/Other/cur/\(message.base):2,S")
          }
        default:
          let uids = try stage.client.uids(in: "INBOX")
          if let uid = uids.randomElement(using: &random) {
            try stage.client.store([uid], "+FLAGS", ["\\Answered"], in: "INBOX")
          }
        }
        pause(Double(random.next() % 700) / 1000)
      }
      if random.next() % 3 == 0 { stage.proxy.cutAll() }
      try stage.startAgain()
    }
    try stage.expectEqual()
    try stage.stop()
  }
}
