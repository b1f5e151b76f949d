import Foundation
import MailTestKit
import Testing

/// A message was moved here, and by another client on the server: it ends where it was moved here, once.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct MovedOnBothSidesTests {
  static let servers: [DovecotServer.Options] = [
    .init(), .init(without: ["MOVE"]), .init(without: ["QRESYNC", "CONDSTORE"]),
  ]

  enum First: CaseIterable { case pull, push }

  private func scenario(_ options: DovecotServer.Options = .init(), sync: String = "") throws
    -> (Scenario, Reader)
  {
    let scenario = try Scenario(options, sync: sync)
    for name in ["Work", "Later"] { try scenario.client.create(name) }
    try scenario.append((0..<6).map { "m\($0)" })
    try scenario.pull()
    return (scenario, Reader(scenario.mirror))
  }

  private func run(_ first: First, _ scenario: Scenario) throws -> String {
    var said = ""
    if first == .push { said += try scenario.push().errorText }
    said += try scenario.pull().errorText
    said += try scenario.push().errorText
    #expect(scenario.appends == [])
    return said
  }

  @Test(arguments: servers, First.allCases) func `it ends where it was moved here, which is said`(
    options: DovecotServer.Options, first: First
  ) throws {
    let (scenario, reader) = try scenario(options)
    try reader.move(#require(try scenario.local("m1@")), to: "Work")
    try scenario.client.move([2], from: "INBOX", to: "Later")
    let said = try run(first, scenario)
    #expect(said.contains("moved to “Work” here, and to “Later” on the server"), "\(said)")
    #expect(try scenario.places("m1") == ["Work"])
    #expect(try scenario.mirror.tree().count(of: "m1@") == 1)
    #expect(try scenario.local("m1@")?.folder == "Work")
    try scenario.pull()
    try scenario.expectSettled()
  }

  @Test(arguments: First.allCases) func `under a new name, with marks of both sides`(first: First)
    throws
  {
    let (scenario, reader) = try scenario()
    let message = try #require(try scenario.local("m1@"))
    try reader.deliver(
      Array("X-Keywords: mine\n".utf8) + message.raw, name: "18.5_r.host", to: "Work", flags: "F")
    try reader.remove(message)
    try scenario.client.store([2], "+FLAGS", ["\\Answered", "theirs"], in: "INBOX")
    try scenario.client.move([2], from: "INBOX", to: "Later")
    _ = try run(first, scenario)
    #expect(try scenario.places("m1") == ["Work"])
    let remote = try #require(try scenario.remote("m1", in: "Work"))
    #expect(remote.flags.isSuperset(of: ["\\Flagged", "\\Answered", "mine", "theirs"]))
    #expect(try scenario.local("m1@")?.flags == "FR")
    try scenario.pull()
    try scenario.expectSettled()
  }

  /// The folder of a mailbox that another client deleted stays, and its messages are put into others.
  @Test(arguments: First.allCases) func `it came from a mailbox that the server has no more`(
    first: First
  ) throws {
    let (scenario, reader) = try scenario()
    try scenario.client.create("Gone")
    try scenario.append(["g0", "g1"], to: "Gone")
    try scenario.pull()
    try scenario.client.delete("Gone")
    try scenario.pull()
    try reader.move(#require(try scenario.local("g0@")), to: "Later")
    try scenario.push()
    try scenario.pull()
    #expect(try scenario.places("g0") == ["Later"])
    try reader.move(#require(try scenario.local("g0@")), to: "Work")
    try scenario.client.move([1], from: "Later", to: "INBOX")
    scenario.proxy.forget()
    _ = try run(first, scenario)
    #expect(try scenario.places("g0") == ["Work"])
    #expect(try scenario.mirror.tree().count(of: "g0@") == 1)
  }

  @Test(arguments: First.allCases) func `to the same folder it is one message, and nothing is said`(
    first: First
  ) throws {
    let (scenario, reader) = try scenario()
    try reader.move(#require(try scenario.local("m1@")), to: "Work")
    try scenario.client.move([2], from: "INBOX", to: "Work")
    let said = try run(first, scenario)
    #expect(!said.contains("on the server:"), "\(said)")
    #expect(try scenario.places("m1") == ["Work"])
    #expect(try scenario.mirror.tree().count(of: "m1@") == 1)
    try scenario.expectSettled()
  }

  @Test(arguments: First.allCases) func `a folder made for it becomes a mailbox, and has it`(
    first: First
  ) throws {
    let (scenario, reader) = try scenario()
    for part in ["tmp", "new", "cur"] {
      try FileManager.default.createDirectory(
        atPath: scenario.mirror.account + "/Nile/" + part, withIntermediateDirectories: true)
    }
    try reader.move(#require(try scenario.local("m1@")), to: "Nile")
    try scenario.client.move([2], from: "INBOX", to: "Trash")
    _ = try run(first, scenario)
    #expect(try scenario.places("m1") == ["Nile"])
    #expect(try scenario.mirror.tree().count(of: "m1@") == 1)
  }

  /// Copies of one message in two mailboxes: the one of which nobody wanted anything stays.
  @Test(arguments: First.allCases) func `a copy that was there before stays where it is`(
    first: First
  ) throws {
    let (scenario, reader) = try scenario()
    try scenario.client.copy([2], from: "INBOX", to: "Later")
    try scenario.pull()
    try scenario.pull()
    try reader.move(#require(try scenario.local("m1@", in: "INBOX")), to: "Work")
    try scenario.client.expunge([2], in: "INBOX")
    _ = try run(first, scenario)
    #expect(try scenario.places("m1").sorted() == ["Later", "Work"])
    #expect(try scenario.mirror.tree().count(of: "m1@") == 2)
    try scenario.expectSettled()
  }

  @Test func `two equal messages go their two ways`() throws {
    let (scenario, reader) = try scenario()
    let sample = SampleMessage(token: "twin")
    try scenario.client.append([sample, sample], to: "INBOX")
    try scenario.pull()
    let twins = try scenario.mirror.tree().messages.filter {
      contains($0.raw, Array("<twin@".utf8))
    }
    #expect(twins.count == 2)
    try reader.move(#require(twins.first), to: "Work")
    try scenario.client.move([7], from: "INBOX", to: "Later")
    try scenario.client.move([8], from: "INBOX", to: "Later")
    _ = try run(.pull, scenario)
    #expect(try scenario.places("twin").sorted() == ["Later", "Work"])
    #expect(try scenario.mirror.tree().count(of: "<twin@") == 2)
    try scenario.expectSettled()
  }

  /// The mailbox that has it now is not visited: the file waits, and is no new message meanwhile.
  @Test func `a pull of one mailbox leaves the file waiting`() throws {
    let (scenario, reader) = try scenario()
    try reader.move(#require(try scenario.local("m1@")), to: "Work")
    try scenario.client.move([2], from: "INBOX", to: "Later")
    try scenario.pull(0, "personal/INBOX")
    try scenario.push(1)
    #expect(scenario.proxy.changingCommands == [])
    #expect(try scenario.places("m1") == ["Later"])
    try scenario.pull()
    try scenario.push()
    #expect(try scenario.places("m1") == ["Work"])
    #expect(try scenario.mirror.tree().count(of: "m1@") == 1)
    try scenario.expectSettled()
  }

  @Test(.enabled(if: Machine.hasCyrus), arguments: First.allCases) func `on Cyrus, too`(
    first: First
  ) throws {
    let scenario = try Scenario(cyrus: CyrusServer.shared())
    for name in ["Work", "Later"] { try scenario.client.create(name) }
    try scenario.append((0..<6).map { "m\($0)" })
    try scenario.pull()
    try Reader(scenario.mirror).move(#require(try scenario.local("m1@")), to: "Work")
    try scenario.client.move([2], from: "INBOX", to: "Later")
    _ = try run(first, scenario)
    #expect(try scenario.places("m1") == ["Work"])
    #expect(try scenario.mirror.tree().count(of: "m1@") == 1)
    try scenario.pull()
    try scenario.expectSettled()
  }

  @Test(arguments: First.allCases) func `on Gmail, too`(first: First) throws {
    let stage = try GmailStage()
    try stage.reader.move(stage.local("m1"), to: "Work")
    let box = try #require(stage.account["INBOX"])
    let message = try #require(
      box.messages.first { contains($0.bytes, Array("<m1@".utf8)) })
    stage.account.change("INBOX") { $0.expunge(message.uid) }
    stage.account.change("Later") {
      $0.deliver(SampleMessage(token: "m1"), identity: message.identity)
    }
    for command in first == .push ? ["push", "pull", "push"] : ["pull", "push"] {
      let outcome = try stage.mirror.run([command])
      #expect(outcome.status == 0, "\(outcome.summary)")
    }
    for _ in 0..<2 { _ = try stage.mirror.run(["sync", "--no-index"]) }
    #expect(stage.places("m1") == ["Work"])
    #expect(try stage.mirror.tree().count(of: "<m1@") == 1)
  }

  /// A kill at every commit, and at every change of a name.
  @Test(.enabled(if: Machine.canInject), arguments: ["pwrite64", "unlinkat", "renameat2", "fsync"])
  func `a kill at any point of the pull leaves one message`(call: String) throws {
    func stage() throws -> PushStage {
      let stage = try PushStage(.modern) { $0.add("Other") }
      try stage.reader.move(stage.local("m1"), to: "Work")
      let identity = try #require(stage.remote("m1", in: "INBOX")).identity
      stage.account.change("INBOX") { $0.expunge(2) }
      stage.account.change("Other") {
        $0.deliver(SampleMessage(token: "m1"), identity: identity)
      }
      return stage
    }
    let probe = try FaultRun(stage().mirror).counts(of: [call]).counts[call] ?? 0
    for number in stride(from: 1, through: probe, by: max(1, probe / 25)) {
      let stage = try stage()
      _ = try FaultRun(stage.mirror).kill(at: call, number)
      try stage.expectOnce(["m1": "Work"])
    }
  }
}
