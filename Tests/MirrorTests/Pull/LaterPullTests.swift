import MailTestKit
import Testing

/// What changes on the server arrives, and arrives once.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct LaterPullTests {
  /// The three ways to learn of changes.
  static let ways: [DovecotServer.Options] = [
    .init(), .init(without: ["QRESYNC"]), .init(without: ["QRESYNC", "CONDSTORE"]),
    .init(store: .maildir),
  ]

  @Test(arguments: ways) func `changes on the server arrive`(way: DovecotServer.Options) throws {
    let scenario = try Scenario(way)
    let client = scenario.client
    try scenario.fill(60)
    try client.create("Work")
    try scenario.append(["w1", "w2", "w3"], to: "Work")
    try scenario.pull()

    try scenario.append(["n1", "n2"])
    try client.store([1, 2, 3], "+FLAGS", ["\\Seen", "\\Flagged"], in: "INBOX")
    try client.store([4, 5], "FLAGS", [], in: "INBOX")
    try client.store([6, 7, 8], "+FLAGS", ["$Junk", "later"], in: "INBOX")
    try client.expunge([9, 10, 30, 60], in: "INBOX")
    try client.move([1], from: "Work", to: "Archive")
    let outcome = try scenario.pull()
    #expect(outcome.outputText.contains("3 new"), "\(outcome.summary)")
    try scenario.expectMirrored()
    try scenario.expectQuiet()

    try client.store([6], "-FLAGS", ["$Junk", "later"], in: "INBOX")
    try client.store([7], "-FLAGS", ["later"], in: "INBOX")
    try scenario.pull()
    #expect(scenario.bodyFetches == [], "keywords never cost a download")
    try scenario.expectMirrored()
  }

  @Test func `unchanged mailboxes are not even selected`() throws {
    let scenario = try Scenario()
    for name in ["a", "b", "c"] {
      try scenario.client.create(name)
      try scenario.append(["in-\(name)"], to: name)
    }
    try scenario.pull()
    try scenario.append(["new-in-b"], to: "b")
    try scenario.pull()
    let selected = scenario.proxy.commands(named: ["SELECT", "EXAMINE"])
    #expect(selected.count == 1 && selected.allSatisfy { $0.contains("b") }, "\(selected)")
    try scenario.expectMirrored()
    try scenario.pull()
    #expect(scenario.proxy.commands(named: ["SELECT", "EXAMINE"]) == [])
    let turns = scenario.proxy.records.map(\.turns)
    print("a pull of nothing new: \(turns) round trips")
    #expect(turns.count == 1 && turns[0] <= 5, "\(turns): \(scenario.proxy.commands)")
  }

  @Test(arguments: [DovecotServer.Store.sdbox, .maildir])
  func `a renamed mailbox is renamed here, without a download`(store: DovecotServer.Store) throws {
    let scenario = try Scenario(.init(store: store))
    try scenario.client.create("Work")
    try scenario.fill(20, mailbox: "Work")
    try scenario.pull()
    let inodes = Set(try scenario.mirror.tree()["Work"].map(\.inode))
    try scenario.client.rename("Work", to: "Projects")
    try scenario.pull()
    #expect(scenario.bodyFetches == [])
    try scenario.expectMirrored()
    #expect(Set(try scenario.mirror.tree()["Projects"].map(\.inode)) == inodes)
    #expect(try scenario.mirror.tree()["Work"] == [])
    try scenario.expectQuiet()
  }

  @Test func `a deleted mailbox keeps its mail here, and is reported`() throws {
    let scenario = try Scenario()
    try scenario.client.create("Work")
    try scenario.append(["w1", "w2"], to: "Work")
    try scenario.pull()
    try scenario.client.delete("Work")
    let outcome = try scenario.mirror.pull()
    #expect((outcome.outputText + outcome.errorText).contains("Work"), "\(outcome.summary)")
    #expect(try scenario.mirror.tree()["Work"].count == 2)
    _ = try scenario.mirror.pull()
    #expect(try scenario.mirror.tree()["Work"].count == 2)
  }

  @Test func `a mailbox made anew under another UIDVALIDITY is matched, not downloaded`() throws {
    let scenario = try Scenario()
    var generator = MailGenerator(seed: 5)
    let messages = generator.messages(25)
    try scenario.client.create("Work")
    try scenario.client.append(messages, to: "Work")
    try scenario.pull()
    let reader = Reader(scenario.mirror)
    let flagged = try #require(try scenario.mirror.tree()["Work"].first)
    try reader.setFlags(flagged, "FRS")
    let inodes = Set(try scenario.mirror.tree()["Work"].map(\.inode))

    try scenario.client.delete("Work")
    try scenario.client.create("Work")
    try scenario.client.append(Array(messages.reversed()), to: "Work")
    try scenario.append(["fresh"], to: "Work")
    try scenario.pull()
    let tree = try scenario.mirror.tree()
    #expect(scenario.bodyFetches.count <= 1, "\(scenario.bodyFetches)")
    #expect(tree["Work"].count == 26)
    #expect(Set(tree["Work"].map(\.inode)).isSuperset(of: inodes))
    let kept = tree["Work"].first { $0.inode == flagged.inode }
    #expect(
      kept?.flags.contains("F") == true && kept?.flags.contains("R") == true, "local change kept")
    try scenario.expectQuiet()
  }

  @Test func `a vanished and an added mailbox in one run`() throws {
    let scenario = try Scenario()
    for name in ["one", "two"] { try scenario.client.create(name) }
    try scenario.append(["o1"], to: "one")
    try scenario.append(["t1"], to: "two")
    try scenario.pull()
    try scenario.client.rename("one", to: "three")
    try scenario.client.rename("two", to: "one")
    try scenario.append(["i1"])
    try scenario.pull()
    #expect(try scenario.mirror.tree().message(with: "o1@")?.folder == "three")
    #expect(try scenario.mirror.tree().message(with: "t1@")?.folder == "one")
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }

  @Test func `one connection is enough`() throws {
    let scenario = try Scenario()
    try scenario.mirror.configure { $0.connections = 1 }
    for number in 0..<6 {
      try scenario.client.create("box\(number)")
      try scenario.fill(10, seed: UInt64(number), mailbox: "box\(number)")
    }
    try scenario.pull()
    #expect(scenario.proxy.connections == 1)
    try scenario.expectMirrored()
  }

  @Test func `a second account stays apart`() throws {
    let server = try DovecotServer.shared()
    let users = [DovecotServer.newUser("a"), DovecotServer.newUser("b")]
    var settings = users.map { AccountSettings(server, user: $0) }
    settings[1].name = "work"
    for user in users {
      try server.client(user).append(SampleMessage(token: "for-\(user)"))
    }
    let mirror = try MirrorProgram(settings[0], settings[1])
    let outcome = try mirror.pull()
    #expect(outcome.status == 0, "\(outcome.summary)")
    for (name, user) in zip(["personal", "work"], users) {
      let tree = try MaildirTree("\(mirror.root)/\(name)")
      try expectSame(tree, server.client(user).state())
    }
    #expect(outcome.outputText.split(separator: "\n").count == 2, "\(outcome.outputText)")
  }
}
