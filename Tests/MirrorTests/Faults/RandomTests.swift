import Foundation
import MailTestKit
import Testing

/// Two clients on the server and a mail reader in the tree change things at random between pulls. After quiet
/// the tree is the server's state plus exactly the local changes that wait for a push.
///
/// Messages with even numbers are moved and expunged by the server's side only, those with odd numbers by the
/// reader only; flags and keywords change on both sides at once. `MIRROR_TEST_SEED` runs one seed alone.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct RandomTests {
  static let batches: [ClosedRange<UInt64>] = {
    if let text = ProcessInfo.processInfo.environment["MIRROR_TEST_SEED"], let seed = UInt64(text) {
      return [seed...seed]
    }
    let count: UInt64 = Machine.long ? 10_000 : 300
    return stride(from: 1, to: count + 1, by: 25).map { $0...min($0 + 24, count) }
  }()

  @Test(arguments: batches) func `after quiet the tree is the server's state plus what waits here`(
    seeds: ClosedRange<UInt64>
  ) throws {
    defer { print("\(seeds.count) seeds played, from \(seeds.lowerBound)") }
    for seed in seeds {
      let problems = try RandomRun(seed: seed).play()
      if !problems.isEmpty {
        Issue.record("seed \(seed): \(problems.prefix(40).joined(separator: "; "))")
      }
    }
  }
}

/// One seed's story.
final class RandomRun {
  private let scenario: Scenario
  private let reader: Reader
  private var random: SeededGenerator
  private var messages: [RandomMessage] = []
  private var mailboxes = ["INBOX", "Archive", "Sent"]
  private var counter = 0
  private(set) var story: [String] = []
  /// New names of mailboxes renamed since the last pull.
  private var renamed: Set<String> = []

