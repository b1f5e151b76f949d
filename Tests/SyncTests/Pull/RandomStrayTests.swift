import Foundation
import MailTestKit
import SyncPlan
import Testing

/// Stories by seed: copies under the names of their originals, moves that no push has carried out, and files that are lost
/// with the state; then pulls that die, that are for one mailbox, or that cannot open one. What was lost is no deletion, a
/// copy takes no original along, and no move takes another message than its own.
struct RandomStrayTests {
  private static let folders = ["INBOX", "Work", "Other"]
  private static let tokens = (0..<6).map { "m\($0)" }

  private struct Story {
    var random: SeededGenerator
    let stage: Stage
    /// Messages of which a file was moved and not pushed: where to.
    private(set) var moved: [String: String] = [:]

    init(seed: UInt64) throws {
      random = SeededGenerator(seed: seed)
      let expunges = random.chance(0.5)
      stage = try Stage(
        count: RandomStrayTests.tokens.count,
        sync: {
          if expunges { $0.deletions = .expunge }
        })
    }

    private func rest() {
      stage.pull(nil)
      stage.push(nil)
    }

    /// Both sides agree afterwards.
    mutating func sort() throws {
      for token in tokens {
        let folder = random.pick(Array(folders.dropFirst()))
        switch random.next() % 3 {
        case 0: try copy(token, to: folder)
        case 1:
          try stage.move(token, to: folder)
          rest()
          if random.chance(0.5) { try copy(token, to: folder == "Work" ? "Other" : "Work") }
        default: break
        }
      }
      for _ in 0..<2 { rest() }
    }

    private func copy(_ token: String, to folder: String) throws {
      let message = try stage.local(token)
      try stage.reader.deliver(message.raw, name: message.base, to: folder, flags: message.flags)
    }

    /// What no run sees before the state is gone.
    mutating func change() throws {
      for token in tokens {
        let has = try stage.folders(of: token)
        let file = try stage.local(token, in: random.pick(has))
        let free = (folders + ["Trash"]).filter { !has.contains($0) }
        switch random.next() % 4 {
        case 0:
          let folder = random.pick(free)
          try stage.reader.move(file, to: folder)
          moved[token] = folder
        case 1: try stage.reader.remove(file)
        default: break
        }
      }
    }

    mutating func loseState() throws {
      stage.reopen()
      let isWhole = random.chance(0.7)
      let control = stage.path + "/.mirror"
      for name in try FileManager.default.contentsOfDirectory(atPath: control)
      where name.hasPrefix("state") && (isWhole || !name.contains("backup")) {
        try FileManager.default.removeItem(atPath: control + "/" + name)
      }
    }

    mutating func run() {
      let closed = random.chance(0.3) ? random.pick(folders) : nil
      if let closed {
        stage.refusals.value = [.init(name: "EXAMINE", part: closed, words: "NO not now")]
      }
      for _ in 0..<Int(random.next() % 6) {
        if random.chance(0.4) {
          stage.pull(nil, PullOptions(mailboxes: [random.pick(folders)]))
        } else {
          let event = Int(random.next() % 20)
          stage.fuse.arm(random.chance(0.5) ? .before(event) : .after(event))
          stage.play(.pull)
          stage.reopen()
          stage.fuse.arm(nil)
        }
        if random.chance(0.5) { stage.play(.push) }
      }
      stage.refusals.value = []
      for _ in 0..<3 { rest() }
    }
  }

  @Test(arguments: 1...(ProcessInfo.processInfo.environment["MIRROR_TEST_LONG"] == nil ? 40 : 1000))
  func `what was lost with the state is no deletion`(seed: Int) throws {
    var story = try Story(seed: UInt64(seed))
    try story.sort()
    let stage = story.stage
    let before = Dictionary(uniqueKeysWithValues: Self.tokens.map { ($0, stage.places($0)) })
    try story.change()
    try story.loseState()
    story.run()
    try stage.expectSettled("seed \(seed)", agrees: false)
    for token in Self.tokens {
      let (was, now, has) = (before[token] ?? [], stage.places(token), try stage.folders(of: token))
      let words = "seed \(seed), \(token): \(was) to \(now), \(has)"
      guard let folder = story.moved[token] else {
        #expect(now == was && has == was, "\(words)")
        continue
      }
      // As a copy, where it was not found in time; and not moved at all, where the file may have been another's.
      let outcomes = was.indices.map { index in
        var places = was
        places[index] = folder
        return places.sorted()
      }
      let copied = (was + [folder]).sorted()
      #expect((outcomes + [was, copied]).contains(now), "\(words), moved to \(folder)")
      #expect(has == now || has == copied, "\(words), moved to \(folder)")
    }
  }
}
