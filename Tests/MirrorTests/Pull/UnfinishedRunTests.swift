import Foundation
import MailTestKit
import Testing

/// Runs that ended early leave nothing that a later run could take for a person's wish, or for a restore.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct UnfinishedRunTests {
  private func cut(_ scenario: Scenario, after bytes: Int) throws -> Int32? {
    var conditions = TCPProxy.Conditions()
    conditions.cutDown = bytes
    scenario.proxy.conditions = conditions
    defer { scenario.proxy.conditions = .init() }
    // Where it is connected anew, it goes on, and comes to its end.
    return try scenario.mirror.run(["pull"], more: ["MIRROR_RETRY_SECONDS": ""]).status
  }

  @Test func `an adoption that was interrupted goes on`() throws {
    let scenario = try Scenario()
    try scenario.fill(40)
    try scenario.client.create("Zed")
    try scenario.fill(40, seed: 2, mailbox: "Zed")
    try scenario.pull()
    // A copy that lacks half of its mail takes the tree's place.
    let account = scenario.mirror.account
    try runSuccessfully(["cp", "-a", account, account + ".copy"])
    removeTree(account)
    try FileManager.default.moveItem(atPath: account + ".copy", toPath: account)
    for message in try scenario.mirror.tree().messages where message.inode % 2 == 0 {
      unlink(account + "/" + message.path)
    }
    #expect(try cut(scenario, after: 20_000) == 69)
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }

  @Test func `a first pull that was interrupted is no restore`() throws {
    let scenario = try Scenario()
    try scenario.fill(60)
    try scenario.fill(30, seed: 3, mailbox: "Archive")
    #expect(try cut(scenario, after: 150_000) == 69)
    #expect(try !scenario.mirror.tree()["INBOX"].isEmpty, "some of it is here")
    try scenario.client.expunge(Array(40...60), in: "INBOX")
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }

  @Test func `one mailbox pulled by name leaves the others no restore`() throws {
    let scenario = try Scenario()
    try scenario.append(["m1", "m2", "m3"])
    try scenario.pull(0, "personal/INBOX")
    try scenario.client.expunge([2], in: "INBOX")
    try scenario.append(["a1"], to: "Archive")
    try scenario.pull()
    try scenario.expectMirrored()
  }

  @Test func `an empty state is rebuilt from its backup`() throws {
    let scenario = try Scenario()
    try scenario.append(["m1", "m2"], flags: ["topic"])
    try scenario.pull()
    let reader = Reader(scenario.mirror)
    try reader.setFlags(#require(try scenario.local("m1@")), "FS")
    let state = scenario.mirror.account + "/.mirror/state.db"
    for end in ["-wal", "-shm"] { unlink(state + end) }
    try writeFile(state, "")
    try scenario.client.store([1], "+FLAGS", ["\\Answered"], in: "INBOX")
    try scenario.pull()
    #expect(try scenario.local("m1@")?.flags == "FRS", "both sides' flags")
    #expect(scenario.bodyFetches == [])
  }
}

/// Names that change hands.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct NameTests {
  @Test func `a mailbox renamed onto a deleted one's name keeps both apart`() throws {
    let scenario = try Scenario()
    for name in ["one", "two"] { try scenario.client.create(name) }
    try scenario.append(["o1", "o2"], to: "one")
    try scenario.append(["t1"], to: "two")
    try scenario.pull()
    try scenario.client.delete("two")
    try scenario.client.rename("one", to: "two")
    let outcome = try scenario.mirror.pull()
    #expect(outcome.status == 0, "\(outcome.summary)")
    let tree = try scenario.mirror.tree()
    #expect(tree["two"].count == 2 && tree.message(with: "o1@")?.folder == "two")
    #expect(tree.message(with: "t1@") != nil, "deleted mail stays here")
    #expect(tree.messages.count == 3)
    try scenario.expectQuiet()
    try scenario.append(["o3"], to: "two")
    try scenario.pull()
    #expect(try scenario.mirror.tree()["two"].count == 3)
  }

  @Test func `a folder that cannot be made stops no other`() throws {
    let scenario = try Scenario()
    try scenario.append(["m1"])
    try scenario.client.create("Foo")
    try scenario.append(["f1"], to: "Foo")
    try FileManager.default.createDirectory(
      atPath: scenario.mirror.account, withIntermediateDirectories: true)
    try writeFile(scenario.mirror.account + "/Foo", "in the way")
    let outcome = try scenario.mirror.pull()
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.errorText.contains("Foo"))
    #expect(try scenario.mirror.tree()["INBOX"].count == 1)
    unlink(scenario.mirror.account + "/Foo")
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }
}

