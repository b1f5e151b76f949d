import Foundation
import MailTestKit
import Testing

/// Promise 7: whatever kills `sendmail` or `push`, a message that was accepted is delivered once, or
/// parked as unknown; never twice, never lost. Counted on the receiving side.
///
/// In CI a few places of each call are taken; with `MIRROR_TEST_LONG` every one is tried.
@Suite(.enabled(if: SendScenario.isPossible && FaultRun.isPossible), CountsSendKills())
struct SendKillTests {
  static let isLong = ProcessInfo.processInfo.environment["MIRROR_TEST_LONG"] != nil
  /// Programs that did die where they were told to.
  static let points = Locked(0)
  static let calls = [
    "write", "fsync", "fdatasync", "rename", "renameat", "renameat2", "unlinkat", "openat",
    "mkdirat", "sendto", "recvfrom", "read", "flock",
  ]

  @Test(arguments: calls)
  func `sendmail killed at a system call queues the message whole or not at all`(
    call: String
  ) throws {
    let total = try countedSendmail(call)
    for number in steps(total, most: 4) {
      let send = try SendScenario()
      let bob = SendScenario.newUser()
      let outcome = try sendmail(
        send, bob, ["-e", "trace=\(call)", "-e", "inject=\(call):signal=SIGKILL:when=\(number)"])
      let place = "\(call) \(number) of \(total)"
      #expect(
        outcome.ending == .signalled(9) || outcome.status == 0, "\(place): \(outcome.summary)")
      if outcome.ending == .signalled(9) { Self.points.change { $0 += 1 } }
      let queued = try send.outbox()
      #expect(
        queued.count <= 1 && queued.allSatisfy { $0["state"] as? String == "queued" }, "\(place)")
      if outcome.status == 0 { #expect(queued.count == 1, "\(place)") }
      let pushed = try send.push()
      #expect(pushed.status == 0, "\(place): \(pushed.summary)")
      try send.server.drain()
      #expect(
        try send.server.arrived(for: bob, atLeast: queued.count).count == queued.count)
      try expectNothingLeft(send, place, delivered: queued.count)
    }
  }

  @Test(arguments: calls) func `push killed at a system call sends once or parks`(call: String)
    throws
  {
    try killPushes(at: call, on: .postfix, most: 5)
  }

  /// A small share of the kills: what is on disk at each of them does not depend on the server, what that does with a
  /// connection that dies does.
  @Test(
    .enabled(if: SendScenario.installed.contains(.exim)),
    arguments: ["fsync", "sendto", "recvfrom", "renameat"])
  func `push killed over another kind of server sends once or parks`(call: String) throws {
    try killPushes(at: call, on: .exim, most: Self.isLong ? 15 : 2)
  }

  private func killPushes(at call: String, on software: SendScenario.Software, most: Int) throws {
    let total = try countedPush([call], queued(["one", "two"], on: software).send)[call] ?? 0
    for number in steps(total, most: most, takesAll: Self.isLong && software == .postfix) {
      let (send, bob) = try queued(["one", "two"], on: software)
      try killPush(send, bob, at: call, number, "\(software) \(call) \(number) of \(total)")
    }
  }

  /// How often each of these calls is made by a push that is left alone.
  func countedPush(_ calls: [String], _ send: SendScenario) throws -> [String: Int] {
    var run = FaultRun(send.mirror)
    run.arguments = ["push"]
    let (outcome, counts) = try run.counts(of: calls)
    #expect(outcome.status == 0, "\(outcome.summary)")
    return counts
  }

  /// - Returns: whether the program did die there.
  @discardableResult
  func killPush(
    _ send: SendScenario, _ bob: String, at call: String, _ number: Int, _ place: String,
    subjects: [String] = ["one", "two"]
  ) throws -> Bool {
    var run = FaultRun(send.mirror)
    run.arguments = ["push"]
    let killed = try run.kill(at: call, number)
    let isKilled = killed.ending == .signalled(9)
    #expect(isKilled || killed.status == 0, "\(place): \(killed.summary)")
    if isKilled { Self.points.change { $0 += 1 } }
    let after = try send.push()
    try send.server.drain()
    let states = try send.outbox("--all").compactMap { $0["state"] as? String }
    let arrived = try send.server.arrived(for: bob, atLeast: 0)
    #expect(states.count == subjects.count, "\(place): \(states)")
    #expect(
      states.allSatisfy { $0 == "sent" || $0 == "unknown" },
      "\(place): \(states) \(after.summary)")
    let texts = arrived.map { String(decoding: $0.bytes, as: UTF8.self) }
    for (subject, state) in zip(subjects, states) {
      let copies = texts.count { $0.contains("Subject: \(subject)\r\n") }
      #expect(
        state == "sent" ? copies == 1 : copies <= 1, "\(place): \(subject) \(state) \(copies)")
    }
    #expect(after.status == (states.contains("unknown") ? 1 : 0), "\(place): \(after.summary)")
    let copies = try send.server.dovecot.client(send.user).messages(in: "Sent").count
    #expect(copies == states.count { $0 == "sent" }, "\(place): \(copies) copies, \(states)")
    return isKilled
  }

  // MARK: Steps

  func queued(_ subjects: [String], on software: SendScenario.Software) throws -> (
    send: SendScenario, bob: String
  ) {
    let send = try SendScenario(on: software)
    let bob = SendScenario.newUser()
    for subject in subjects {
      let outcome = try send.sendmail("Subject: \(subject)\n\nx\n", "\(bob)@example.org")
      #expect(outcome.status == 0, "\(outcome.summary)")
    }
    return (send, bob)
  }

  /// `sendmail` under strace, its message on standard input.
  private func sendmail(_ send: SendScenario, _ bob: String, _ options: [String]) throws -> Outcome
  {
    let file = send.mirror.home + "/message"
    try Data("Subject: killed\n\nwhole\n".utf8).write(to: URL(fileURLWithPath: file))
    return try run(
      [
        "sh", "-c", "exec \"$@\" < \"$0\"", file, "strace", "-f", "-qq", "-o",
        send.mirror.home + "/strace",
      ]
        + options + send.mirror.command(["sendmail", "\(bob)@example.org"]),
      environment: send.mirror.environment)
  }

  private func countedSendmail(_ call: String) throws -> Int {
    let send = try SendScenario()
    let outcome = try sendmail(send, "nobody", ["-e", "trace=\(call)"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    var threads: [Substring: Int] = [:]
    let log = String(decoding: try readFile(send.mirror.home + "/strace"), as: UTF8.self)
    for line in log.split(separator: "\n") where line.contains("\(call)(") {
      threads[line.prefix { $0 != " " }, default: 0] += 1
    }
    return threads.values.max() ?? 0
  }

  /// Of what was delivered its two records stay, for 30 days; of all else nothing.
  private func expectNothingLeft(_ send: SendScenario, _ place: String, delivered: Int) throws {
    let outbox = send.mirror.account + "/.mirror/outbox/"
    for (part, count) in [("tmp", 0), ("new", 0), ("entries", 2 * delivered)] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: outbox + part)) ?? []
      #expect(names.count == count, "\(place): \(part) holds \(names)")
    }
  }

  private func steps(_ total: Int, most: Int, takesAll: Bool = isLong) -> [Int] {
    guard total > most, !takesAll, most > 1 else { return Array(1..<(total + 1)) }
    return Set((0..<most).map { 1 + $0 * (total - 1) / (most - 1) }).sorted()
  }
}

struct CountsSendKills: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await function()
    print("\(SendKillTests.points.value) kills of sendmail and push")
    let isWhole = ProcessInfo.processInfo.environment["MIRROR_TEST_WHOLE"] != nil
    #expect(SendKillTests.points.value >= (SendKillTests.isLong ? 1000 : isWhole ? 50 : 0))
  }
}
