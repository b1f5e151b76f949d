import Foundation
import MailTestKit
import Settings
import Testing

/// Stories by seed: mail is sorted here and pushed, the tree comes back in one way or another, another client has moved,
/// copied and expunged messages meanwhile, and runs die. What the server has then it has once, where it was; what it has
/// nowhere is sent; and no file goes.
struct RandomRestoreTests {
  private static let folders = ["INBOX", "Work", "Other", "Trash"]
  private static let tokens = (0..<6).map { "m\($0)" }

  private struct Story {
    var random: SeededGenerator
    let stage: Stage
    let fate: Int

    init(seed: UInt64) throws {
      random = SeededGenerator(seed: seed)
      let expunges = random.chance(0.5)
      stage = try Stage(
        count: RandomRestoreTests.tokens.count,
        sync: {
          if expunges { $0.deletions = .expunge }
        })
      fate = Int(random.next() % 4)
    }

    mutating func sort() throws {
      for token in tokens {
        let place = stage.places(token)[0]
        let folder = random.pick(folders.filter { $0 != place })
        switch random.next() % 4 {
        case 0: try stage.move(token, to: folder)
        case 1: try stage.moveThere(token, from: place, to: folder)
        default: break
        }
        if random.chance(0.3) { rest() }
      }
      rest()
      rest()
    }

    private func rest() {
      stage.pull(nil)
      stage.push(nil)
    }

    /// What another client does.
    mutating func change() throws {
      for token in tokens {
        let places = stage.places(token)
        let place = random.pick(places)
        let folder = random.pick(folders.filter { !places.contains($0) })
        switch random.next() % 5 {
        case 0, 1: try stage.moveThere(token, from: place, to: folder)
        case 2:
          let message = try stage.remote(token, in: place)
          stage.account.change(folder) {
            $0.deliver(SampleMessage(bytes: message.bytes, date: message.date))
          }
          if random.chance(0.5) { try stage.expungeThere(token, in: place) }
        case 3: try stage.expungeThere(token, in: place)
        default: break
        }
      }
    }

    mutating func restore() throws {
      stage.reopen()
      let control = stage.path + "/.mirror"
      switch fate {
      case 0, 1:
        try change()
        for name in try FileManager.default.contentsOfDirectory(atPath: control)
        where name.hasPrefix("state") && (fate == 0 || !name.contains("backup")) {
          try FileManager.default.removeItem(atPath: control + "/" + name)
        }
      default:
        try FileManager.default.copyItem(atPath: stage.path, toPath: stage.path + ".other")
        try change()
        if fate == 2 {
          stage.pull(nil)
          stage.reopen()
        }
        try FileManager.default.removeItem(atPath: stage.path)
        try FileManager.default.moveItem(atPath: stage.path + ".other", toPath: stage.path)
      }
    }

    mutating func run() {
      for _ in 0..<Int(random.next() % 3) {
        let event = Int(random.next() % 20)
        stage.fuse.arm(random.chance(0.5) ? .before(event) : .after(event))
        stage.play(random.chance(0.7) ? .pull : .push)
        stage.reopen()
        stage.fuse.arm(nil)
        if random.chance(0.5) { stage.play(.push) }
      }
      rest()
      rest()
    }
  }

  @Test(arguments: 1...(ProcessInfo.processInfo.environment["MIRROR_TEST_LONG"] == nil ? 60 : 1000))
  func `a tree that comes back doubles and loses nothing`(seed: Int) throws {
    var story = try Story(seed: UInt64(seed))
    try story.sort()
    let stage = story.stage
    let files = try Dictionary(
      uniqueKeysWithValues: Self.tokens.map { ($0, try stage.folders(of: $0)) })
    try story.restore()
    let places = Dictionary(uniqueKeysWithValues: Self.tokens.map { ($0, stage.places($0)) })
    story.run()
    try stage.expectSettled("seed \(seed)", agrees: false)
    for token in Self.tokens {
      let (before, now) = (places[token] ?? [], stage.places(token))
      let (had, has) = (files[token] ?? [], try stage.folders(of: token))
      let words = "seed \(seed), \(token), fate \(story.fate): \(had), \(before) to \(has), \(now)"
      if before.isEmpty {
        #expect(now == had, "\(words)")
      } else {
        #expect(now == before, "\(words)")
      }
      #expect(Set(has).isSuperset(of: had + now), "\(words)")
    }
  }
}
