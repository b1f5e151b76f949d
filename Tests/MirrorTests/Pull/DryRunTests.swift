import Foundation
import MailTestKit
import Testing

/// `pull --dry-run` tells what a pull would do, and leaves no trace of having looked.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct DryRunTests {
  /// What a summary says of each mailbox, but for what only a real run can know.
  private func outcomes(_ outcome: Outcome) throws -> [String: [String: String]] {
    let document = try JSONSerialization.jsonObject(with: Data(outcome.output))
    let summary = try #require((document as? [[String: Any]])?.first)
    var told: [String: [String: String]] = [:]
    for mailbox in try #require(summary["mailboxes"] as? [[String: Any]]) {
      let name = try #require(mailbox["mailbox"] as? String)
      for key in ["new", "adopted", "changed", "gone", "pruned", "renamed_from"] {
        if let value = mailbox[key], "\(value)" != "0" {
          told[name, default: [:]][key] = "\(value)"
        }
      }
    }
    return told
  }

  /// The dry run and the real one behind it say the same, and the dry one changes nothing.
  @discardableResult
  private func expectForeseen(
    _ scenario: Scenario, location: SourceLocation = #_sourceLocation
  ) throws -> [String: [String: String]] {
    // SQLite's own shared memory, and with it the directory, are touched by every reader.
    func isShared(_ path: String) -> Bool {
      path.hasSuffix("/.mirror") || path.hasSuffix("/state.db-shm")
    }
    let before = TreeSnapshot(scenario.mirror.home, leavingOut: isShared)
    scenario.proxy.forget()
    let dry = try scenario.mirror.run(["pull", "--no-index", "--dry-run", "--format", "json"])
    let after = TreeSnapshot(scenario.mirror.home, leavingOut: isShared)
    #expect(before.changes(to: after) == [], "nothing is touched", sourceLocation: location)
    #expect(scenario.bodyFetches == [], "no message is fetched", sourceLocation: location)
    #expect(scenario.proxy.changingCommands == [], sourceLocation: location)
    #expect(dry.status == 0, "\(dry.summary)", sourceLocation: location)
    let real = try scenario.mirror.run(["pull", "--no-index", "--format", "json"])
    #expect(real.status == 0, "\(real.summary)", sourceLocation: location)
    let foreseen = try outcomes(dry)
    #expect(try foreseen == outcomes(real), sourceLocation: location)
    return foreseen
  }

  private func pulled() throws -> Scenario {
    let scenario = try Scenario()
    try scenario.fill(30)
    try scenario.append(["k1", "k2", "k3"], flags: ["topic"])
    for name in ["Old/Name", "Doomed", "Empty"] { try scenario.client.create(name) }
    try scenario.append(["o1", "o2"], to: "Old/Name")
    try scenario.append(["d1"], to: "Doomed")
    try scenario.pull()
    return scenario
  }

  @Test func `a first pull is foreseen, and no tree is made`() throws {
    let scenario = try Scenario()
    try scenario.fill(40)
    try scenario.append(["a1", "a2"], to: "Archive")
    let told = try expectForeseen(scenario)
    #expect(told["INBOX"]?["new"] == "40")
  }

  @Test func `changes on both sides are foreseen`() throws {
    let scenario = try pulled()
    let reader = Reader(scenario.mirror)
    try reader.setFlags(#require(try scenario.local("k1@")), "F")
    try reader.setKeywords(#require(try scenario.local("k2@")), ["mine", "topic"])
    try reader.move(#require(try scenario.local("k3@")), to: "Archive")
    try scenario.client.store([31, 32, 33], "+FLAGS", ["\\Answered", "later"], in: "INBOX")
    try scenario.client.expunge([2, 3], in: "INBOX")
    try scenario.append(["n1", "n2"], to: "Old/Name")
    #expect(try expectForeseen(scenario)["INBOX"]?["gone"] == "2")
  }

  @Test func `mailboxes made, renamed and deleted are foreseen`() throws {
    let scenario = try pulled()
    try scenario.client.create("Fresh")
    try scenario.append(["f1"], to: "Fresh")
    try scenario.client.rename("Old/Name", to: "New")
    try scenario.append(["o3"], to: "New")
    try scenario.client.store([1], "+FLAGS", ["\\Flagged"], in: "New")
    try scenario.client.delete("Doomed")
    try scenario.client.delete("Empty")
    let told = try expectForeseen(scenario)
    #expect(told["New"]?["renamed_from"] == "Old/Name" && told["New"]?["new"] == "1", "\(told)")
  }

  @Test(arguments: ["90d", "70kB"]) func `what a window leaves out or prunes is foreseen`(
    window: String
  ) throws {
    let scenario = try Scenario()
    let now = Int64(time(nil))
    for (mailbox, age) in [("INBOX", 200), ("INBOX", 3), ("Archive", 300), ("Archive", 5)] {
      try scenario.client.append(
        (0..<(age == 3 ? 30 : 8)).map {
          SampleMessage(
            token: "\(mailbox)-\(age)-\($0)", body: String(repeating: "x", count: 1500),
            date: now - Int64(age + $0) * 86_400)
        }, to: mailbox)
    }
    try scenario.mirror.configure { $0.sync = "window = \"\(window)\"" }
    try expectForeseen(scenario)
    try scenario.mirror.configure { $0.sync = "window = \"all\"" }
    try expectForeseen(scenario)
    try scenario.mirror.configure { $0.sync = "window = \"\(window)\"" }
    let told = try expectForeseen(scenario)
    #expect(told["INBOX"]?["pruned"] != nil && told["Archive"]?["pruned"] != nil)
  }

  enum Loss: String, CaseIterable { case state, everything, torn, bothTorn, tornInside }

  @Test(arguments: Loss.allCases) func `an adoption is foreseen, whatever the state is like`(
    loss: Loss
  ) throws {
    let scenario = try pulled()
    try Reader(scenario.mirror).remove(#require(try scenario.local("k1@")))
    let folder = scenario.mirror.account + "/.mirror"
    func tear(_ name: String, from share: Double = 0) throws {
      var bytes = try readFile(folder + name)
      for index in bytes.indices
      where index >= 100 && index >= Int(share * Double(bytes.count)) { bytes[index] = 0xa5 }
      try writeFile(folder + name, bytes)
    }
    switch loss {
    case .state: unlink(folder + "/state.db")
    case .everything: removeTree(folder)
    case .torn: try tear("/state.db")
    case .bothTorn:
      try tear("/state.db")
      try tear("/state.backup.db")
    case .tornInside: try tear("/state.db", from: 0.4)
    }
    try scenario.append(["n1"])
    let told = try expectForeseen(scenario)
    #expect(told["INBOX"]?["new"] != nil)
  }

  @Test(.enabled(if: Mbsync.isInstalled)) func `a tree of another tool is foreseen to be adopted`()
    throws
  {
    let scenario = try Scenario()
    try scenario.fill(20)
    let mbsync = try Mbsync(AccountSettings(port: scenario.proxy.port, user: scenario.user))
    try #require(try mbsync.pull(into: scenario.mirror.account).status == 0)
    try scenario.append(["fresh"])
    let told = try expectForeseen(scenario)
    #expect(told["INBOX"]?["new"] == "21" && told["INBOX"]?["adopted"] == "20")
  }

  @Test func `messages in several mailboxes are foreseen to be linked`() throws {
    let account = MailAccount(["INBOX", "Work"])
    for number in 0..<5 {
      for name in ["INBOX", "Work"] {
        account.change(name) {
          $0.deliver(SampleMessage(token: "m\(number)"), identity: UInt64(number + 7))
        }
      }
    }
    let server = try ModelServer(account, .modern)
    let mirror = try MirrorProgram(AccountSettings(port: server.port, user: "u"))
    let dry = try mirror.run(["pull", "--no-index", "--dry-run", "--format", "json"])
    #expect(server.server.bodyFetches == [])
    let real = try mirror.run(["pull", "--no-index", "--format", "json"])
    let told = try outcomes(dry)
    #expect(try told == outcomes(real))
    #expect(told["Work"]?["adopted"] == "5" || told["INBOX"]?["adopted"] == "5", "\(told)")
  }

  @Test(.enabled(if: Machine.canInject)) func `what a killed run left is left as it is`() throws {
    let scenario = try pulled()
    try scenario.append(["n1", "n2", "n3"])
    let (_, counts) = try FaultRun(scenario.mirror).counts(of: ["pwrite64"])
    try scenario.append(["n4", "n5", "n6"])
    _ = try FaultRun(scenario.mirror).kill(at: "pwrite64", max(1, (counts["pwrite64"] ?? 2) / 2))
    #expect(exists(scenario.mirror.account + "/.mirror/state.db-wal"), "a log was left")
    try expectForeseen(scenario)
    try scenario.expectMirrored()
  }
}
