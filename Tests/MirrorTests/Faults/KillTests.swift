import MailTestKit
import Testing

/// Promise 2: whatever interrupts a run, the next one converges.
///
/// A run dies by SIGKILL at the N-th of a system call, or its connection is cut at byte N. Then one plain run
/// must make the tree what the server holds, with no file twice and nothing left in `tmp`, and a third must do
/// nothing. In CI only a few N of each call are tried: SyncTests lets a run die at every commit and every command. With `MIRROR_TEST_LONG` every N of every call is tried, and every byte
/// up to the first message's; behind that, where one byte is like the next, the cuts are a prime number of bytes apart.
@Suite(.onBlockingThreads, .enabled(if: Machine.canInject), CountsPoints()) struct KillTests {
  enum Phase: String, CaseIterable { case first, update }

  struct Place: CustomStringConvertible {
    var phase: Phase
    var call: String
    var description: String { "\(call) in the \(phase) pull" }
  }

  static let places = Phase.allCases.flatMap { phase in
    FaultRun.calls.map { Place(phase: phase, call: $0) }
  }

  /// Runs that did die or lose their connection where they were told to.
  static let points = Locked(0)

  /// How often each call is made in a pull that is left alone.
  private static let callsOfPull = Result {
    try Dictionary(
      uniqueKeysWithValues: Phase.allCases.map { phase in
        let account = try Account(phase)
        let (outcome, counts) = try FaultRun(account.scenario.mirror).counts()
        guard outcome.status == 0 else { throw KitError("\(phase): \(outcome.summary)") }
        try account.expectConverged("without a kill")
        return (phase, counts)
      })
  }

  @Test(arguments: places) func `killed at a system call, the next run converges`(place: Place)
    throws
  {
    let total = try Self.callsOfPull.get()[place.phase]?[place.call] ?? 0
    let numbers = steps(total, most: 4)
    tell(place, numbers, of: total)
    for number in numbers {
      let account = try Account(place.phase)
      let killed = try FaultRun(account.scenario.mirror).kill(at: place.call, number)
      // With the calls of several threads in another order, the N-th may not come.
      #expect(
        killed.ending == .signalled(9) || killed.ending == .exited(0),
        "\(place.call) \(number): \(killed.summary)")
      try account.expectConverged("after \(place.call) number \(number) of the \(place.phase) pull")
      if killed.ending == .signalled(9) { Self.points.change { $0 += 1 } }
    }
  }

  enum Direction: String, CaseIterable { case down, up }

  @Test(arguments: Phase.allCases, Direction.allCases)
  func `cut at a byte, the next run converges`(phase: Phase, direction: Direction) throws {
    let probe = try Account(phase)
    try probe.scenario.mirror.configure { $0.connections = 1 }
    try probe.scenario.pull()
    let total = direction == .down ? probe.scenario.proxy.bytesDown : probe.scenario.proxy.bytesUp
    let numbers = cuts(total)
    tell("cuts \(direction) in the \(phase) pull", numbers, of: total)
    for number in numbers {
      let account = try Account(phase)
      try account.scenario.mirror.configure { $0.connections = 1 }
      var cut = TCPProxy.Conditions()
      if direction == .down { cut.cutDown = number } else { cut.cutUp = number }
      account.scenario.proxy.conditions = cut
      let outcome = try account.scenario.mirror.run(
        ["pull", "--no-index"], more: ["MIRROR_RETRY_SECONDS": "0.01,0.01,0.01"])
      #expect(
        [0, 1, 69].contains(outcome.status ?? -1),
        "cut \(direction) at \(number): \(outcome.summary)")
      account.scenario.proxy.conditions = .init()
      if account.scenario.proxy.records.contains(where: \.wasCut) { Self.points.change { $0 += 1 } }
      try account.expectConverged("after a cut \(direction) at byte \(number) of the \(phase) pull")
    }
  }

  enum Refusal: String, CaseIterable {
    case write, pwrite64, fsync, renameat2, linkat, openat, mkdirat, syncfs, fdatasync
  }

  @Test(arguments: Refusal.allCases) func `a call that fails once is told and repaired`(
    call: Refusal
  ) throws {
    let total = try Self.callsOfPull.get()[.first]?[call.rawValue] ?? 0
    // The first files opened are the program's own libraries: without them it cannot even say so.
    for number in steps(total, most: 3) where call != .openat || number > total / 2 {
      let account = try Account(.first)
      let outcome = try FaultRun(account.scenario.mirror).fail(
        call.rawValue, with: call == .openat ? "EMFILE" : "EIO", from: number, only: true)
      #expect(outcome.status != nil, "\(call) \(number): \(outcome.summary)")
      try account.expectConverged("after a failed \(call) number \(number)")
    }
  }

  /// The first batch's files reach the disk while the next ones come.
  @Test(arguments: ["fsync", "renameat2", "pwrite64"], ["EIO", "ENOSPC"])
  func `a call that fails beside what comes is told and repaired`(call: String, error: String)
    throws
  {
    for number in 1...4 {
      let account = try Account(.first)
      var run = FaultRun(account.scenario.mirror)
      run.more["MIRROR_BATCH_MESSAGES"] = "3"
      let outcome = try run.fail(call, with: error, from: number, only: true)
      #expect(outcome.status != nil, "\(call) \(number): \(outcome.summary)")
      try account.expectConverged("after \(call) number \(number) failed with \(error)")
    }
  }

  /// For a while only: where the system gives none at all any more, Swift's own runtime waits.
  @Test(arguments: [2...3, 2...4, 3...5]) func `a pull that gets few threads does its work`(
    refused: ClosedRange<Int>
  ) throws {
    let account = try Account(.first)
    let outcome = try FaultRun(account.scenario.mirror).fail("clone3", with: "EAGAIN", refused)
    #expect(outcome.status == 0, "\(refused): \(outcome.summary)")
    try account.expectConverged("without the threads \(refused)")
  }

  /// Of 1…total: all in a long run, else about `most`, with the ends among them.
  private func steps(_ total: Int, most: Int) -> [Int] {
    guard total > most, !Machine.long else { return total > 0 ? Array(1...total) : [] }
    return Array(Set((0..<most).map { 1 + $0 * (total - 1) / (most - 1) })).sorted()
  }

  /// Bytes to cut at: in a long run each as far as the conversation goes, and then steps that no line's or buffer's
  /// length divides.
  private func cuts(_ total: Int) -> [Int] {
    let (each, step) = (1536, 1009)
    guard Machine.long else { return steps(total, most: 4) }
    return Array(1...min(total, each)) + Array(stride(from: each + step, to: total, by: step))
      + (total > each ? [total] : [])
  }

  private func tell(_ what: some CustomStringConvertible, _ numbers: [Int], of total: Int) {
    guard total > 0 else { return }
    print("\(what): \(numbers.count == total ? "all" : "\(numbers.count)") of \(total)")
  }

  /// A small account with every kind of work in it.
  final class Account {
    let scenario: Scenario
    private let phase: Phase

    init(_ phase: Phase) throws {
      self.phase = phase
      scenario = try Scenario()
      let client = scenario.client
      try scenario.append((0..<8).map { "m\($0)" })
      try client.append(
        SampleMessage(token: "big", body: String(repeating: "0123456789\n", count: 40_000)))
      try scenario.append(["k0", "k1"], flags: ["topic", "\\Seen"])
      try client.create("Work")
      try scenario.append(["w0", "w1", "w2"], to: "Work", flags: ["\\Flagged"])
      guard phase == .update else { return }
      try scenario.pull()
      let reader = Reader(scenario.mirror)
      try reader.setFlags(#require(try scenario.local("m0@")), "F")
      try reader.setKeywords(#require(try scenario.local("m1@")), ["mine"])
      try reader.move(#require(try scenario.local("m2@")), to: "Archive")
      try reader.remove(#require(try scenario.local("m3@")))
      try scenario.append(["n0", "n1", "n2"])
      try client.expunge([5, 6], in: "INBOX")
      try client.store([1, 2, 8], "+FLAGS", ["\\Seen"], in: "INBOX")
      try client.store([2, 7], "+FLAGS", ["later"], in: "INBOX")
      try client.rename("Work", to: "Projects")
      try scenario.append(["w3"], to: "Projects")
    }

    /// One plain run makes all well; one more does nothing.
    func expectConverged(_ when: String) throws {
      scenario.proxy.forget()
      let outcome = try scenario.mirror.pull()
      #expect(outcome.ending == .exited(0), "\(when): \(outcome.summary)")
      #expect(scenario.proxy.changingCommands == [], "\(when)")
      let problems = try differences()
      #expect(problems == [], "\(when)")
      let before = TreeSnapshot(scenario.mirror.account, leavingOut: Scenario.isBookkeeping)
      scenario.proxy.forget()
      #expect(try scenario.mirror.pull().ending == .exited(0), "\(when), third run")
      let after = TreeSnapshot(scenario.mirror.account, leavingOut: Scenario.isBookkeeping)
      #expect(before.changes(to: after) == [], "\(when): the third run writes nothing")
      #expect(scenario.bodyFetches == [], "\(when): the third run downloads nothing")
    }

    /// Against the server's state with what waits here for a push.
    private func differences() throws -> [String] {
      var state = try scenario.client.state()
      if phase == .update {
        func change(_ token: String, _ body: (inout ExpectedMessage) -> Void) {
          for index in (state["INBOX"] ?? []).indices
          where contains(state["INBOX"]![index].bytes, Array("<\(token)@".utf8)) {
            body(&state["INBOX"]![index])
          }
        }
        change("m0") { $0.flags.insert("\\Flagged") }
        change("m1") { $0.flags.insert("mine") }
        let inbox = state["INBOX"] ?? []
        let moved = inbox.filter { contains($0.bytes, Array("<m2@".utf8)) }
        state["INBOX"] = inbox.filter { message in
          !["<m2@", "<m3@"].contains { contains(message.bytes, Array($0.utf8)) }
        }
        state["Archive", default: []] += moved
      }
      return try MaildirOracle().differences(scenario.mirror.tree(), state)
    }
  }
}

/// Says how many points were tried; in a whole run they have to be 100. Of the large runs most have to be killed: an N
/// that never comes tries nothing.
struct CountsPoints: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await function()
    let points = KillTests.points.value
    let large = KillTests.large.value
    print("\(points) kill and cut points, \(large.killed) of \(large.tried) large runs killed")
    #expect(points >= 100 || !Machine.whole)
    #expect(large.killed * 3 >= large.tried * 2)
  }
}
