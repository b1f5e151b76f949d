import Foundation
import MailTestKit
import Testing

/// Promise 2 for a push: killed at any system call, or cut off at any byte, it neither repeats nor loses anything.
///
/// The next run is a push in one half of the cases, and in the other a pull, which must not mistake what is under way.
///
/// In CI only a few places are tried of each: SyncTests lets a push die at every commit and every command.
@Suite(.onBlockingThreads, .enabled(if: Machine.canInject), .counted) struct PushKillTests {
  static let calls = [
    "write", "pwrite64", "fsync", "fdatasync", "sendto", "recvfrom", "read", "renameat2",
    "utimensat",
    "unlink", "openat",
  ]

  /// With MOVE, and without: then each message is copied, confirmed, and expunged.
  static let servers: [DovecotServer.Options] = [
    .init(), .init(without: ["MOVE"]), .init(without: ["MOVE", "UIDPLUS", "CONDSTORE", "QRESYNC"]),
  ]

  /// Runs that were really stopped, by a kill or by a cut that came to pass, and cases that ran.
  static let points = Locked(0)
  static let cases = Locked(0)
  static let allCases = calls.count * servers.count + Direction.allCases.count * servers.count

  /// How often each call is made in a push that is left alone, by server.
  private static let callsOfPush = Result {
    try servers.map { options in
      let account = try Account(options)
      var run = FaultRun(account.scenario.mirror)
      run.arguments = ["push"]
      let (outcome, counts) = try run.counts(of: calls)
      guard outcome.status == 0 else { throw KitError("\(options): \(outcome.summary)") }
      try account.expectConverged("without a kill", pullsFirst: false)
      return counts
    }
  }

  @Test(arguments: calls, servers.indices) func `killed at a system call, the next run converges`(
    call: String, server: Int
  ) throws {
    defer { Self.cases.change { $0 += 1 } }
    let total = try Self.callsOfPush.get()[server][call] ?? 0
    for (index, number) in steps(total, most: Machine.long ? 100 : 3).enumerated() {
      let account = try Account(Self.servers[server])
      var run = FaultRun(account.scenario.mirror)
      run.arguments = ["push"]
      let killed = try run.kill(at: call, number)
      try account.expectConverged(
        "after \(call) number \(number) of \(total)", pullsFirst: index % 2 == 1)
      if killed.ending == .signalled(9) { Self.points.change { $0 += 1 } }
    }
  }

  enum Direction: String, CaseIterable { case down, up }

  @Test(arguments: Direction.allCases, servers.indices)
  func `cut at a byte, the next run converges`(direction: Direction, server: Int) throws {
    defer { Self.cases.change { $0 += 1 } }
    let probe = try Account(Self.servers[server])
    try probe.scenario.push()
    let proxy = probe.scenario.proxy
    let total = direction == .down ? proxy.bytesDown : proxy.bytesUp
    for (index, number) in steps(total, most: Machine.long ? 200 : 4).enumerated() {
      let account = try Account(Self.servers[server])
      var cut = TCPProxy.Conditions()
      if direction == .down { cut.cutDown = number } else { cut.cutUp = number }
      // Every other one finds the server there again within the same run.
      if index % 2 == 0 { cut.cuts = 1 }
      account.scenario.proxy.conditions = cut
      let outcome = try account.scenario.mirror.run(["push"])
      #expect(
        [0, 1, 69].contains(outcome.status ?? -1),
        "cut \(direction) at \(number): \(outcome.summary)"
      )
      let wasCut = account.scenario.proxy.records.contains(where: \.wasCut)
      account.scenario.proxy.conditions = .init()
      try account.expectConverged(
        "after a cut \(direction) at byte \(number) of \(total)", pullsFirst: index % 4 > 1)
      if wasCut { Self.points.change { $0 += 1 } }
    }
  }

  private func steps(_ total: Int, most: Int) -> [Int] {
    guard total > most else { return total > 0 ? Array(1...total) : [] }
    return Array(Set((0..<most).map { 1 + $0 * (total - 1) / (most - 1) })).sorted()
  }

  /// A small account with every kind of change waiting.
  final class Account {
    let scenario: Scenario

    init(_ options: DovecotServer.Options) throws {
      scenario = try Scenario(options)
      try scenario.client.create("Work")
      try scenario.append((0..<10).map { "m\($0)" })
      try scenario.append(["d0"], to: "Drafts", flags: ["\\Draft"])
      try scenario.append(["t0"], to: "Trash")
      for (name, token) in [("Old", "o0"), ("Old/Sub", "s0")] {
        try scenario.client.create(name)
        try scenario.append([token], to: name)
      }
      try scenario.pull()
      let reader = Reader(scenario.mirror)
      try reader.setFlags(#require(try scenario.local("m0@")), "F")
      try reader.setKeywords(#require(try scenario.local("m1@")), ["mine"])
      try reader.move(#require(try scenario.local("m2@")), to: "Work")
      try reader.move(#require(try scenario.local("m3@")), to: "Archive")
      try reader.setFlags(#require(try scenario.local("m3@")), "S")
      try reader.remove(#require(try scenario.local("m4@")))
      try reader.remove(#require(try scenario.local("t0@")))
      let copied = try #require(try scenario.local("m5@"))
      try reader.deliver(copied.raw, name: "17.1_copy.host", to: "Work", flags: "S")
      try FileManager.default.moveItem(
        atPath: scenario.mirror.account + "/Old", toPath: scenario.mirror.account + "/New")
      try reader.move(#require(try scenario.local("m6@")), to: "New")
      let draft = try #require(try scenario.local("d0@"))
      try reader.rewrite(draft, draft.raw + Array("one more line\n".utf8))
      for (number, folder) in ["Work", "Work", "Sent", "Fresh"].enumerated() {
        for part in ["tmp", "new", "cur"] {
          try FileManager.default.createDirectory(
            atPath: "\(scenario.mirror.account)/\(folder)/\(part)",
            withIntermediateDirectories: true)
        }
        try reader.deliver(
          SampleMessage(token: "n\(number)").bytes.filter { $0 != 13 }, name: "17.1_\(number).host",
          to: folder, flags: "S")
      }
    }

    /// Everything, on either side: where it lies, its flags and keywords, and that it is whole.
    static let wanted: [String] =
      [
        "m0 in INBOX F []", "m1 in INBOX  [mine]", "m2 in Work  []", "m3 in Archive S []",
        "m4 in Trash  []", "d0 in Drafts D []", "n0 in Work S []", "n1 in Work S []",
        "n2 in Sent S []", "n3 in Fresh S []", "m5 in INBOX  []", "m5 in Work S []",
        "m6 in New  []", "o0 in New  []", "s0 in New/Sub  []",
      ] + (7..<10).map { "m\($0) in INBOX  []" }

    /// As the server has to hold it.
    private static let contents: [String: [UInt8]] = {
      let tokens = (0..<10).map { "m\($0)" } + (0..<4).map { "n\($0)" } + ["t0", "o0", "s0"]
      var contents = Dictionary(
        uniqueKeysWithValues: tokens.map { ($0, SampleMessage(token: $0).bytes) })
      contents["d0"] = SampleMessage(token: "d0").bytes + Array("one more line\r\n".utf8)
      return contents
    }()

    private static func described(
      _ bytes: [UInt8], in folder: String, flags: String, keywords: Set<String>
    ) -> String {
      let token = contents.keys.first { contains(bytes, Array("<\($0)@".utf8)) }
      let place = "in \(folder) \(flags) [\(keywords.sorted().joined(separator: ","))]"
      guard let token else { return "a stranger \(place)" }
      return "\(token) \(place)" + (contents[token] == bytes ? "" : ", other bytes")
    }

    /// All messages of the server but those that wait for somebody's EXPUNGE.
    private func remote() throws -> [String] {
      try scenario.client.state().flatMap { mailbox, messages in
        messages.filter { !$0.flags.contains("\\Deleted") }.map {
          Self.described(
            $0.bytes, in: mailbox, flags: $0.letters, keywords: $0.keywords)
        }
      }
    }

    private func local(_ tree: MaildirTree) -> [String] {
      tree.messages.map {
        Self.described(
          crlf(String(decoding: $0.content(), as: UTF8.self)), in: $0.folder, flags: $0.flags,
          keywords: $0.keywords())
      }
    }

    private static func problems(_ side: String, _ found: [String]) -> [String] {
      found.sorted().difference(from: wanted.sorted()).map { change in
        switch change {
        case .insert(_, let message, _): "\(side): \(message), which is wrong, or once too often"
        case .remove(_, let message, _): "\(side): missing is \(message)"
        }
      }
    }

    /// One plain push makes all well; after that both directions rest.
    func expectConverged(_ when: String, pullsFirst: Bool) throws {
      let when = when + (pullsFirst ? ", a pull next" : ", a push next")
      if pullsFirst {
        let pulled = try scenario.mirror.pull()
        #expect(pulled.ending == .exited(0), "\(when): \(pulled.summary)")
      }
      let pushed = try scenario.mirror.run(["push"])
      #expect(pushed.ending == .exited(0), "\(when): \(pushed.summary)")
      var problems = Self.problems("server", try remote())
      // A pull of a server without CONDSTORE looks into every mailbox, and makes the folder for it again.
      if !pullsFirst {
        let names = try scenario.client.mailboxes()
        problems += names.filter { $0.hasPrefix("Old") }.map { "server: \($0) is still there" }
      }
      for _ in 0..<2 {
        let pulled = try scenario.mirror.pull()
        #expect(pulled.ending == .exited(0), "\(when): \(pulled.summary)")
      }
      let tree = try scenario.mirror.tree()
      problems += Self.problems("tree", local(tree))
      problems += tree.temporaries
      scenario.proxy.forget()
      let last = try scenario.mirror.run(["push"])
      if last.ending != .exited(0) { problems.append(last.summary) }
      problems += scenario.proxy.changingCommands.map { "a push at rest sent \($0)" }
      #expect(problems == [], "\(when)")
    }
  }
}

/// After all cases: so many points at least were tried.
struct CountedPoints: SuiteTrait, TestScoping {
  var isRecursive: Bool { false }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await function()
    guard PushKillTests.cases.value == PushKillTests.allCases else { return }
    let points = PushKillTests.points.value
    print("\(points) kill and cut points of a push")
    #expect(points >= 90, "\(points) points")
  }
}

extension Trait where Self == CountedPoints {
  static var counted: Self { CountedPoints() }
}
