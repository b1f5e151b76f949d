import MailTestKit
import Testing

/// A few of the many places of large runs, by chance but nearly the same on every machine.
extension KillTests {
  enum Large: Int, CaseIterable {
    /// Into an empty tree.
    case first
    /// After the server renamed, moved, expunged and marked.
    case later
    /// From a server that shows the same message in several mailboxes: they are linked.
    case linked

    func scene() throws -> any LargeScene {
      switch self {
      case .first, .later: try ChangedMail(isLater: self == .later)
      case .linked: try SharedMail()
      }
    }
  }

  /// How many seeds were tried, and killed a run.
  static let large = Locked((tried: 0, killed: 0))

  /// How often each call is made in each of these runs, by the thread that makes it most.
  private static let counts = Result {
    try Dictionary(
      uniqueKeysWithValues: Large.allCases.map { kind in
        let scene = try kind.scene()
        let (outcome, counts) = try FaultRun(scene.mirror).counts()
        guard outcome.status == 0 else { throw KitError("\(kind): \(outcome.summary)") }
        try scene.expectWhole()
        return (kind, counts)
      })
  }

  /// Each is as likely as the others, however rarely it is made; its N is any of those that come.
  @Test(arguments: 1...(Machine.long ? 150 : 9)) func `a large pull killed anywhere is made whole`(
    seed: Int
  ) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let kind = Large.allCases[seed % Large.allCases.count]
    let counts = try Self.counts.get()[kind] ?? [:]
    let call = random.pick(counts.filter { $0.value > 0 }.keys.sorted())
    var number = 1 + random.below(counts[call] ?? 1)
    var isKilled = false
    // In small batches, whose files go their way beside what comes, or in one for each mailbox.
    let more = seed.isMultiple(of: 2) ? ["MIRROR_BATCH_MESSAGES": "20"] : [:]
    while !isKilled, number > 0 {
      isKilled = try self.isKilled(kind, at: call, number, of: counts[call] ?? 0, more)
      number /= 2
    }
    Self.large.change { $0 = ($0.tried + 1, $0.killed + (isKilled ? 1 : 0)) }
  }

  /// False where the run ended first: with its work shared out otherwise among its threads, the N-th call may not come.
  private func isKilled(
    _ kind: Large, at call: String, _ number: Int, of total: Int, _ more: [String: String]
  ) throws -> Bool {
    let scene = try kind.scene()
    var run = FaultRun(scene.mirror)
    run.more = more
    let outcome = try run.kill(at: call, number)
    let isKilled = outcome.ending == .signalled(9)
    let what = "\(kind): \(call) number \(number) of \(total) \(more)"
    #expect(isKilled || outcome.ending == .exited(0), "\(what)")
    if isKilled { Self.points.change { $0 += 1 } }
    try scene.expectWhole()
    return isKilled
  }

  @Test func `the large runs make every call that moves, links or removes a file`() throws {
    let counts = try Self.counts.get()
    func made(_ kind: Large, _ calls: String...) -> Bool {
      calls.contains { (counts[kind]?[$0] ?? 0) > 0 }
    }
    #expect(made(.first, "rename", "renameat", "renameat2"), "\(counts)")
    #expect(made(.later, "unlink", "unlinkat"), "\(counts)")
    #expect(made(.linked, "link", "linkat"), "\(counts)")
  }
}

/// An account before its large pull.
protocol LargeScene {
  var mirror: MirrorProgram { get }
  /// One plain run makes all well; one more does nothing.
  func expectWhole() throws
}

/// Eight mailboxes on Dovecot.
private final class ChangedMail: LargeScene {
  private let scenario: Scenario
  var mirror: MirrorProgram { scenario.mirror }

  init(isLater: Bool) throws {
    scenario = try Scenario()
    for number in 0..<8 {
      let name = number == 0 ? "INBOX" : "box\(number)"
      if number > 0 { try scenario.client.create(name) }
      try scenario.fill(75, seed: UInt64(number), mailbox: name)
    }
    if isLater { try change() }
  }

  private func change() throws {
    try scenario.pull()
    let client = scenario.client
    for number in 1..<6 {
      let name = "box\(number)"
      try client.expunge(Array(1...20), in: name)
      try client.move(Array(21...35), from: name, to: "box\(number + 1)")
      try client.store(Array(36...50), "+FLAGS", ["\\Flagged", "topic"], in: name)
    }
    try client.select("INBOX")
    try client.rename("box7", to: "renamed")
    try scenario.fill(75, seed: 9, mailbox: "INBOX")
  }

  func expectWhole() throws {
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }
}

/// Three mailboxes of a server with EMAILID, one of which the tree has already.
private final class SharedMail: LargeScene {
  private let lie: Lie
  var mirror: MirrorProgram { lie.mirror }

  init() throws {
    lie = try Lie(.modern, mailboxes: ["INBOX", "Work", "one", "two"])
    let messages = (0..<60).map { SampleMessage(token: "s\($0)", flags: ["\\Seen"]) }
    lie.account.change("INBOX") { box in
      for (number, message) in messages.enumerated() {
        box.deliver(message, identity: UInt64(number + 1))
      }
    }
    _ = try lie.pull(0)
    for name in ["one", "two"] {
      lie.account.change(name) { box in
        for (number, message) in messages.enumerated() {
          box.deliver(message, identity: UInt64(number + 1))
        }
      }
    }
    lie.account.change("INBOX") { box in for uid in 13...30 { box.expunge(UInt32(uid)) } }
  }

  func expectWhole() throws { try lie.expectWhole() }
}
