import Foundation
import MailTestKit
import Testing

/// What a push costs on the wire. Beside mbsync's times, for whoever asks: `MIRROR_TEST_BENCH=1`.
@Suite(.onBlockingThreads, .serialized, .enabled(if: Machine.hasDovecot)) struct PushSpeedTests {
  private static let isAsked =
    Mbsync.isInstalled && ProcessInfo.processInfo.environment["MIRROR_TEST_BENCH"] != nil

  /// Times that the program waited for the server, all connections together.
  private func turns(_ scenario: Scenario) -> Int {
    scenario.proxy.records.reduce(0) { $0 + $1.turns }
  }

  @Test func `1,000 flags over 10 mailboxes cost one turn in all`() throws {
    let scenario = try Scenario()
    for number in 0..<10 {
      try scenario.client.create("box\(number)")
      try scenario.fill(120, seed: UInt64(number + 1), mailbox: "box\(number)")
    }
    try scenario.pull()
    let before = try flagged(scenario)
    for number in 0..<10 { try flag(100, in: "\(scenario.mirror.account)/box\(number)") }
    try scenario.push()
    // Greeting, log-in, capabilities, discovery, the flight, log-out.
    #expect(turns(scenario) <= 6, "\(turns(scenario)) turns")
    #expect(scenario.proxy.connections == 1)
    #expect(scenario.proxy.commands(named: ["STORE"]).count == 10)
    #expect(scenario.proxy.commands(named: ["FETCH"]) == [])
    // Each number twice, at most five characters of it.
    #expect(scenario.proxy.bytesUp < 2 * 1000 * 5 + 4000, "\(scenario.proxy.bytesUp) bytes")
    #expect(try flagged(scenario) == before + 1000)
  }

  private func flagged(_ scenario: Scenario) throws -> Int {
    try (0..<10).reduce(0) { sum, number in
      try sum
        + scenario.client.messages(in: "box\(number)").count { $0.flags.contains("\\Flagged") }
    }
  }

  @Test func `1,000 moves send and fetch no byte of a message`() throws {
    let scenario = try Scenario()
    try scenario.client.create("Work")
    try scenario.fill(1000)
    try scenario.pull()
    let account = scenario.mirror.account
    for part in ["new", "cur"] {
      for name in try FileManager.default.contentsOfDirectory(atPath: "\(account)/INBOX/\(part)") {
        rename("\(account)/INBOX/\(part)/\(name)", "\(account)/Work/\(part)/\(name)")
      }
    }
    try scenario.push()
    #expect(try scenario.client.uids(in: "Work").count == 1000)
    #expect(scenario.proxy.commands(named: ["MOVE"]).count == 2)
    // The size of one message comes with the mailbox.
    #expect(scenario.appends == [] && scenario.proxy.commands(named: ["FETCH"]).count <= 1)
    #expect(turns(scenario) <= 7 + 3, "\(turns(scenario)) turns")
    #expect(scenario.proxy.bytesUp < 4000, "\(scenario.proxy.bytesUp) bytes")
    // An EXPUNGE response for each message, and no more.
    #expect(scenario.proxy.bytesDown < 1000 * 24 + 8000, "\(scenario.proxy.bytesDown) bytes")
  }

  @Test func `50 new messages are one flight`() throws {
    let scenario = try Scenario()
    try scenario.pull()
    let reader = Reader(scenario.mirror)
    var bytes = 0
    for number in 0..<50 {
      let message = SampleMessage(token: "n\(number)").bytes
      bytes += message.count
      try reader.deliver(message.filter { $0 != 13 }, name: "17.1_\(number).host", to: "INBOX")
    }
    try scenario.push()
    #expect(scenario.appends.count == 50)
    #expect(turns(scenario) <= 7 + 2, "\(turns(scenario)) turns")
    #expect(scenario.proxy.bytesUp < bytes + 50 * 90 + 2000, "\(scenario.proxy.bytesUp) bytes")
  }

  @Test func `a push with nothing to do connects to nobody and writes nothing`() throws {
    let scenario = try Scenario()
    try scenario.fill(300)
    try scenario.pull()
    try scenario.push()
    let before = TreeSnapshot(scenario.mirror.account, leavingOut: Scenario.isBookkeeping)
    try scenario.push()
    let after = TreeSnapshot(scenario.mirror.account, leavingOut: Scenario.isBookkeeping)
    #expect(scenario.proxy.connections == 0)
    #expect(before.changes(to: after) == [])
  }

  @Test(.enabled(if: isAsked)) func `1,000 flags over 10 mailboxes at 50 ms, beside mbsync`() throws
  {
    let scenario = try Scenario()
    for number in 0..<10 {
      try scenario.client.create("box\(number)")
      try scenario.fill(200, seed: UInt64(number + 1), mailbox: "box\(number)")
    }
    try scenario.pull()
    let peer = scenario.mirror.home + "/peer"
    try makeDirectory(peer)
    try mbsync(scenario, peer)
    for tree in [scenario.mirror.account, peer] {
      for number in 0..<10 { try flag(100, in: "\(tree)/box\(number)") }
    }
    var slow = TCPProxy.Conditions()
    slow.delay = 0.025
    scenario.proxy.conditions = slow
    let ours = try scenario.push()
    let turns = turns(scenario)
    scenario.proxy.forget()
    let theirs = try mbsync(scenario, peer)
    print(
      "BENCH push of 1,000 flags: \(ours.seconds) s, \(turns) turns; mbsync \(theirs.seconds) s, "
        + "\(self.turns(scenario)) turns; ratio \(ours.seconds / theirs.seconds)")
    #expect(turns * 4 < self.turns(scenario))
  }

  @Test(.enabled(if: isAsked)) func `a push with nothing to do over 50,000 messages`() throws {
    let scenario = try Scenario()
    for _ in 0..<5 { try scenario.fill(10_000, profile: .list) }
    try scenario.pull()
    pause(3)
    let first = try scenario.push()
    let second = try scenario.push()
    print("BENCH no-op push of 50,000: first \(first.seconds) s, then \(second.seconds) s")
    #expect(scenario.proxy.connections == 0)
  }

  private func flag(_ count: Int, in folder: String) throws {
    var left = count
    for part in ["new", "cur"] {
      for name in try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(part)").sorted()
      where left > 0 {
        let base = name.components(separatedBy: ":2,")[0]
        let flags = name.contains(":2,") ? name.components(separatedBy: ":2,")[1] : ""
        guard !flags.contains("F") else { continue }
        left -= 1
        let sorted = String((flags + "F").sorted())
        rename("\(folder)/\(part)/\(name)", "\(folder)/cur/\(base):2,\(sorted)")
      }
    }
  }

  @discardableResult
  private func mbsync(_ scenario: Scenario, _ tree: String) throws -> Outcome {
    let file = scenario.mirror.home + "/mbsyncrc"
    try writeFile(
      file,
      """
      IMAPAccount a
      Host 127.0.0.1
      Port \(scenario.proxy.port)
      User \(scenario.user)
      Pass pw
      SSLType None
      AuthMechs LOGIN

      IMAPStore far
      Account a

      MaildirStore near
      Path \(tree)/
      Inbox \(tree)/INBOX
      SubFolders Verbatim

      Channel c
      Far :far:
      Near :near:
      Patterns *
      Create Near
      Sync All
      SyncState *

      """)
    return try run(
      ["mbsync", "-q", "-c", file, "-a"],
      environment: ["HOME": scenario.mirror.home, "PATH": "/usr/bin:/bin"])
  }
}
