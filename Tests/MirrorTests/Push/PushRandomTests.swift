import Foundation
import MailTestKit
import Testing

/// Both directions: two clients on the server and a mail reader in the tree change things at random between syncs,
/// some of which are interrupted. At rest tree and server are the same, every message is exactly once where it was
/// last put, with the marks of both sides merged.
///
/// Messages with even numbers are moved and expunged by the server's side only, those with odd numbers by the reader
/// only; flags and keywords change on both sides at once. `MIRROR_TEST_SEED` runs one seed alone.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct PushRandomTests {
  static let batches: [ClosedRange<UInt64>] = {
    if let text = ProcessInfo.processInfo.environment["MIRROR_TEST_SEED"], let seed = UInt64(text) {
      return [seed...seed]
    }
    let asked = ProcessInfo.processInfo.environment["MIRROR_TEST_SEEDS"].flatMap { UInt64($0) }
    let count: UInt64 = asked ?? (Machine.long ? 20_000 : 500)
    return stride(from: 1, to: count + 1, by: 25).map { $0...min($0 + 24, count) }
  }()

  @Test(arguments: batches) func `at rest both sides are the same, and nothing is lost or doubled`(
    seeds: ClosedRange<UInt64>
  ) throws {
    for seed in seeds {
      let problems = try PushRandomRun(seed: seed).play()
      if !problems.isEmpty {
        Issue.record("seed \(seed): \(problems.prefix(40).joined(separator: "; "))")
      }
    }
  }
}

/// One seed's story.
final class PushRandomRun {
  /// One message as it ought to be.
  private struct Story {
    let token: String
    /// Nil once it is gone for good.
    var place: String?
    /// On the server, in the tree, and as both last agreed.
    var remote: Set<String>
    var local: Set<String>
    var agreed: Set<String>
    /// The server's side moved it since the last sync; so its local marks may need one more.
    var movedThere = false
    var isNewHere = false
    var isNewThere = false
    var wasRemovedHere = false
  }

  private let scenario: Scenario
  private let reader: Reader
  private var random: SeededGenerator
  private var messages: [Story] = []
  private var mailboxes = ["INBOX", "Archive", "Sent", "one", "two"]
  private var counter = 0
  private var story: [String] = []

