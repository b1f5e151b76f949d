import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What comes to the server while an account is watched.
@Suite(.onWaitingThreads, .enabled(if: WatchStage.isPossible), .serialized)
struct WatchArrivalTests {
  private static let boxes = (0..<30).map { "Lists/l\($0)" }

  @Test func `new mail of any mailbox arrives while one connection waits`() throws {
    let stage = try WatchStage { client in
      for box in Self.boxes { try client.create(box) }
    }
    #expect(stage.way == "notify")
    let before = stage.proxy.connections
    for number in 0..<6 {
      try stage.arrival("n\(number)", in: Self.boxes[number * 5])
      try stage.arrival("i\(number)")
    }
    #expect(stage.proxy.connections == before, "all came over connections that stood")
    try stage.wait("each is told") { stage.events("arrived").count >= 12 }
    let told = stage.events("arrived")
    for event in told { #expect(event.path.map { exists($0) } == true, "\(event)") }
    #expect(told.count == 12 && Set(told.compactMap(\.path)).count == 12)
    try stage.stop()
  }

  @Test func `mail that comes just after the line was tried is not overlooked`() throws {
    let stage = try WatchStage()
    for (number, wait) in [0.02, 0.1, 0.5, 0.9].enumerated() {
      // The line is asked for a sign of life. After a command with a mailbox selected Dovecot tells nothing for a second.
      stage.watch.signal(SIGCONT)
      pause(wait)
      try stage.arrival("after\(number)")
    }
    try stage.stop()
  }

  @Test(arguments: [["NOTIFY"], ["NOTIFY", "IDLE"]])
  func `without NOTIFY it is IDLE, without both polling`(missing: Set<String>) throws {
    let stage = try WatchStage(.init(without: missing), settings: "poll = \"5s\"") {
      try $0.create("Other")
    }
    let isPolling = missing.contains("IDLE")
    #expect(stage.way == (isPolling ? "poll" : "idle"))
    try stage.arrival("a")
    try stage.arrival("b", in: "Other")
    let status = try stage.mirror.run(["status", "--format", "json"])
    #expect(status.outputText.contains(isPolling ? "\"by\" : \"poll\"" : "\"by\" : \"idle\""))
    try stage.stop()
    #expect(!(try stage.mirror.run(["status", "--format", "json"])).outputText.contains("\"by\""))
  }

  @Test(.enabled(if: Machine.hasCyrus))
  func `a server that says IDLE and tells of nothing is looked at`() throws {
    let stage = try WatchStage(cyrus: CyrusServer.sharedDeaf(), settings: "poll = \"5s\"")
    #expect(stage.way == "idle")
    try stage.arrival("quiet")
    try stage.stop()
  }

  @Test func `mail that another run brings is told, too`() throws {
    let stage = try WatchStage(.init(without: ["NOTIFY", "IDLE"]), settings: "poll = \"1h\"")
    for (number, verb) in ["pull", "sync"].enumerated() {
      try stage.append("beside\(number)")
      #expect(try stage.mirror.run([verb]).ending == .exited(0))
      try stage.wait("it is told") { stage.events("arrived").count == number + 1 }
    }
    pause(3)
    #expect(stage.events("arrived").count == 2)
    try stage.stop()
  }

  @Test func `each mailbox that is named is waited at by IDLE`() throws {
    let stage = try WatchStage(
      .init(without: ["NOTIFY"]), settings: "mailboxes = [\"INBOX\", \"Urgent\"]\npoll = \"1h\""
    ) { try $0.create("Urgent") }
    try stage.arrival("u", in: "Urgent")
    try stage.arrival("i")
    try stage.stop()
  }

  @Test func `by IDLE mail that others move in or out has one place at once`() throws {
    let stage = try WatchStage(.init(without: ["NOTIFY"]), settings: "poll = \"1h\"") { client in
      try client.create("Other")
      try client.append(SampleMessage(token: "comes"), to: "Other")
      try client.append(SampleMessage(token: "goes"), to: "INBOX")
    }
    #expect(stage.way == "idle")
    let (comes, goes) = (
      try stage.client.uid(of: "comes", in: "Other"), try stage.client.uid(of: "goes", in: "INBOX")
    )
    try stage.client.move([comes], from: "Other", to: "INBOX")
    try stage.wait("it is in INBOX, and nowhere else") {
      try stage.local("comes", in: "INBOX") != nil && stage.local("comes", in: "Other") == nil
    }
    try stage.client.move([goes], from: "INBOX", to: "Other")
    try stage.wait("it is in Other, and nowhere else") {
      try stage.local("goes", in: "Other") != nil && stage.local("goes", in: "INBOX") == nil
    }
    #expect(stage.events("arrived").isEmpty, "neither is new")
    try stage.stop()
  }

  @Test func `more mailboxes than NOTIFY takes names of are watched all the same`() throws {
    let stage = try WatchStage { client in
      for number in 0..<150 { try client.create("m\(number)") }
    }
    #expect(stage.way == "notify")
    try stage.arrival("far", in: "m149")
    try stage.stop()
  }

  @Test func `mailboxes made, renamed and deleted on the server follow, and folders made here`()
    throws
  {
    let stage = try WatchStage()
    try stage.client.create("New")
    try stage.arrival("first", in: "New")
    try stage.client.rename("New", to: "Newer")
    try stage.wait("the folder is renamed") { try stage.local("first", in: "Newer") != nil }
    #expect(try stage.mirror.tree().count(of: "first") == 1)
    try stage.client.command("SUBSCRIBE Newer")
    try stage.client.delete("Newer")
    try stage.wait("it is told") { stage.watch.errorsSoFar.contains("personal/Newer") }
    #expect(try stage.local("first", in: "Newer") != nil, "its mail stays here")
    removeTree(stage.mirror.account + "/Newer")
    for part in ["", "/tmp", "/new", "/cur"] {
      try makeDirectory(stage.mirror.account + "/Here" + part)
    }
    try stage.wait("the mailbox is made") { try stage.client.mailboxes().contains("Here") }
    try stage.expectEqual()
    try stage.stop()
  }

  @Test func `flags and expunges of others follow`() throws {
    let stage = try WatchStage { try $0.append(SampleMessage(token: "m"), to: "INBOX") }
    let uid = try stage.client.uid(of: "m", in: "INBOX")
    try stage.client.store([uid], "+FLAGS", ["\\Flagged"], in: "INBOX")
    try stage.wait("the flag") { try stage.local("m")?.flags == "F" }
    try stage.client.expunge([uid], in: "INBOX")
    try stage.wait("the expunge") { try stage.local("m") == nil }
    try stage.stop()
  }

  @Test func `on-arrival gets a batch on its input, and holds nobody up`() throws {
    let stage = try WatchStage(
      settings: """
        on-arrival = "cat >>$HOME/arrived; echo run >>$HOME/runs; sleep 2; exit 3"
        """
    ) { try $0.append(SampleMessage(token: "old"), to: "INBOX") }
    try stage.client.append(
      (0..<5).map { SampleMessage(token: "b\($0)") }, to: "INBOX")
    let file = stage.mirror.home + "/arrived"
    func lines() -> [Substring] {
      String(decoding: (try? readFile(file)) ?? [], as: UTF8.self).split(separator: "\n")
    }
    try stage.wait("all are told") { lines().count == 5 }
    try stage.arrival("next")
    try stage.wait("the next batch") { lines().count == 6 }
    let runs = String(decoding: try readFile(stage.mirror.home + "/runs"), as: UTF8.self)
    #expect(runs.split(separator: "\n").count < 6)
    #expect(lines().allSatisfy { $0.contains("\"event\":\"arrived\"") })
    try stage.wait("its failure is told") { stage.watch.errorsSoFar.contains("status 3") }
    try stage.stop()
  }

  @Test func `the mail of a first pull is no news, and the index has all`() throws {
    let stage = try WatchStage { client in
      try client.append((0..<20).map { SampleMessage(token: "m\($0)") }, to: "INBOX")
    }
    try stage.arrival("fresh")
    try stage.wait("it is told") { stage.events("arrived").count == 1 }
    let id = try #require(stage.events("arrived").first?.id)
    let found = try stage.mirror.run(["search", "--format", "json", "--limit", "50", "from:alice"])
    #expect(found.outputText.contains("\"id\": \(id),"), "\(found.outputText.prefix(500))")
    let states = Set(stage.events("state").compactMap(\.state))
    #expect(
      states.isSuperset(of: [
        "connecting", "authenticating", "folders", "headers", "bodies", "indexing", "listening",
      ]), "\(states)")
    try stage.stop()
  }
}
