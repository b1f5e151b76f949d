import Foundation
import MailTestKit
import Testing

/// Two clients on the server and a mail reader in the tree change things at random between pulls. After quiet
/// the tree is the server's state plus exactly the local changes that wait for a push.
///
/// Some messages are moved and expunged by the server's side only, some by the reader only, and some by both: what both
/// moved is where the reader put it, and what the reader edited, or the server expunged, stays as a local message. Flags
/// and keywords change on both sides at once.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct RandomTests {
  static let batches = Seeds.batches(50, long: 10_000)

  @Test(arguments: batches) func `after quiet the tree is the server's state plus what waits here`(
    seeds: ClosedRange<UInt64>
  ) throws {
    var contested = 0
    defer {
      print(
        "\(seeds.count) seeds played, from \(seeds.lowerBound): \(contested) messages contested")
    }
    for seed in seeds {
      do {
        let run = try RandomRun(seed: seed)
        let problems = try run.play()
        contested += run.messages.count(where: \.wasContested)
        guard !problems.isEmpty else { continue }
        Issue.record("seed \(seed): \(problems.prefix(60).joined(separator: "; "))")
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
    #expect(contested > 0 || seeds.count < 25, "the sides never meet")
  }
}

/// One seed's story.
final class RandomRun {
  let scenario: Scenario
  let reader: Reader
  /// Two sessions of other people's, or of the same person's telephone.
  let clients: [IMAPTestClient]
  var random: SeededGenerator
  var messages: [RandomMessage] = []
  var drafts: [RandomDraft] = []
  var mailboxes = ["INBOX", "Archive", "Sent"]
  var counter = 0
  var story: [String] = []
  var renames = FolderRenames()

  static let keywords = ["red", "green", "$Blue"]
  private static let servers: [DovecotServer.Options] = LaterPullTests.ways

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    scenario = try Scenario(random.pick(Self.servers).withoutCostlyLogIns)
    clients = [scenario.client, try scenario.anotherClient()]
    reader = Reader(scenario.mirror)
    for name in ["one", "two"] {
      try scenario.client.create(name)
      mailboxes.append(name)
    }
  }

  /// Plays it to the end; what is wrong, in words.
  func play() throws -> [String] {
    for _ in 0..<(6 + random.below(10)) { try deliver() }
    var problems = try pull()
    for round in 0..<(2 + random.below(3)) {
      for _ in 0..<(1 + random.below(8)) { try changeServer() }
      try changeTree()
      problems += try pull()
      problems += try check()
      if !problems.isEmpty { return ["round \(round)"] + problems + story }
    }
    return try checkQuiet()
  }

  private func pull() throws -> [String] {
    var said = ""
    // One in five is interrupted first; the next plain run makes up for it.
    if random.chance(0.2) {
      var cut = TCPProxy.Conditions()
      cut.cutDown = 200 + random.below(6000)
      scenario.proxy.conditions = cut
      said = try scenario.mirror.pull().errorText
      scenario.proxy.conditions = .init()
      story.append("cut pull")
    }
    scenario.proxy.forget()
    let outcome = try scenario.mirror.pull()
    if outcome.ending != .exited(0) {
      throw KitError("pull: \(outcome.summary) \(story) \(scenario.serverLog())")
    }
    said += outcome.errorText
    story.append("pull")
    var problems: [String] = []
    for index in messages.indices where messages[index].pulled(renames) {
      guard !said.contains("edited here") else { continue }
      problems.append("nothing said of \(messages[index].token), which was edited here: \(said)")
    }
    for index in drafts.indices { drafts[index].folder = renames.newName(drafts[index].folder) }
    renames = FolderRenames()
    return problems
  }

  private func check() throws -> [String] {
    let tree = try scenario.mirror.tree()
    for index in messages.indices { messages[index].settle(in: tree) }
    var problems = messages.flatMap { $0.problems(in: tree) }
    problems += drafts.flatMap { $0.problems(in: tree) }
    problems += tree.temporaries.map { "orphan \($0)" }
    let expected = messages.reduce(drafts.count) { $0 + $1.files }
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
}