/// What a run must not do at all.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct QuietTests {
  @Test(arguments: LaterPullTests.ways)
  func `a run with nothing to do writes nothing but its lock`(way: DovecotServer.Options) throws {
    let scenario = try Scenario(way)
    try scenario.append(["m1", "m2"])
    try scenario.pull()
    pause(3)  // Until the directories' times have settled.
    let before = TreeSnapshot(
      scenario.mirror.account, leavingOut: { $0 == ".mirror/lock" || $0 == ".mirror" })
    try scenario.pull()
    let after = TreeSnapshot(
      scenario.mirror.account, leavingOut: { $0 == ".mirror/lock" || $0 == ".mirror" })
    #expect(before.changes(to: after) == [])
  }

  /// With the index, and at once, before the directories' times have settled.
  @Test func `the second of two runs writes nothing but the locks`() throws {
    let scenario = try Scenario()
    try scenario.append(["m1", "m2"])
    let look = { TreeSnapshot(scenario.mirror.root) { $0.hasSuffix("lock") } }
    #expect(try scenario.mirror.run(["sync"]).ending == .exited(0))
    for command in ["sync", "pull", "push", "sync"] {
      let before = look()
      #expect(before.files.keys.contains(".mirror/index.db"))
      #expect(try scenario.mirror.run([command]).ending == .exited(0))
      // The directories in which the databases' journals come and go.
      let changed = before.changes(to: look()).filter { !$0.hasSuffix(".mirror") }
      #expect(changed == [], "\(command)")
    }
  }

  @Test(arguments: ["--dry-run", "status", "verify"])
  func `looking leaves no trace`(way: String) throws {
    let scenario = try Scenario()
    try scenario.append(["m1", "m2"])
    try scenario.pull()
    try scenario.append(["m3"])
    let before = TreeSnapshot(scenario.mirror.account, leavingOut: { $0 == ".mirror" })
    _ = try scenario.mirror.run(way == "--dry-run" ? ["pull", "--no-index", way] : [way])
    let after = TreeSnapshot(scenario.mirror.account, leavingOut: { $0 == ".mirror" })
    #expect(before.changes(to: after) == [])
  }

  @Test func `a window by size comes to rest`() throws {
    let scenario = try Scenario(sync: "window = \"60kB\"")
    try scenario.fill(60)
    try scenario.fill(20, seed: 4, mailbox: "Archive")
    try scenario.pull()
    let kept = try scenario.mirror.tree().messages.count
    #expect(kept > 0 && kept < 80)
    try scenario.expectQuiet()
    try scenario.expectQuiet()
    #expect(try scenario.mirror.tree().messages.count == kept)
    try scenario.mirror.configure { $0.sync = "window = \"all\"" }
    try scenario.pull()
    try scenario.expectMirrored()
  }

  @Test func `an edit of equal size is not pruned away`() throws {
    let now = Int64(Date().timeIntervalSince1970)
    let scenario = try Scenario()
    try scenario.append(["k"], flags: ["aaa"], date: now - 60 * 86_400)
    try scenario.append(["plain"], date: now - 60 * 86_400)
    try scenario.pull()
    let reader = Reader(scenario.mirror)
    try reader.setKeywords(#require(try scenario.local("k@")), ["bbb"])
    try scenario.mirror.configure { $0.sync = "window = \"30d\"" }
    try scenario.pull()
    #expect(try scenario.local("k@")?.keywords() == ["bbb"])
    #expect(try scenario.local("plain@") == nil)
  }
}

/// Servers whose words contradict each other.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct ContradictionTests {
  @Test func `sizes that lie double nothing when the state is lost`() throws {
    let account = MailAccount(["INBOX"])
    for number in 0..<5 {
      account.change("INBOX") { $0.deliver(SampleMessage(token: "m\(number)")) }
    }
    let server = try ModelServer(account, .modern)
    server.alter { _, replies in
      replies.map { .line($0.text.replacing("RFC822.SIZE ", with: "RFC822.SIZE 9")) }
    }
    let mirror = try MirrorProgram(AccountSettings(port: server.port, user: "u"))
    #expect(try mirror.pull().status == 0)
    removeTree(mirror.account + "/.mirror")
    #expect(try mirror.pull().status == 0)
    #expect(try mirror.tree().messages.count == 5)
  }

  @Test func `two connections never wait for each other's failures`() throws {
    let account = MailAccount(["INBOX", "f1", "f2"])
    for (name, order) in [("f1", [1, 2]), ("f2", [2, 1])] {
      for number in order {
        account.change(name) {
          $0.deliver(SampleMessage(token: "x\(number)"), identity: UInt64(number))
        }
      }
    }
    let server = try ModelServer(account, .modern)
    server.alter { command, replies in
      guard command.name == "UID FETCH", command.text.contains("BODY.PEEK[]") else {
        return replies
      }
      return replies.filter { !$0.text.hasPrefix("* ") }
    }
    let mirror = try MirrorProgram(AccountSettings(port: server.port, user: "u"))
    let outcome = try mirror.pull(limit: 50)
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.seconds < 30)
    server.alter { _, replies in replies }
    #expect(try mirror.pull().status == 0)
    #expect(try mirror.tree().messages.count == 4)
    // What failed is forgotten once it came.
    #expect(try !mirror.run(["status"]).outputText.contains("could not be pulled"))
  }
}
