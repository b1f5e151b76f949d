import Foundation
import MailTestKit
import Testing

/// Both directions: another client on the server and a mail reader in the tree change things at random, between syncs
/// and while they are at work; some runs are cut off. At rest tree and server are the same, every message is exactly
/// once where it was last put, with the marks of both sides merged.
///
/// `MIRROR_TEST_STORY` plays the file that a failure has named, alone.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot && findProgram("doveadm") != nil))
struct PushRandomTests {
  private static let environment = ProcessInfo.processInfo.environment

  static let batches =
    environment["MIRROR_TEST_STORY"] == nil ? Seeds.batches(50, long: 20_000) : []

  @Test(arguments: batches) func `at rest both sides are the same, and nothing is lost or doubled`(
    seeds: ClosedRange<UInt64>
  ) throws {
    var events = 0
    var runs = 0
    defer { print("\(seeds.count) seeds played: \(events) events, \(runs) runs met at work") }
    for seed in seeds {
      var teller = try PushTeller(seed: seed)
      let problems = try teller.play()
      events += teller.story.events.count
      runs += teller.story.events.count { $0 == .start }
      guard !problems.isEmpty else { continue }
      let story = teller.story
      let told = problems.prefix(20).joined(separator: "\n")
      // Said at once: a run that is stopped while it looks for the shortest story has told something.
      print("seed \(seed), \(story.themes.map(\.rawValue).sorted()): \(told)")
      Issue.record("seed \(seed):\n\(told)\n\(try shortest(story, seed))")
    }
  }

  @Test func `a message that is lost, or there twice, is found out`() throws {
    for isLost in [true, false] {
      let world = try PushWorld(server: 0)
      for event in [PushEvent.deliver("t2", to: "INBOX", marks: []), .sync] {
        #expect(try world.tell(event) == [])
      }
      let uid = try world.scenario.client.uid(of: "t2", in: "INBOX")
      if isLost {
        try world.scenario.client.expunge([uid], in: "INBOX")
      } else {
        try world.scenario.client.copy([uid], from: "INBOX", to: "one")
      }
      #expect(try world.tell(.sync) != [])
      #expect(try PushWorld.play(world.story) == [], "the story itself is sound")
    }
  }

  @Test(.enabled(if: environment["MIRROR_TEST_STORY"] != nil)) func `one story is told again`()
    throws
  {
    let path = try #require(Self.environment["MIRROR_TEST_STORY"])
    let story = try JSONDecoder().decode(PushStory.self, from: Data(try readFile(path)))
    let problems = try PushWorld.play(story)
    #expect(problems == [])
  }

  /// What is left of a story that ends badly when everything is left out that it ends badly without.
  private func shortest(_ story: PushStory, _ seed: UInt64) throws -> String {
    var last: [String] = []
    // Where things happen at once, a story does not end badly each time.
    let tellings = story.events.contains(.start) ? 3 : 1
    let events = shortened(story.events, tries: 120 / tellings) { events in
      let shorter = PushStory(server: story.server, themes: story.themes, events: events)
      for _ in 0..<tellings {
        // A server that hangs up on a story that cannot be told is no proof.
        guard let problems = try? PushWorld.play(shorter), !problems.isEmpty else { continue }
        last = problems
        return true
      }
      return false
    }
    let shorter = PushStory(server: story.server, themes: story.themes, events: events)
    let path = FileManager.default.temporaryDirectory.path + "/story-\(seed).json"
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try writeFile(path, Array(try encoder.encode(shorter)))
    let server = PushServer.all[story.server % PushServer.all.count]
    return """
      The shortest story (\(events.count) of \(story.events.count) events, \(server), in \(path)):
      \(events.map { "  \($0)" }.joined(separator: "\n"))
      \(last.prefix(10).joined(separator: "\n"))
      """
  }
}
