import Foundation
import MailTestKit
import Testing

/// Folders that are to follow another client's renames, where something is in their way.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct FollowingFolderTests {
  /// Mailboxes with two messages each, called after them.
  private func scenario(_ mailboxes: [String], _ options: DovecotServer.Options = .init()) throws
    -> Scenario
  {
    let scenario = try Scenario(options)
    for name in mailboxes {
      try scenario.client.create(name)
      try scenario.append([token(name), token(name, 1)], to: name)
    }
    try scenario.pull()
    return scenario
  }

  private func token(_ mailbox: String, _ number: Int = 0) -> String {
    mailbox.filter { $0 != "/" } + String(number)
  }

  private func path(_ folder: String, _ scenario: Scenario) -> String {
    scenario.mirror.account + "/" + folder
  }

  private func makeFolder(_ folder: String, _ scenario: Scenario) throws {
    for part in ["cur", "new", "tmp"] {
      try FileManager.default.createDirectory(
        atPath: path("\(folder)/\(part)", scenario), withIntermediateDirectories: true)
    }
  }

  /// Every message is here once, in this folder, and no run sends anything.
  private func expect(
    _ places: [String: String], _ scenario: Scenario, location: SourceLocation = #_sourceLocation
  ) throws {
    for _ in 0..<2 {
      try scenario.push(location: location)
      #expect(scenario.proxy.changingCommands == [], sourceLocation: location)
      try scenario.pull(location: location)
      #expect(scenario.bodyFetches == [], sourceLocation: location)
    }
    let tree = try scenario.mirror.tree()
    for (mailbox, place) in places {
      for number in 0..<2 {
        let token = token(mailbox, number)
        #expect(tree.message(with: token + "@")?.folder == place, "\(token)")
        #expect(tree.count(of: "<\(token)@") == 1, "\(token)", sourceLocation: location)
      }
    }
  }

  // MARK: Folders below

  /// `b/k` was there before, and is its own mailbox's.
  @Test func `what lies below the new name is none of what went along`() throws {
    let scenario = try scenario(["a", "a/k", "b/k"], .init(store: .maildir))
    try scenario.client.delete("a/k")
    try scenario.pull()
    try FileManager.default.removeItem(atPath: path("a/k", scenario))
    try scenario.client.rename("a", to: "b")
    try scenario.pull()
    try scenario.client.create("a/k")
    try scenario.append(["fresh"], to: "a/k")
    try scenario.pull()
    #expect(try scenario.mirror.tree().message(with: "fresh@")?.folder == "a/k")
    try expect(["a": "b", "b/k": "b/k"], scenario)
  }

  @Test func `nor is it moved to where one was that a person moved`() throws {
    let scenario = try scenario(["a", "a/k", "b/k"], .init(store: .maildir))
    try FileManager.default.moveItem(atPath: path("a/k", scenario), toPath: path("z", scenario))
    try scenario.client.rename("a", to: "tt")
    try scenario.client.rename("tt/k", to: "a/k")
    try scenario.client.rename("tt", to: "b")
    try scenario.pull()
    try scenario.push()
    #expect(scenario.proxy.commands(named: ["MOVE", "COPY", "APPEND"]) == [])
    #expect(try scenario.places(token("b/k")) == ["b/k"])
    try expect(["a": "b", "b/k": "b/k", "a/k": "z"], scenario)
  }

  /// `p/q/r` is gone from the server, and its folder stays a part of `p/q`, wherever that goes.
  @Test func `a local folder goes with the one that it lies in`() throws {
    let scenario = try scenario(["p", "p/q", "p/q/r"])
    try scenario.client.delete("p/q/r")
    try scenario.pull()
    try scenario.client.rename("p", to: "x")
    try scenario.pull()
    try scenario.client.rename("x/q", to: "tt")
    try scenario.client.rename("x", to: "y")
    try scenario.client.rename("tt", to: "x/q")
    try scenario.pull()
    try expect(["p": "y", "p/q": "x/q", "p/q/r": "x/q/r"], scenario)
  }

  /// Whether it has gone already cannot be seen.
  @Test(.enabled(if: Machine.canInject)) func `no folder goes while an earlier one cannot be read`()
    throws
  {
    let scenario = try scenario(["m", "p"])
    try scenario.client.create("q")
    try scenario.pull()
    try scenario.client.rename("m", to: "n")
    var run = FaultRun(scenario.mirror)
    run.arguments = ["pull", "--no-index"]
    let killed = try run.kill(at: "renameat2", 1)
    #expect(killed.ending == .signalled(9), "\(killed.summary)")
    let folder = FileManager.default.fileExists(atPath: path("m", scenario)) ? "m" : "n"
    let (cur, away) = (path(folder + "/cur", scenario), path(folder + "/c", scenario))
    try FileManager.default.moveItem(atPath: cur, toPath: away)
    try FileManager.default.createSymbolicLink(atPath: cur, withDestinationPath: "cur")
    try scenario.client.rename("p", to: "p2")
    // One that has no folder to move forgets nothing of that either.
    try FileManager.default.removeItem(atPath: path("q", scenario))
    try scenario.client.rename("q", to: "q2")
    scenario.proxy.forget()
    for _ in 0..<2 {
      let outcome = try scenario.mirror.pull()
      #expect(outcome.status != 0, "\(outcome.summary)")
      #expect(outcome.errorText.contains("is to be moved to “n” first"), "\(outcome.summary)")
    }
    _ = try scenario.mirror.run(["push"])
    #expect(scenario.proxy.changingCommands == [])
    try FileManager.default.removeItem(atPath: cur)
    try FileManager.default.moveItem(atPath: away, toPath: cur)
    try expect(["m": "n", "p": "p2"], scenario)
  }

  // MARK: Messages that go one by one

  /// Killed when some of them have gone, with a folder of the person's own at the new place.
  private func halfMerged() throws -> Scenario {
    let scenario = try scenario(["m", "p"])
    try makeFolder("n", scenario)
    try scenario.client.rename("m", to: "n")
    var run = FaultRun(scenario.mirror)
    run.arguments = ["pull", "--no-index"]
    let killed = try run.kill(at: "renameat2", 3)
    #expect(killed.ending == .signalled(9), "\(killed.summary)")
    let tree = try scenario.mirror.tree()
    #expect(tree["m"].count == 1 && tree["n"].count == 1)
    return scenario
  }

  @Test(.enabled(if: Machine.canInject)) func `a dry run does not go on with it`() throws {
    let scenario = try halfMerged()
    let before = TreeSnapshot(scenario.mirror.account, leavingOut: Scenario.isBookkeeping)
    for command in [["pull", "--dry-run"], ["push", "--dry-run"], ["status"]] {
      let outcome = try scenario.mirror.run(command)
      let told = outcome.outputText + outcome.errorText
      #expect(told.contains("giving a folder another place"), "\(outcome.summary)")
      let after = TreeSnapshot(scenario.mirror.account, leavingOut: Scenario.isBookkeeping)
      #expect(before.changes(to: after) == [], "\(command)")
    }
    try expect(["m": "n"], scenario)
  }

  /// As a copy of the tree has, or a folder that came back from a backup.
  @Test(.enabled(if: Machine.canInject), arguments: [["pull", "--no-index"], ["push"]])
  func `goes on in a copy of the folder`(next: [String]) throws {
    let scenario = try halfMerged()
    let (home, copy) = (path("m", scenario), path("m.copy", scenario))
    let copied = try MailTestKit.run(
      ["sh", "-c", "cp -a '\(home)' '\(copy)' && rm -r '\(home)' && mv '\(copy)' '\(home)'"])
    #expect(copied.status == 0)
    try #expect(scenario.mirror.run(next).status == 0)
    try expect(["m": "n"], scenario)
    #expect(!FileManager.default.fileExists(atPath: home))
  }

  /// Somebody who went on meanwhile would take what has gone for moved by a person.
  @Test(.enabled(if: Machine.canInject), arguments: [["pull", "--no-index"], ["push"]])
  func `while it cannot go on, nothing else does`(command: [String]) throws {
    let scenario = try halfMerged()
    var run = FaultRun(scenario.mirror)
    run.arguments = command
    for _ in 0..<2 {
      scenario.proxy.forget()
      let failed = try run.fail("renameat2", with: "EACCES", from: 1)
      #expect(failed.status == 77, "\(failed.summary)")
      #expect(failed.errorText.contains("being moved to “n”, which cannot go on"))
      #expect(scenario.proxy.changingCommands == [])
    }
    try expect(["m": "n"], scenario)
  }

  /// A cleaner took an empty directory of it.
  @Test(.enabled(if: Machine.canInject), arguments: ["tmp", "cur"])
  func `nor does it end before all have gone`(part: String) throws {
    let scenario = try halfMerged()
    try FileManager.default.removeItem(atPath: path("m/\(part)", scenario))
    for command in [["push"], ["pull", "--no-index"]] {
      let outcome = try scenario.mirror.run(command)
      #expect(outcome.status == 1, "\(outcome.summary)")
      #expect(outcome.errorText.contains("Restore the missing directory"), "\(outcome.summary)")
    }
    try makeFolder("m", scenario)
    try expect(["m": "n"], scenario)
  }

  /// What is written down of it must not make room for another folder's move.
  @Test(.enabled(if: Machine.canInject), arguments: [["pull", "--no-index"], ["push"]])
  func `nor do others go while it cannot be read`(next: [String]) throws {
    let scenario = try halfMerged()
    try FileManager.default.moveItem(atPath: path("m/cur", scenario), toPath: path("m/c", scenario))
    try FileManager.default.createSymbolicLink(
      atPath: path("m/cur", scenario), withDestinationPath: "cur")
    try scenario.client.rename("p", to: "p2")
    scenario.proxy.forget()
    for _ in 0..<2 {
      let outcome = try scenario.mirror.run(next)
      #expect(outcome.status != 0, "\(outcome.summary)")
      #expect(outcome.errorText.contains("are being moved to “n”"), "\(outcome.summary)")
    }
    #expect(scenario.proxy.changingCommands == [])
    try FileManager.default.removeItem(atPath: path("m/cur", scenario))
    try FileManager.default.moveItem(atPath: path("m/c", scenario), toPath: path("m/cur", scenario))
    try expect(["m": "n", "p": "p2"], scenario)
  }

  /// The account's own directory can follow nowhere.
  @Test func `the inbox of a tree in the other layout gives up its messages`() throws {
    let scenario = try Scenario(sync: "layout = \"maildir++\"")
    try scenario.append(["INBOX0", "INBOX1"])
    try scenario.pull()
    try scenario.client.rename("INBOX", to: "old")
    try scenario.append(["fresh"])
    try scenario.pull()
    #expect(try scenario.mirror.tree().message(with: "fresh@") != nil)
    try expect(["INBOX": ".old"], scenario)
  }

  @Test(.enabled(if: Machine.canInject)) func `a new folder at the old place is a person's own`()
    throws
  {
    let scenario = try halfMerged()
    let left = try #require(try scenario.mirror.tree()["m"].first)
    try Reader(scenario.mirror).move(left, to: "n")
    try FileManager.default.removeItem(atPath: path("m", scenario))
    try makeFolder("m", scenario)
    try Reader(scenario.mirror).deliver(
      SampleMessage(token: "fresh").bytes.filter { $0 != 13 }, name: "17.1_2.host", to: "m")
    try scenario.push()
    try scenario.pull()
    try scenario.push()
    #expect(try scenario.places("fresh") == ["m"])
    try expect(["m": "n"], scenario)
  }

  @Test func `a foreign file in the old folder does not bring its mailbox back`() throws {
    let scenario = try scenario(["m"])
    try makeFolder("n", scenario)
    try writeFile(path("m/.uidvalidity", scenario), Array("1\n".utf8))
    try scenario.client.rename("m", to: "n")
    try scenario.pull()
    try expect(["m": "n"], scenario)
    #expect(FileManager.default.fileExists(atPath: path("m/.uidvalidity", scenario)))
    #expect(try !scenario.client.mailboxes().contains("m"))
  }

  /// What cannot be renamed as a whole is moved message by message.
  @Test(.enabled(if: Machine.canInject), arguments: ["EXDEV", "EBUSY"])
  func `a folder on another disk`(error: String) throws {
    let scenario = try scenario(["m"])
    try scenario.client.rename("m", to: "n")
    var run = FaultRun(scenario.mirror)
    run.arguments = ["pull", "--no-index"]
    let pulled = try run.fail("renameat2", with: error, from: 1, only: true)
    #expect(pulled.status == 0, "\(pulled.summary)")
    try expect(["m": "n"], scenario)
  }

  // MARK: Failures

  @Test(.enabled(if: Machine.canInject)) func `one that cannot be moved stops no other`() throws {
    let scenario = try scenario(["a", "b", "m"])
    try scenario.client.rename("m", to: "tt")
    try scenario.client.rename("a", to: "m")
    try scenario.client.rename("tt", to: "a")
    try scenario.client.rename("b", to: "c")
    try scenario.append(["fresh"])
    var run = FaultRun(scenario.mirror)
    run.arguments = ["pull", "--no-index"]
    // `b` goes first, nobody waits for it; then `a` is to step aside.
    let pulled = try run.fail("renameat2", with: "EACCES", from: 2, only: true)
    #expect(pulled.status == 77, "\(pulled.summary)")
    let tree = try scenario.mirror.tree()
    #expect(tree.message(with: "fresh@") != nil, "\(pulled.summary)")
    #expect(tree["c"].count == 2 && tree["a"].count == 2 && tree["m"].count == 2)
    #expect(!pulled.errorText.contains("no longer has"), "\(pulled.summary)")
    _ = try scenario.mirror.run(["push"])
    #expect(scenario.proxy.changingCommands == [])
    try scenario.pull()
    try expect(["a": "m", "m": "a", "b": "c"], scenario)
  }

  /// What was moved there is not gone.
  @Test(.enabled(if: Machine.canInject)) func `flags wait for the mailbox that is left out`() throws
  {
    let scenario = try scenario(["m"])
    try scenario.append(["inbox0"])
    try scenario.pull()
    try Reader(scenario.mirror).setFlags(#require(try scenario.local("inbox0")), "F")
    try scenario.client.rename("m", to: "n")
    let remote = try #require(try scenario.remote("inbox0", in: "INBOX"))
    try scenario.client.move([remote.uid], from: "INBOX", to: "n")
    var run = FaultRun(scenario.mirror)
    run.arguments = ["pull", "--no-index"]
    let pulled = try run.fail("renameat2", with: "EACCES", from: 1, only: true)
    #expect(pulled.status == 77, "\(pulled.summary)")
    try scenario.pull()
    try scenario.push()
    #expect(try scenario.remote("inbox0", in: "n")?.flags.contains("\\Flagged") == true)
  }

  /// The folder is at its new place, whatever the disk says.
  @Test(.enabled(if: Machine.canInject), arguments: 1...6)
  func `a disk that fails behind a rename`(sync: Int) throws {
    let scenario = try Scenario(sync: "fsync = true")
    for name in ["x", "x/sub", "y"] {
      try scenario.client.create(name)
      try scenario.append([token(name), token(name, 1)], to: name)
    }
    try scenario.pull()
    try scenario.client.rename("x/sub", to: "tt")
    try scenario.client.delete("x")
    try scenario.client.rename("y", to: "x")
    try scenario.client.rename("tt", to: "x/sub")
    var run = FaultRun(scenario.mirror)
    run.arguments = ["pull", "--no-index"]
    let failed = try run.fail("fsync", with: "EIO", from: sync, only: true)
    #expect(failed.status != 0, "\(failed.summary)")
    scenario.proxy.forget()
    let pushed = try scenario.mirror.run(["push"])
    let pulled = try scenario.pull()
    let told = failed.errorText + pushed.errorText + pulled.errorText
    #expect(told.contains("its folder stays here as"), "\(failed.summary) \(pushed.summary)")
    try expect(["x": "x (deleted 7)", "x/sub": "x/sub", "y": "x"], scenario)
  }
}