  private static let flags = ["\\Seen", "\\Flagged", "\\Answered"]
  private static let keywords = ["red", "green", "$Blue"]
  private static let servers: [DovecotServer.Options] =
    LaterPullTests.ways + [
      .init(without: ["MOVE"]), .init(without: ["MOVE", "QRESYNC", "CONDSTORE"]),
    ]

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    scenario = try Scenario(random.pick(Self.servers).withoutCostlyLogIns)
    reader = Reader(scenario.mirror)
    for name in ["one", "two"] { try scenario.client.create(name) }
  }

  func play() throws -> [String] {
    for _ in 0..<(6 + random.below(8)) { try deliver() }
    if let problem = try run(["pull", "--no-index"]) { return [problem] + story }
    synced()
    for round in 0..<(2 + random.below(3)) {
      for _ in 0..<random.below(7) { try changeServer() }
      try changeTree()
      var problems = try sync()
      problems += try check()
      if !problems.isEmpty { return ["round \(round)"] + problems + story }
    }
    return []
  }

  // MARK: Syncing

  private func sync() throws -> [String] {
    // One in three is interrupted first; the next plain one makes up for it.
    var wasCut = false
    if random.chance(0.35) {
      wasCut = true
      var cut = TCPProxy.Conditions()
      if random.chance(0.5) {
        cut.cutDown = 400 + random.below(3500)
      } else {
        cut.cutUp = 60 + random.below(1500)
      }
      scenario.proxy.conditions = cut
      _ = try scenario.mirror.run(
        random.chance(0.7) ? ["push"] : ["pull", "--no-index"])
      scenario.proxy.conditions = .init()
      story.append("cut run")
    }
    // Marks that waited here when the other side moved the message follow with the pull, and go with the next push.
    for time in 0..<2 {
      let outcome = try scenario.mirror.run(["sync", "--no-index"])
      // Behind a pull that was cut off new mail waits for the next one, which is said.
      let waits =
        wasCut && time == 0 && outcome.ending == .exited(1)
        && outcome.errorText.contains("a pull has to finish first")
      if outcome.ending != .exited(0), !waits {
        return ["sync: \(outcome.summary) \(scenario.serverLog())"]
      }
    }
    story.append("sync")
    synced()
    return []
  }

  private func run(_ arguments: [String]) throws -> String? {
    let outcome = try scenario.mirror.run(arguments)
    guard outcome.ending != .exited(0) else { return nil }
    return "\(arguments): \(outcome.summary) \(scenario.serverLog())"
  }

  private func synced() {
    for index in messages.indices {
      var message = messages[index]
      let merged = message.remote.union(message.local.subtracting(message.agreed))
        .subtracting(message.agreed.subtracting(message.local))
      message.remote = merged
      message.local = merged
      message.agreed = merged
      message.movedThere = false
      message.isNewHere = false
      message.isNewThere = false
      message.wasRemovedHere = false
      messages[index] = message
    }
  }

  private func check() throws -> [String] {
    var problems: [String] = []
    let tree = try scenario.mirror.tree()
    let state = try scenario.client.mailboxes().map { ($0, try scenario.client.messages(in: $0)) }
    for message in messages {
      let id = Array("<\(message.token)@".utf8)
      let there = state.flatMap { name, all in
        all.filter { contains($0.bytes, id) }.map { (name, $0) }
      }
      let here = tree.messages.filter { contains($0.raw, id) }
      let wanted = message.place.map { [$0] } ?? []
      if there.map(\.0) != wanted {
        problems.append("\(message.token) on the server in \(there.map(\.0)), not \(wanted)")
      }
      if here.map(\.folder) != wanted {
        problems.append("\(message.token) here in \(here.map(\.path)), not \(wanted)")
      }
      guard let one = there.first?.1, let file = here.first else { continue }
      let flags = Set(one.flags.map { $0.lowercased() }).subtracting(["\\recent"])
      if flags != message.agreed {
        problems.append(
          "\(message.token): server \(flags.sorted()), not \(message.agreed.sorted())")
      }
      var marks = Set(file.keywords().map { $0.lowercased() })
      for (flag, letter) in RandomMessage.letters where file.flags.contains(letter) {
        marks.insert(flag)
      }
      if marks != message.agreed {
        problems.append("\(file.path): \(marks.sorted()), not \(message.agreed.sorted())")
      }
    }
    let all = state.reduce(0) { $0 + $1.1.count }
    let expected = messages.count { $0.place != nil }
    if all != expected { problems.append("\(all) messages on the server, not \(expected)") }
    if tree.messages.count != expected {
      problems.append("\(tree.messages.count) files, not \(expected)")
    }
    problems += tree.temporaries.map { "orphan \($0)" }
    scenario.proxy.forget()
    if let problem = try run(["push"]) { problems.append(problem) }
    problems += scenario.proxy.changingCommands.map { "a push at rest sent \($0)" }
    return problems
  }

  // MARK: The server's side

  private func deliver() throws {
    let token = "t\(counter)"
    counter += 1
    let mailbox = random.pick(mailboxes)
    let marks = (Self.flags + Self.keywords).filter { _ in random.chance(0.25) }
    try scenario.append([token], to: mailbox, flags: marks, date: 1_600_000_000 + Int64(counter))
    let set = Set(marks.map { $0.lowercased() })
    messages.append(
      Story(token: token, place: mailbox, remote: set, local: set, agreed: set, isNewThere: true))
    story.append("deliver \(token) to \(mailbox) \(marks)")
  }

  private func changeServer() throws {
    switch random.below(8) {
    case 0, 1: try deliver()
    case 2, 3, 4: try store()
    case 5: try expunge()
    default: try move()
    }
  }

  private func pick(_ even: Bool) -> Int? {
    let candidates = messages.indices.filter {
      messages[$0].place != nil && !messages[$0].isNewHere && (!even || $0 % 2 == 0)
    }
    return candidates.isEmpty ? nil : random.pick(candidates)
  }

  /// Where the server has it now: a reader's moves have not reached it yet.
  private func remotePlace(_ index: Int) throws -> (String, UInt32)? {
    let id = Array("<\(messages[index].token)@".utf8)
    for mailbox in try scenario.client.mailboxes() {
      if let found = try scenario.client.messages(in: mailbox).first(where: {
        contains($0.bytes, id)
      }) {
        return (mailbox, found.uid)
      }
    }
    return nil
  }

  private func store() throws {
    guard let index = pick(false), let (mailbox, uid) = try remotePlace(index) else { return }
    let mark = random.pick(Self.flags + Self.keywords)
    let has = messages[index].remote.contains(mark.lowercased())
    try scenario.client.store([uid], has ? "-FLAGS" : "+FLAGS", [mark], in: mailbox)
    if has {
      messages[index].remote.remove(mark.lowercased())
    } else {
      messages[index].remote.insert(mark.lowercased())
    }
    if messages[index].isNewThere {
      messages[index].local = messages[index].remote
      messages[index].agreed = messages[index].remote
    }
    story.append("store \(messages[index].token) \(has ? "-" : "+")\(mark)")
  }

  private func expunge() throws {
    guard let index = pick(true), let (mailbox, uid) = try remotePlace(index) else { return }
    try scenario.client.expunge([uid], in: mailbox)
    messages[index].place = nil
    story.append("expunge \(messages[index].token)")
  }

  private func move() throws {
    guard let index = pick(true), let (mailbox, uid) = try remotePlace(index) else { return }
    let target = random.pick(mailboxes.filter { $0 != mailbox })
    try scenario.client.move([uid], from: mailbox, to: target)
    messages[index].place = target
    messages[index].movedThere = true
    story.append("move \(messages[index].token) to \(target)")
  }

  // MARK: The reader's side

  private func changeTree() throws {
    let tree = try scenario.mirror.tree()
    for index in messages.indices where random.chance(0.4) && !messages[index].isNewThere {
      guard let file = tree.message(with: "<\(messages[index].token)@") else { continue }
      try change(index, file)
    }
    for _ in 0..<random.below(3) { try compose() }
  }

  private func compose() throws {
    let token = "t\(counter)"
    counter += 1
    let folder = random.pick(mailboxes)
    try reader.deliver(
      SampleMessage(token: token).bytes.filter { $0 != 13 }, name: "17.\(token).host", to: folder,
      flags: "S")
    messages.append(
      Story(
        token: token, place: folder, remote: ["\\seen"], local: ["\\seen"], agreed: ["\\seen"],
        isNewHere: true))
    story.append("reader writes \(token) to \(folder)")
  }

  private func change(_ index: Int, _ file: LocalMessage) throws {
    let token = messages[index].token
    switch random.below(index % 2 == 1 ? 10 : 6) {
    case 0, 1, 2:
      let (flag, letter) = random.pick(RandomMessage.letters.filter { $0.0 != "\\draft" })
      let has = file.flags.contains(letter)
      try reader.setFlags(file, has ? file.flags.filter { $0 != letter } : file.flags + [letter])
      toggle(index, flag, has)
    case 3, 4, 5:
      let keyword = random.pick(Self.keywords)
      let now = file.keywords()
      let has = now.contains { $0.lowercased() == keyword.lowercased() }
      let wanted =
        has ? now.filter { $0.lowercased() != keyword.lowercased() } : now.union([keyword])
      try reader.setKeywords(file, wanted.sorted())
      toggle(index, keyword.lowercased(), has)
    case 6, 7:
      let target = random.pick(mailboxes.filter { $0 != file.folder })
      try reader.move(file, to: target)
      messages[index].place = target
      story.append("reader moves \(token) to \(target)")
    case 8:
      // As neomutt does: a new file with a new name.
      let target = random.pick(mailboxes.filter { $0 != file.folder })
      try reader.deliver(
        file.raw, name: "18.\(counter).\(token).host", to: target, flags: file.flags)
      try reader.remove(file)
      counter += 1
      messages[index].place = target
      story.append("reader saves \(token) to \(target)")
    default:
      guard !messages[index].isNewHere else { return }
      try reader.remove(file)
      messages[index].place = file.folder == "Trash" ? nil : "Trash"
      // Marks that were set here and never sent go with the file.
      messages[index].local = messages[index].agreed
      messages[index].wasRemovedHere = true
      story.append("reader removes \(token)")
    }
  }

  private func toggle(_ index: Int, _ mark: String, _ has: Bool) {
    if has {
      messages[index].local.remove(mark)
    } else {
      messages[index].local.insert(mark)
    }
    if messages[index].isNewHere {
      messages[index].remote = messages[index].local
      messages[index].agreed = messages[index].local
    }
    story.append("reader \(has ? "clears" : "sets") \(mark) of \(messages[index].token)")
  }
}
