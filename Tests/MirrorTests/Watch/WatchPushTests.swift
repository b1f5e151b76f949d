import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a mail reader does in the tree while it is watched.
@Suite(.onWaitingThreads, .enabled(if: WatchStage.isPossible), .serialized)
struct WatchPushTests {
  private static func filled(_ count: Int) -> (IMAPTestClient) throws -> Void {
    { try $0.append((0..<count).map { SampleMessage(token: "m\($0)x") }, to: "INBOX") }
  }

  @Test func `a mark is on the server within seconds, a deletion a little later`() throws {
    let stage = try WatchStage(prepare: Self.filled(3))
    try stage.mark("m0x", "FS")
    try stage.wait("the mark") { try stage.flags("m0x")?.contains("\\Flagged") == true }
    let gone = try #require(try stage.local("m1x"))
    let began = monotonicSeconds()
    unlink("\(stage.mirror.account)/\(gone.path)")
    try stage.wait("the deletion") { try stage.flags("m1x", in: "Trash") != nil }
    #expect(monotonicSeconds() - began > 4)
    #expect(try stage.flags("m1x") == nil)
    try stage.expectEqual()
    try stage.stop()
  }

  @Test func `what commands mark and move by query goes, too`() throws {
    let stage = try WatchStage { client in
      try client.create("Other")
      try Self.filled(2)(client)
    }
    try stage.wait("the index has them") {
      try stage.mirror.run(["search", "--format", "json", "*"]).outputText.contains("m1x")
    }
    try stage.mirror.sort("flag", "+flagged", SampleMessage.query("m0x"))
    try stage.mirror.sort("move", "Other", SampleMessage.query("m1x"))
    try stage.wait("the flag") { try stage.flags("m0x")?.contains("\\Flagged") == true }
    try stage.wait("the move") { try stage.flags("m1x", in: "Other") != nil }
    try stage.expectEqual()
    try stage.stop()
  }

  @Test func `a steady trickle of marks is pushed all along`() throws {
    let stage = try WatchStage(prepare: Self.filled(80))
    let began = monotonicSeconds()
    var trickle = 0
    // No pause is long enough for one who waits for quiet.
    while stage.events("pushed").isEmpty, trickle < 80 {
      try stage.mark("m\(trickle)x", "S")
      trickle += 1
      pause(0.5)
    }
    #expect(trickle < 80)
    try stage.expectEqual()
    let pushed = stage.events("pushed").compactMap(\.marked)
    #expect(pushed.reduce(0, +) == trickle)
    #expect(Double(pushed.count) <= 2 + (monotonicSeconds() - began) / 5, "\(pushed)")
    try stage.stop()
  }

  @Test func `more events than the system keeps: all marks go, once`() throws {
    let stage = try WatchStage(prepare: Self.filled(300))
    stage.watch.signal(SIGSTOP)
    let folder = stage.mirror.account + "/INBOX"
    var names: [String: String] = [:]
    for message in try stage.mirror.tree()["INBOX"] {
      names[message.base] = "\(message.subdirectory)/\(message.name)"
    }
    for round in 0..<31 {
      let letters = round.isMultiple(of: 2) ? "S" : "FS"
      for (base, name) in names {
        let target = "cur/\(base):2,\(letters)"
        try #require(rename("\(folder)/\(name)", "\(folder)/\(target)") == 0)
        names[base] = target
      }
    }
    stage.watch.signal(SIGCONT)
    try stage.expectEqual()
    let marked = stage.events("pushed").compactMap(\.marked).reduce(0, +)
    #expect(marked == 300)
    try stage.stop()
  }

  @Test func `moves by rename, by link and by copy become moves on the server`() throws {
    let stage = try WatchStage { client in
      try client.create("Target")
      try Self.filled(3)(client)
    }
    let account = stage.mirror.account
    let messages = try (0..<3).map { try #require(try stage.local("m\($0)x")) }
    for (message, how) in zip(messages, ["rename", "link", "copy"]) {
      let (old, new) = ("\(account)/\(message.path)", "\(account)/Target/cur/\(message.base):2,S")
      switch how {
      case "rename": try #require(rename(old, new) == 0)
      case "link": try #require(link(old, new) == 0 && unlink(old) == 0)
      default:
        try writeFile(new, readFile(old))
        unlink(old)
      }
    }
    try stage.wait("all are moved") { try stage.client.uids(in: "Target").count == 3 }
    try stage.expectEqual()
    #expect(try stage.client.uids(in: "Target").count == 3)
    #expect(stage.proxy.commands(named: ["APPEND"]) == [])
    try stage.stop()
  }

  @Test func `a draft that is saved again and again waits for quiet`() throws {
    let stage = try WatchStage()
    let drafts = stage.mirror.account + "/Drafts/cur"
    for number in 0..<4 {
      try writeFile("\(drafts)/d\(number):2,DS", "Subject: draft\n\nversion \(number)\n")
      if number > 0 { unlink("\(drafts)/d\(number - 1):2,DS") }
      pause(2)
    }
    #expect(try stage.client.uids(in: "Drafts") == [])
    #expect(stage.proxy.commands(named: ["APPEND"]) == [])
    try stage.stop()
  }

  @Test func `what a pull writes itself is not looked for`() throws {
    let stage = try WatchStage(.init(), .init(arguments: ["-v"]), prepare: Self.filled(1))
    var before = -1
    try stage.wait("what began with the watch is over") {
      defer { before = stage.events("pushed").count }
      pause(3)
      return stage.events("pushed").count == before
    }
    try stage.client.append((0..<500).map { SampleMessage(token: "n\($0)x") }, to: "INBOX")
    try stage.wait("all are here") { try stage.mirror.tree()["INBOX"].count == 501 }
    pause(4)
    #expect(stage.events("pushed").count == before)
    try stage.stop()
  }
}