  private static let flags = ["\\Seen", "\\Flagged", "\\Answered", "\\Draft"]
  private static let keywords = ["red", "green", "$Blue"]
  private static let servers: [DovecotServer.Options] = LaterPullTests.ways

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    scenario = try Scenario(random.pick(Self.servers).withoutCostlyLogIns)
    reader = Reader(scenario.mirror)
    for name in ["one", "two"] {
      try scenario.client.create(name)
      mailboxes.append(name)
    }
  }

  /// Plays it to the end; what is wrong, in words.
  func play() throws -> [String] {
    for _ in 0..<(6 + random.below(10)) { try deliver() }
    try pull()
    for round in 0..<(2 + random.below(3)) {
      for _ in 0..<(1 + random.below(8)) { try changeServer() }
      try changeTree()
      try pull()
      let problems = try check()
      if !problems.isEmpty { return ["round \(round)"] + problems + story }
    }
    return try checkQuiet()
  }

  private func pull() throws {
    // One in five is interrupted first; the next plain run makes up for it.
    if random.chance(0.2) {
      var cut = TCPProxy.Conditions()
      cut.cutDown = 200 + random.below(6000)
      scenario.proxy.conditions = cut
      _ = try scenario.mirror.pull()
      scenario.proxy.conditions = .init()
      story.append("cut pull")
    }
    scenario.proxy.forget()
    let outcome = try scenario.mirror.pull()
    if outcome.ending != .exited(0) {
      throw KitError("pull: \(outcome.summary) \(story) \(scenario.serverLog())")
    }
    for index in messages.indices { messages[index].pulled() }
    renamed = []
    story.append("pull")
  }

  private func check() throws -> [String] {
    let tree = try scenario.mirror.tree()
    var problems = messages.flatMap { $0.problems(in: tree) }
    problems += tree.temporaries.map { "orphan \($0)" }
    let expected = messages.count { $0.local != nil }
    if tree.messages.count != expected {
      problems.append("\(tree.messages.count) files, not \(expected)")
    }
    if !scenario.proxy.changingCommands.isEmpty {
      problems.append("a pull sent \(scenario.proxy.changingCommands)")
    }
    return problems
  }

  private func checkQuiet() throws -> [String] {
    let before = TreeSnapshot(scenario.mirror.account, leavingOut: Scenario.isBookkeeping)
    scenario.proxy.forget()
    let outcome = try scenario.mirror.pull()
    let after = TreeSnapshot(scenario.mirror.account, leavingOut: Scenario.isBookkeeping)
    var problems = try check()
    if outcome.ending != .exited(0) { problems.append(outcome.summary) }
    problems += before.changes(to: after).map { "a quiet run changed \($0)" }
    problems += scenario.bodyFetches.map { "a quiet run sent \($0)" }
    return problems.isEmpty ? [] : problems + story
  }

  // MARK: The server's side

  private func deliver() throws {
    let token = "t\(counter)"
    counter += 1
    let mailbox = random.pick(mailboxes)
    let flags = (Self.flags + Self.keywords).filter { _ in random.chance(0.25) }
    try scenario.append([token], to: mailbox, flags: flags, date: 1_600_000_000 + Int64(counter))
    messages.append(RandomMessage(token: token, mailbox: mailbox, flags: flags))
    story.append("deliver \(token) to \(mailbox) \(flags)")
  }

  private func changeServer() throws {
    switch random.below(10) {
    case 0, 1: try deliver()
    case 2, 3, 4, 5: try store()
    case 6: try expunge()
    case 7, 8: try move()
    default: try renameMailbox()
    }
  }

  /// The index of a message that the server has; with an even number where it may go away.
  private func pickRemote(even: Bool) -> Int? {
    let candidates = messages.indices.filter {
      messages[$0].mailbox != nil && (!even || $0 % 2 == 0)
    }
    return candidates.isEmpty ? nil : random.pick(candidates)
  }

  private func store() throws {
    guard let index = pickRemote(even: false), let mailbox = messages[index].mailbox else { return }
    let mark = random.pick(Self.flags + Self.keywords)
    let adds = !messages[index].remote.contains(mark.lowercased())
    let uid = try scenario.client.uid(of: messages[index].token, in: mailbox)
    try scenario.client.store([uid], adds ? "+FLAGS" : "-FLAGS", [mark], in: mailbox)
    if adds {
      messages[index].remote.insert(mark.lowercased())
    } else {
      messages[index].remote.remove(mark.lowercased())
    }
    story.append("store \(messages[index].token) \(adds ? "+" : "-")\(mark)")
  }

  private func expunge() throws {
    guard let index = pickRemote(even: true), let mailbox = messages[index].mailbox,
      mayLeave(mailbox)
    else { return }
    let uid = try scenario.client.uid(of: messages[index].token, in: mailbox)
    try scenario.client.expunge([uid], in: mailbox)
    messages[index].mailbox = nil
    if messages[index].agreed == nil { messages[index].local = nil }
    story.append("expunge \(messages[index].token)")
  }

  /// A renamed mailbox is known again by what it held: something of that has to stay in it.
  private func mayLeave(_ mailbox: String) -> Bool {
    !renamed.contains(mailbox) || settled(in: mailbox) > 1
  }

  private func settled(in mailbox: String) -> Int {
    messages.count { $0.agreed != nil && $0.mailbox == mailbox && !$0.hasMoved }
  }

  private func move() throws {
    guard let index = pickRemote(even: true), let mailbox = messages[index].mailbox,
      mayLeave(mailbox)
    else { return }
    let target = random.pick(mailboxes.filter { $0 != mailbox })
    let uid = try scenario.client.uid(of: messages[index].token, in: mailbox)
    try scenario.client.move([uid], from: mailbox, to: target)
    messages[index].mailbox = target
    messages[index].hasMoved = true
    story.append("move \(messages[index].token) to \(target)")
  }

  private func renameMailbox() throws {
    let candidates = mailboxes.filter { !["INBOX", "Archive", "Sent"].contains($0) }
    guard !candidates.isEmpty else { return }
    let old = random.pick(candidates)
    guard settled(in: old) > 0 else { return }
    let new = "box\(counter)"
    counter += 1
    // A mailbox cannot be renamed while the client has it open.
    try scenario.client.select("INBOX")
    try scenario.client.rename(old, to: new)
    mailboxes = mailboxes.map { $0 == old ? new : $0 }
    renamed.insert(new)
    for index in messages.indices {
      if messages[index].mailbox == old { messages[index].mailbox = new }
      if messages[index].wasMovedHere, messages[index].folder == old {
        messages[index].liesAnywhere = true
      }
    }
    story.append("rename \(old) to \(new)")
  }

  // MARK: The reader's side

  private func changeTree() throws {
    let tree = try scenario.mirror.tree()
    for index in messages.indices where messages[index].local != nil && random.chance(0.35) {
      guard let file = tree.message(with: "<\(messages[index].token)@") else { continue }
      try change(index, file, tree.folders)
    }
  }

  private func change(_ index: Int, _ file: LocalMessage, _ folders: [String]) throws {
    let token = messages[index].token
    switch random.below(index % 2 == 1 ? 9 : 6) {
    case 0, 1, 2:
      let (flag, letter) = random.pick(RandomMessage.letters)
      let has = file.flags.contains(letter)
      try reader.setFlags(file, has ? file.flags.filter { $0 != letter } : file.flags + [letter])
      toggle(index, flag, has)
      story.append("reader \(has ? "clears" : "sets") \(flag) of \(token)")
    case 3, 4, 5:
      let keyword = random.pick(Self.keywords)
      let now = file.keywords()
      let has = now.contains { $0.lowercased() == keyword.lowercased() }
      let wanted =
        has ? now.filter { $0.lowercased() != keyword.lowercased() } : now.union([keyword])
      try reader.setKeywords(file, wanted.sorted())
      toggle(index, keyword.lowercased(), has)
      story.append("reader \(has ? "clears" : "sets") \(keyword) of \(token)")
    case 6:
      let target = random.pick(folders.filter { $0 != file.folder })
      try reader.move(file, to: target)
      messages[index].folder = target
      messages[index].wasMovedHere = true
      messages[index].liesAnywhere = !mailboxes.contains(target)
      story.append("reader moves \(token) to \(target)")
    case 7:
      try reader.remove(file)
      (messages[index].local, messages[index].folder) = (nil, nil)
      messages[index].wasRemovedHere = true
      story.append("reader removes \(token)")
    default:
      try reader.rewrite(file, file.raw + Array("edited here\n".utf8))
      messages[index].wasEdited = true
      story.append("reader edits \(token)")
    }
  }

  private func toggle(_ index: Int, _ mark: String, _ has: Bool) {
    if has {
      messages[index].local?.remove(mark)
    } else {
      messages[index].local?.insert(mark)
    }
  }
}
