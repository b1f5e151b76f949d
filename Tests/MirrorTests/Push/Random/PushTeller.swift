import MailTestKit

/// Makes a story up as it is played: the same seed tells the same one, as far as nothing happens while the program is at
/// work.
struct PushTeller {
  let world: PushWorld
  var random: SeededGenerator
  let themes: Set<PushTheme>
  private var counter = 0

  private static let flags = ["\\Seen", "\\Flagged", "\\Answered"]
  private static let keywords = ["red", "green", "$Blue"]

  /// - Parameter themes: others than the seed would have.
  init(seed: UInt64, themes asked: Set<PushTheme>? = nil) throws {
    random = SeededGenerator(seed: seed)
    themes = asked ?? PushTheme.drawn(seed)
    let servers = themes.isEmpty ? PushServer.dovecots : PushServer.all
    world = try PushWorld(server: random.below(servers.count), themes: themes)
  }

  var story: PushStory { world.story }

  mutating func play() throws -> [String] {
    for _ in 0..<(6 + random.below(8)) {
      let problems = try world.tell(deliver())
      if !problems.isEmpty { return problems }
    }
    for _ in 0..<random.below(3) { _ = try world.tell(.draft(newToken("d"), version: newNumber())) }
    for event in beginning() { _ = try world.tell(event) }
    var problems = try world.tell(.sync)
    for _ in 0..<(2 + random.below(3)) where problems.isEmpty {
      problems = try openRound()
      if problems.isEmpty { problems = try round() }
    }
    return try problems.isEmpty ? end() : problems
  }

  private mutating func round() throws -> [String] {
    for _ in 0..<(2 + random.below(12)) {
      if let problems = try tell(), !problems.isEmpty { return problems }
    }
    if random.chance(0.15) {
      _ = try world.tell(.renumber(random.pick(world.model.mailboxes)))
    }
    if random.chance(0.4) || themes.contains(.watched) {
      _ = try world.tell(.start)
      for _ in 0..<(2 + random.below(8)) {
        _ = try world.tell(.pause(milliseconds: random.below(60)))
        if let problems = try tell(), !problems.isEmpty { return problems }
      }
    } else if random.chance(0.35) {
      let isDown = random.chance(0.5)
      let bytes = isDown ? 400 + random.below(3500) : 60 + random.below(1500)
      _ = try world.tell(
        .cut(push: random.chance(0.7), down: isDown ? bytes : nil, up: isDown ? nil : bytes))
      if random.chance(0.6) {
        for _ in 0..<(1 + random.below(4)) {
          if let problems = try tell(), !problems.isEmpty { return problems }
        }
        // A pull that is not cut comes before the next push.
        if random.chance(0.5) { _ = try world.tell(.cut(push: false, down: nil, up: nil)) }
      }
    }
    return try world.tell(.sync)
  }

  /// The first of a few ideas that may happen now.
  private mutating func tell() throws -> [String]? {
    for _ in 0..<12 {
      guard let event = themedIdea() ?? idea(), world.model.allows(event) else { continue }
      return try world.tell(event)
    }
    return nil
  }

  private mutating func idea() -> PushEvent? {
    let model = world.model
    switch random.below(40) {
    case 0...2: return deliver()
    case 3...7:
      guard let token = pick(model.tokens), let message = model.messages[token] else { return nil }
      let mark = random.pick(Self.flags + Self.keywords)
      return .store(token, mark: mark, sets: !message.remote.contains(mark.lowercased()))
    case 8: return pick(model.tokens).map { .expunge($0) }
    case 9, 10: return pick(model.tokens).map { .moveThere($0, to: random.pick(model.mailboxes)) }
    case 11: return pick(model.tokens).map { .copyThere($0, to: random.pick(model.mailboxes)) }
    case 12: return random.chance(0.3) ? .makeMailbox("made\(newNumber())") : nil
    case 13: return .draft(newToken("d"), version: newNumber())
    case 14, 15:
      return pick(model.draftTokens).map { .replaceDraft($0, version: newNumber()) }
    case 16: return random.chance(0.4) ? pick(model.draftTokens).map { .expungeDraft($0) } : nil
    case 17...24:
      guard let token = pick(model.tokens), let message = model.messages[token] else { return nil }
      let mark = random.pick(Self.flags + Self.keywords)
      return .mark(token, mark: mark, sets: !message.local.contains(mark.lowercased()))
    case 25...27: return pick(model.tokens).map { .move($0, to: random.pick(model.folders)) }
    case 28, 29: return pick(model.tokens).map { .save($0, to: random.pick(model.folders)) }
    case 30: return pick(model.tokens).map { .copy($0, to: random.pick(model.folders)) }
    case 31, 32: return pick(model.tokens).map { .remove($0) }
    case 33, 34: return .write(newToken("t"), to: random.pick(model.folders))
    case 35: return random.chance(0.3) ? .makeFolder("fresh\(newNumber())") : nil
    default: return pick(model.draftTokens).map { .editDraft($0, version: newNumber()) }
    }
  }

  private mutating func deliver() -> PushEvent {
    let marks = (Self.flags + Self.keywords).filter { _ in random.chance(0.25) }
    return .deliver(newToken("t"), to: random.pick(world.model.mailboxes), marks: marks)
  }

  mutating func pick(_ tokens: [String]) -> String? {
    tokens.isEmpty ? nil : random.pick(tokens)
  }

  mutating func newNumber() -> Int {
    counter += 1
    return counter
  }

  mutating func newToken(_ letter: String) -> String { letter + String(newNumber()) }
}
