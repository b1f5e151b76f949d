import MailTestKit
import Testing

/// A server, a mail reader and the commands that fill and empty messages, at random, with runs that are cut and killed in
/// between. No message is lost or doubled, none of what lacks parts reaches the server, and filled again the tree is the
/// server's.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct RandomStubTests {
  @Test(arguments: Seeds.batches(12, long: 500))
  func `at rest every message is where it was put, once, and whole when filled`(
    seeds: ClosedRange<UInt64>
  ) throws {
    for seed in seeds {
      do {
        let run = try RandomStubRun(seed: seed)
        let problems = try run.play()
        if problems.isEmpty { continue }
        Issue.record("seed \(seed): \(problems.joined(separator: "; ")); \(run.story)")
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }
}

/// One seed's story.
private final class RandomStubRun {
  let scenario: Scenario
  let reader: Reader
  var random: SeededGenerator
  /// By token: where it has to be, nil once somebody removed it, and its bytes.
  var places: [String: String?] = [:]
  var bytes: [String: [UInt8]] = [:]
  var story: [String] = []
  private static let folders = ["INBOX", "Archive", "Work"]

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    let cache = random.chance(0.5) ? "150kB" : "500MB"
    scenario = try Scenario(
      random.pick(LaterPullTests.ways).withoutCostlyLogIns,
      sync: "on-demand = \"20kB\"\ncache = \"\(cache)\"\ndeletions = \"expunge\"")
    reader = Reader(scenario.mirror)
    for name in Self.folders.dropFirst() { try scenario.client.create(name) }
  }

  func play() throws -> [String] {
    for _ in 0..<(4 + random.below(4)) { try deliver() }
    try expect("pull")
    for _ in 0..<(3 + random.below(4)) {
      var free = Set(places.compactMap { $0.value == nil ? nil : $0.key })
      for _ in 0..<(1 + random.below(4)) { try changeServer(&free) }
      for _ in 0..<(1 + random.below(4)) { try changeTree(&free) }
      if random.chance(0.6) { try fillOrEmpty() }
      for command in random.chance(0.5) ? ["push", "pull"] : ["pull", "push", "pull"] {
        try expect(command)
      }
      let problems = try check()
      if !problems.isEmpty { return problems }
    }
    try expect("push")
    try expect("pull")
    try expect("fill", "--all")
    return try check()
      + scenario.oracle.differences(scenario.mirror.tree(), scenario.client.state())
  }

  // MARK: What happens

  private func deliver() throws {
    let token = "t\(places.count)"
    let isLarge = random.chance(0.7)
    let message = OnDemandMail.mixed(
      token, octets: isLarge ? 30_000 + random.below(60_000) : 900,
      flags: random.chance(0.5) ? ["\\Seen"] : ["Work"], seed: random.next())
    let folder = random.pick(Self.folders)
    try scenario.client.append([message], to: folder)
    places[token] = folder
    bytes[token] = message.bytes
    story.append("+\(token) in \(folder)")
  }

  /// Each message is touched by one side between two runs.
  private func changeServer(_ free: inout Set<String>) throws {
    guard random.chance(0.7), let token = free.sorted().first(where: { _ in random.chance(0.3) }),
      let folder = places[token] ?? nil
    else { return try deliver() }
    free.remove(token)
    let uid = [try scenario.client.uid(of: token, in: folder)]
    switch random.below(4) {
    case 0:
      let target = random.pick(Self.folders.filter { $0 != folder })
      try scenario.client.move(uid, from: folder, to: target)
      places[token] = target
      story.append("server moves \(token) to \(target)")
    case 1:
      try scenario.client.expunge(uid, in: folder)
      places[token] = .some(nil)
      story.append("server expunges \(token)")
    default:
      let flag = random.pick(["\\Flagged", "\\Seen", "Later"])
      try scenario.client.store(uid, random.chance(0.7) ? "+FLAGS" : "-FLAGS", [flag], in: folder)
      story.append("server flags \(token)")
    }
  }

  private func changeTree(_ free: inout Set<String>) throws {
    guard let token = free.sorted().first(where: { _ in random.chance(0.4) }),
      let folder = places[token] ?? nil,
      let local = try scenario.local("<\(token)@", in: folder)
    else { return }
    free.remove(token)
    switch random.below(5) {
    case 0:
      let target = random.pick(Self.folders.filter { $0 != folder })
      try reader.move(local, to: target)
      places[token] = target
      story.append("reader moves \(token) to \(target)")
    case 1:
      try reader.remove(local)
      places[token] = .some(nil)
      story.append("reader removes \(token)")
    case 2:
      try reader.setKeywords(local, [random.pick(["red", "green"])])
      story.append("reader tags \(token)")
    default:
      try reader.setFlags(local, random.pick(["S", "FS", "RS", "F"]))
      story.append("reader flags \(token)")
    }
  }

  private func fillOrEmpty() throws {
    let command = random.pick(["fill", "fill", "stub"])
    let arguments = [command, "--all"]
    story.append(arguments.joined(separator: " "))
    if FaultRun.isPossible, random.chance(0.4) {
      var fault = FaultRun(scenario.mirror)
      fault.arguments = arguments
      let call = random.pick(FaultRun.calls)
      let number = 1 + random.below(12)
      _ = try fault.kill(at: call, number)
      story.append("killed at \(call) \(number)")
      return
    }
    if random.chance(0.3) {
      var cut = TCPProxy.Conditions()
      cut.cutDown = 2_000 + random.below(80_000)
      scenario.proxy.conditions = cut
      story.append("cut")
    }
    defer { scenario.proxy.conditions = .init() }
    _ = try scenario.mirror.run(arguments)
  }

  /// The cache is emptied at once where it is small.
  private func expect(_ command: String, _ arguments: String...) throws {
    story.append(command)
    let outcome = try scenario.mirror.run(
      [command] + arguments + (command == "pull" ? ["--no-index"] : []),
      more: command == "pull" ? ["MIRROR_CACHE_SECONDS": "0"] : [:])
    // What was asked for and removed here before it came is told.
    let isTold = outcome.status == 1 && outcome.errorText.contains("no push has followed it yet")
    guard outcome.ending == .exited(0) || isTold else {
      throw KitError("\(outcome.summary) \(story) \(scenario.serverLog())")
    }
  }

  // MARK: What holds

  private func check() throws -> [String] {
    let tree = try scenario.mirror.tree()
    var problems = tree.temporaries.map { "orphan \($0)" }
    var onServer: [String: [(folder: String, bytes: [UInt8])]] = [:]
    for folder in Self.folders {
      for message in try scenario.client.messages(in: folder) {
        let token = bytes.first { $0.value == message.bytes }?.key ?? "a message that nobody sent"
        onServer[token, default: []].append((folder, message.bytes))
      }
    }
    for token in onServer.keys where places[token] == nil { problems.append(token) }
    for (token, place) in places {
      let found = (onServer[token] ?? []).map(\.folder)
      if found != [place].compactMap(\.self) {
        problems.append("\(token) is on the server in \(found), not \(place ?? "gone")")
      }
      let here = try Self.folders.filter { try scenario.local("<\(token)@", in: $0) != nil }
      if here != [place].compactMap(\.self) || tree.count(of: "<\(token)@") != here.count {
        problems.append("\(token) is here in \(here), not \(place ?? "gone")")
      }
    }
    return problems
  }
}
