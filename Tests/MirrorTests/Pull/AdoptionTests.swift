import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What is already here is matched and kept, never downloaded again, and nothing counts as deleted.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct AdoptionTests {
  private func pulled(_ count: Int = 40) throws -> Scenario {
    let scenario = try Scenario()
    try scenario.fill(count)
    try scenario.append(["k1", "k2"], flags: ["topic"])
    try scenario.append(["a1", "a2", "a3"], to: "Archive")
    try scenario.pull()
    return scenario
  }

  private func expectAdopted(
    _ scenario: Scenario, _ inodes: Set<UInt64>, location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(scenario.bodyFetches == [], "nothing is downloaded", sourceLocation: location)
    #expect(
      Set(try scenario.mirror.tree().messages.map(\.inode)) == inodes, sourceLocation: location)
    try scenario.expectMirrored(location: location)
    try scenario.expectQuiet(location: location)
  }

  enum Damage: String, CaseIterable {
    case allGone, stateGone, backupGone, stateTorn, stateEmpty, bothTorn, walTorn,
      placeOutside
  }

  @Test(arguments: Damage.allCases) func `a lost or torn state costs no download`(damage: Damage)
    throws
  {
    let scenario = try pulled()
    let inodes = Set(try scenario.mirror.tree().messages.map(\.inode))
    let folder = scenario.mirror.account + "/.mirror"
    let (state, backup) = (folder + "/state.db", folder + "/state.backup.db")
    #expect(exists(state) && exists(backup))
    func removeJournals() { for end in ["-wal", "-shm"] { unlink(state + end) } }
    func tear(_ path: String) throws {
      var bytes = try readFile(path)
      for index in bytes.indices where index >= min(100, bytes.count / 2) { bytes[index] = 0xa5 }
      try writeFile(path, bytes)
    }
    switch damage {
    case .allGone: removeTree(folder)
    case .stateGone:
      unlink(state)
      removeJournals()
    case .backupGone: unlink(backup)
    case .stateTorn:
      removeJournals()
      try tear(state)
    case .stateEmpty:
      removeJournals()
      try writeFile(state, "")
    case .bothTorn:
      removeJournals()
      try tear(state)
      try tear(backup)
    case .walTorn:
      try writeFile(state + "-wal", [UInt8](repeating: 0x37, count: 9000))
    case .placeOutside:
      let sql = "UPDATE mailbox SET folder = '../elsewhere' WHERE name = 'INBOX'"
      try runSuccessfully(["sqlite3", state, sql])
    }
    try scenario.pull()
    try expectAdopted(scenario, inodes)
  }

  @Test func `changes made while the state was away arrive`() throws {
    let scenario = try pulled()
    removeTree(scenario.mirror.account + "/.mirror")
    try scenario.client.expunge([3, 4], in: "INBOX")
    try scenario.client.store([5, 6], "+FLAGS", ["\\Flagged"], in: "INBOX")
    try scenario.append(["fresh"])
    try scenario.pull()
    let tree = try scenario.mirror.tree()
    #expect(tree.count(of: "fresh@") == 1)
    // Without a state nobody knows whether 3 and 4 were ever on the server: they stay.
    #expect(tree["INBOX"].count == 43)
    #expect(Set(scenario.bodyFetches).count <= 1)
  }

  @Test func `a restored tree counts nothing as deleted`() throws {
    let scenario = try pulled()
    let account = scenario.mirror.account
    let reader = Reader(scenario.mirror)
    try runSuccessfully(["cp", "-a", account, account + ".backup"])
    // After the backup: mail is read, moved, removed, and new mail comes.
    try reader.move(#require(try scenario.local("a1@")), to: "INBOX")
    try reader.remove(#require(try scenario.local("a2@")))
    try scenario.append(["after"])
    try scenario.pull()
    removeTree(account)
    #expect(rename(account + ".backup", account) == 0)
    let missing = try #require(try scenario.local("k1@"))
    try reader.remove(missing)  // the backup was incomplete
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }

  @Test func `an older state with the newer tree counts nothing as deleted`() throws {
    let scenario = try pulled()
    let state = scenario.mirror.account + "/.mirror"
    try runSuccessfully(["cp", "-a", state, scenario.mirror.home + "/old"])
    try scenario.append(["n1", "n2"])
    try scenario.client.expunge([1, 2], in: "INBOX")
    try scenario.pull()
    removeTree(state)
    try runSuccessfully(["cp", "-a", scenario.mirror.home + "/old", state])
    try scenario.pull()
    let tree = try scenario.mirror.tree()
    #expect(tree.count(of: "n1@") == 1 && tree.count(of: "n2@") == 1)
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }

  @Test(.enabled(if: Mbsync.isInstalled))
  func `a tree that mbsync wrote is adopted without a download`() throws {
    let scenario = try Scenario()
    try scenario.fill(50)
    try scenario.client.create("Lists/swift")
    try scenario.fill(10, seed: 4, mailbox: "Lists/swift")
    let mbsync = try Mbsync(AccountSettings(port: scenario.proxy.port, user: scenario.user))
    let outcome = try mbsync.pull(into: scenario.mirror.account)
    try #require(outcome.status == 0, "\(outcome.summary)")
    let before = try scenario.mirror.tree().messages
    try #require(before.count == 60)
    try scenario.pull()
    let after = try scenario.mirror.tree().messages
    #expect(scenario.bodyFetches == [])
    #expect(Set(after.map(\.inode)) == Set(before.map(\.inode)))
    #expect(Set(after.map(\.base)) == Set(before.map(\.base)), "names are kept")
    try scenario.expectQuiet()
    try scenario.append(["fresh"])
    try scenario.client.expunge([7], in: "INBOX")
    try scenario.client.store([8], "+FLAGS", ["\\Draft"], in: "INBOX")
    try scenario.pull()
    let tree = try scenario.mirror.tree()
    #expect(tree.messages.count == 60 && tree.count(of: "fresh@") == 1)
    #expect(tree.messages.contains { $0.base.hasSuffix(",U=8") && $0.flags.contains("D") })
    #expect(scenario.bodyFetches.count == 1)
  }

  @Test func `a tree that offlineimap wrote is adopted without a download`() throws {
    let scenario = try Scenario()
    try scenario.fill(30)
    let folder = scenario.mirror.account + "/INBOX"
    for part in ["cur", "new", "tmp"] { try makeDirectory("\(folder)/\(part)") }
    for message in try scenario.client.messages(in: "INBOX") {
      let letters = ExpectedMessage(bytes: [], flags: message.flags, date: 0).letters
      let name =
        "1600000000_\(message.uid).4711.host,U=\(message.uid),FMD5=7e33429f656f1e6e9d79b29c3f82c57e"
      let place = letters.contains("S") ? "cur/\(name):2,\(letters)" : "new/\(name)"
      try writeFile("\(folder)/\(place)", MaildirOracle().fileBytes(message.bytes))
    }
    try scenario.pull()
    #expect(scenario.bodyFetches == [])
    let tree = try scenario.mirror.tree()
    #expect(tree["INBOX"].count == 30)
    #expect(tree["INBOX"].allSatisfy { $0.base.contains("FMD5") })
    try scenario.expectQuiet()
  }

  @Test func `a name alone is no proof`() throws {
    let scenario = try Scenario()
    try scenario.append(["one", "two", "three"])
    try scenario.pull()
    let one = try #require(try scenario.local("one@"))
    let two = try #require(try scenario.local("two@"))
    // Somebody swapped the contents: neither file is what its name says.
    let reader = Reader(scenario.mirror)
    try reader.rewrite(one, two.raw)
    try reader.rewrite(two, one.raw)
    removeTree(scenario.mirror.account + "/.mirror")
    try scenario.pull()
    let tree = try scenario.mirror.tree()
    for token in ["one@", "two@", "three@"] { #expect(tree.count(of: token) == 1, "\(token)") }
    try scenario.client.expunge([1], in: "INBOX")
    try scenario.pull()
    #expect(try scenario.local("one@") == nil)
    #expect(try scenario.local("two@") != nil)
  }

  @Test func `one message twice on the server is two files`() throws {
    let scenario = try Scenario()
    let message = SampleMessage(token: "twin", date: 1_500_000_000)
    try scenario.client.append([message, message])
    try scenario.client.append(message, to: "Archive")
    try scenario.pull()
    try scenario.expectMirrored()
    removeTree(scenario.mirror.account + "/.mirror")
    try scenario.pull()
    #expect(scenario.bodyFetches == [])
    try scenario.expectMirrored()
  }

  @Test(.enabled(if: Machine.canInject), arguments: [2, 4, 6, 8, 10, 14, 20, 30])
  func `a kill while the state begins forgets no adoption`(call: Int) throws {
    let scenario = try Scenario()
    try scenario.append((0..<12).map { "m\($0)" })
    try scenario.pull()
    // Foreign names: only an adoption finds them.
    let reader = Reader(scenario.mirror)
    for (number, message) in try scenario.mirror.tree().messages.enumerated() {
      try reader.remove(message)
      try reader.deliver(message.raw, name: "\(number).a.host", to: "INBOX")
      if number % 4 == 0 {
        try reader.deliver(message.raw, name: "\(number).z.host", to: "INBOX")
      }
    }
    removeTree(scenario.mirror.account + "/.mirror")
    removeTree(scenario.mirror.home + "/.local")
    _ = try FaultRun(scenario.mirror).kill(at: "pwrite64", call)
    let dry = try scenario.mirror.run(["pull", "--no-index", "--dry-run"])
    #expect(dry.status == 0, "\(dry.summary)")
    try scenario.pull()
    #expect(scenario.bodyFetches == [])
    #expect(try scenario.mirror.tree()["INBOX"].count == 15)
    let verified = try scenario.mirror.run(["verify"])
    #expect(verified.summary.contains("3 files here repeat"), "\(verified.summary)")
  }

  @Test func `hundreds of moved files need no more open directories than one`() throws {
    let scenario = try Scenario()
    try scenario.append((0..<150).map { "m\($0)" })
    try scenario.append(["a"], to: "Archive")
    try scenario.pull()
    let reader = Reader(scenario.mirror)
    for message in try scenario.mirror.tree()["INBOX"].prefix(120) {
      try reader.move(message, to: "Archive")
    }
    removeTree(scenario.mirror.account + "/.mirror")
    scenario.proxy.forget()
    let outcome = try run(
      ["sh", "-c", "ulimit -Sn 128; exec \"$0\" \"$@\""]
        + scenario.mirror.command(["pull", "--no-index"]),
      environment: scenario.mirror.environment)
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(scenario.bodyFetches == [])
  }
}
