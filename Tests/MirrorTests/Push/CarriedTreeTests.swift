import Foundation
import MailTestKit
import Testing

/// Two machines with one account, and the tree carried between them: what one of them has pulled or pushed lies on the
/// other before its first pull. It is on the server once, whichever comes first there, a push or a pull.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct CarriedTreeTests {
  static let servers: [DovecotServer.Options] = [.init(), .init(without: ["MOVE"])]

  enum First: CaseIterable { case push, sync, pull }

  /// Both machines have pulled six messages in INBOX and one in Drafts.
  final class Machines {
    let scenario: Scenario
    let other: MirrorProgram
    let reader: Reader
    let otherReader: Reader

    init(_ options: DovecotServer.Options = .init(), cyrus: CyrusServer? = nil) throws {
      scenario = try cyrus.map { try Scenario(cyrus: $0) } ?? Scenario(options)
      for name in ["Work", "Drafts", "Sent", "Trash"] {
        if try !scenario.client.mailboxes().contains(name) { try scenario.client.create(name) }
      }
      try scenario.append((0..<6).map { "m\($0)" })
      try scenario.append(["d0"], to: "Drafts", flags: ["\\Draft"])
      other = try MirrorProgram(
        AccountSettings(port: scenario.proxy.port, user: scenario.user))
      reader = Reader(scenario.mirror)
      otherReader = Reader(other)
      try scenario.pull()
      _ = try other.pull()
    }

    /// The other machine gets the tree, and this comes first there; then both rest.
    func carry(
      _ first: First, deletes: Bool = true, says words: String? = nil,
      location: SourceLocation = #_sourceLocation
    ) throws {
      try carryTree(from: scenario.mirror, to: other, deletes: deletes)
      scenario.proxy.forget()
      if first != .pull {
        let outcome = try other.run(first == .push ? ["push"] : ["sync", "--no-index"])
        #expect(outcome.status == 0, "\(outcome.summary)", sourceLocation: location)
        if let words {
          #expect(outcome.errorText.contains(words), "\(outcome.summary)", sourceLocation: location)
        }
      }
      #expect(scenario.appends == [], sourceLocation: location)
      try rest(location: location)
    }

    func rest(location: SourceLocation = #_sourceLocation) throws {
      for _ in 0..<2 {
        for machine in [other, scenario.mirror] {
          for command in [["pull", "--no-index"], ["push"]] {
            let outcome = try machine.run(command)
            #expect(outcome.status == 0, "\(outcome.summary)", sourceLocation: location)
          }
        }
      }
      #expect(scenario.proxy.commands(named: ["APPEND"]) == [], sourceLocation: location)
      scenario.proxy.forget()
      for machine in [other, scenario.mirror] {
        _ = try machine.run(["sync", "--no-index"])
        expectSame(try machine.tree(), try scenario.client.state(), location: location)
      }
      #expect(scenario.proxy.changingCommands == [], sourceLocation: location)
      #expect(scenario.bodyFetches == [], sourceLocation: location)
    }

    func local(_ token: String) throws -> LocalMessage {
      try #require(try scenario.mirror.tree().message(with: "<\(token)@"))
    }

    func expect(_ token: String, in places: String..., location: SourceLocation = #_sourceLocation)
      throws
    {
      #expect(try scenario.places(token) == places.sorted(), sourceLocation: location)
      for machine in [other, scenario.mirror] {
        #expect(
          try machine.tree().count(of: "<\(token)@") == places.count, sourceLocation: location)
      }
    }
  }

  @Test(arguments: servers, First.allCases)
  func `what another machine pulled is not sent again`(
    options: DovecotServer.Options, first: First
  ) throws {
    let machines = try Machines(options)
    try machines.scenario.append(["n0", "n1"])
    try machines.scenario.append(["n2"], to: "Work")
    try machines.scenario.pull()
    try machines.carry(first, says: "the server has and no pull has seen")
    for token in ["n0", "n1"] { try machines.expect(token, in: "INBOX") }
    try machines.expect("n2", in: "Work")
  }

  @Test(arguments: First.allCases)
  func `the same with keywords, and flags set in between`(first: First) throws {
    let machines = try Machines()
    try machines.scenario.append(["n0"])
    try machines.scenario.pull()
    let uid = try machines.scenario.client.uid(of: "n0", in: "INBOX")
    try machines.scenario.client.store([uid], "+FLAGS", ["topic"], in: "INBOX")
    try machines.scenario.pull()
    try machines.reader.setFlags(machines.local("n0"), "F")
    try machines.carry(first)
    try machines.expect("n0", in: "INBOX")
    let flags = try #require(try machines.scenario.remote("n0", in: "INBOX")).flags
    #expect(flags.isSuperset(of: ["\\Flagged", "topic"]))
  }

  @Test(arguments: First.allCases) func `what another machine sent is not sent again`(first: First)
    throws
  {
    let machines = try Machines()
    for (token, folder) in [("n0", "Work"), ("n1", "Sent")] {
      try machines.reader.deliver(
        SampleMessage(token: token).bytes.filter { $0 != 13 }, name: "17.1_\(token).host",
        to: folder)
    }
    try machines.scenario.push()
    try machines.carry(first)
    try machines.expect("n0", in: "Work")
    try machines.expect("n1", in: "Sent")
  }

  @Test func `a person's own new message goes out beside what is new there`() throws {
    let machines = try Machines()
    try machines.scenario.append(["n0"])
    try machines.scenario.append(["n1"])
    try machines.scenario.pull()
    try machines.scenario.append(["n2"])
    try carryTree(from: machines.scenario.mirror, to: machines.other)
    try machines.otherReader.deliver(
      SampleMessage(token: "own").bytes.filter { $0 != 13 }, name: "17.1_own.host", to: "INBOX")
    // The header of one that is new there, and another text.
    try machines.otherReader.deliver(
      SampleMessage(token: "n1").bytes.filter { $0 != 13 } + Array("my line\n".utf8),
      name: "17.2_own.host", to: "INBOX")
    machines.scenario.proxy.forget()
    let outcome = try machines.other.run(["push"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(machines.scenario.appends.count == 2)
    machines.scenario.proxy.forget()
    try machines.rest()
    try machines.expect("own", in: "INBOX")
    try machines.expect("n0", in: "INBOX")
    try machines.expect("n2", in: "INBOX")
    #expect(
      try machines.scenario.client.messages(in: "INBOX").count {
        contains($0.bytes, Array("<n1@".utf8))
      } == 2)
    #expect(try machines.other.tree().count(of: "<n1@") == 2)
  }

  /// - Parameter isSent: the first machine's push has told the server, too.
  @Test(arguments: First.allCases, [false, true])
  func `what another machine pulled and a person moved there is moved once`(
    first: First, isSent: Bool
  ) throws {
    let machines = try Machines()
    try machines.scenario.append(["n0"])
    try machines.scenario.pull()
    try machines.reader.move(machines.local("n0"), to: "Work")
    if isSent { try machines.scenario.push() }
    try machines.carry(first)
    try machines.expect("n0", in: "Work")
  }

  @Test(arguments: First.allCases, [false, true])
  func `a message moved on another machine is moved once`(first: First, deletes: Bool) throws {
    let machines = try Machines()
    try machines.reader.move(machines.local("m2"), to: "Work")
    try machines.scenario.push()
    try machines.carry(first, deletes: deletes)
    try machines.expect("m2", in: "Work")
  }

  @Test(arguments: First.allCases, [false, true])
  func `a draft edited on another machine is there once`(first: First, isSent: Bool) throws {
    let machines = try Machines()
    let draft = try machines.local("d0")
    try machines.reader.rewrite(draft, draft.raw + Array("one more line\n".utf8))
    if isSent { try machines.scenario.push() }
    try carryTree(from: machines.scenario.mirror, to: machines.other)
    machines.scenario.proxy.forget()
    let commands: [String] =
      first == .push ? ["push"] : first == .sync ? ["sync", "--no-index"] : []
    if !commands.isEmpty { _ = try machines.other.run(commands) }
    #expect(machines.scenario.appends.count == (isSent || first == .pull ? 0 : 1))
    _ = try machines.other.run(["sync", "--no-index"])
    machines.scenario.proxy.forget()
    try machines.rest()
    try machines.expect("d0", in: "Drafts")
    let there = try #require(try machines.scenario.remote("d0", in: "Drafts"))
    #expect(contains(there.bytes, Array("one more line".utf8)))
  }

  /// The other machine knows the draft by the file that was carried there, not by what it pulled.
  @Test(arguments: First.allCases) func `a draft that was carried, and edited later, is there once`(
    first: First
  ) throws {
    let machines = try Machines()
    try machines.reader.deliver(
      SampleMessage(token: "d1").bytes.filter { $0 != 13 }, name: "17.1_d1.host", to: "Drafts",
      flags: "DS")
    try machines.scenario.push()
    try machines.carry(first)
    let draft = try machines.local("d1")
    try machines.reader.rewrite(draft, draft.raw + Array("one more line\n".utf8))
    try machines.scenario.push()
    try machines.carry(first)
    try machines.expect("d1", in: "Drafts")
    let there = try #require(try machines.scenario.remote("d1", in: "Drafts"))
    #expect(contains(there.bytes, Array("one more line".utf8)))
  }

  /// B pushes before it has pulled what A pulled, moved, pushed, and moved once more.
  @Test(arguments: First.allCases, [false, true])
  func `what was moved again before the tree was carried is moved once`(
    first: First, isSaved: Bool
  ) throws {
    let machines = try Machines()
    try machines.scenario.append(["n0"], isPassedOn: true)
    try machines.scenario.pull()
    if isSaved {
      // Under a name that tells nothing of where it came from.
      let message = try machines.local("n0")
      try machines.reader.deliver(message.raw, name: "17.1_n0.host", to: "Work")
      try machines.reader.remove(message)
    } else {
      try machines.reader.move(machines.local("n0"), to: "Work")
      try machines.scenario.push()
      try machines.reader.move(machines.local("n0"), to: "Drafts")
    }
    // The mailbox that it was born in has something for the pull.
    try machines.scenario.append(["n1"])
    try machines.carry(
      first, says: first == .push ? "the server has and no pull has seen" : nil)
    try machines.expect("n0", in: isSaved ? "Work" : "Drafts")
    try machines.expect("n1", in: "INBOX")
  }

  /// Nothing was carried: this machine knew the message.
  @Test(arguments: First.allCases)
  func `a person's own copy stays one when another client moves the message`(first: First) throws {
    let machines = try Machines()
    let scenario = machines.scenario
    try machines.reader.deliver(machines.local("m1").raw, name: "17.1_m1.host", to: "Work")
    // Of a folder that is no mailbox's, nothing is taken.
    let backup = scenario.mirror.account + "/Backup"
    try scenario.mirror.configure { $0.sync = "folders = [\"*\", \"!Backup\"]" }
    for part in ["cur", "new", "tmp"] {
      try FileManager.default.createDirectory(
        atPath: backup + "/" + part, withIntermediateDirectories: true)
    }
    try machines.reader.deliver(machines.local("m2").raw, name: "17.1_m2.host", to: "Backup")
    for token in ["m1", "m2"] {
      let uid = try scenario.client.uid(of: token, in: "INBOX")
      try scenario.client.move([uid], from: "INBOX", to: "Drafts")
    }
    switch first {
    case .push: try scenario.push()
    case .sync: _ = try scenario.mirror.run(["sync", "--no-index"])
    case .pull: break
    }
    for _ in 0..<2 {
      try scenario.pull()
      try scenario.push()
    }
    #expect(try scenario.places("m1") == ["Drafts", "Work"])
    #expect(try scenario.places("m2") == ["Drafts"])
    #expect(try scenario.mirror.tree().count(of: "<m1@") == 2)
    #expect(try scenario.mirror.tree().count(of: "<m2@") == 2)
  }

  @Test(arguments: ["EXAMINE", "UID SEARCH"])
  func `a mailbox that cannot be looked into keeps no new message back`(command: String) throws {
    let stage = try PushStage(.modern)
    stage.account.deliver(SampleMessage(token: "n0"), labelled: ["Work"])
    stage.refusals.value = [(command, "", "NO not now")]
    try stage.reader.deliver(
      SampleMessage(token: "own").bytes.filter { $0 != 13 }, name: "17.1_own.host", to: "INBOX")
    try stage.push(0)
    #expect(stage.places("own") == ["INBOX"])
  }

  /// Its file has the name that the message had which it replaced.
  @Test(arguments: First.allCases)
  func `a draft that another machine pulled and edited is there once`(first: First) throws {
    let machines = try Machines()
    try machines.scenario.append(["d1"], to: "Drafts", flags: ["\\Draft"])
    try machines.scenario.pull()
    let draft = try machines.local("d1")
    try machines.reader.rewrite(draft, draft.raw + Array("one more line\n".utf8))
    try machines.scenario.push()
    try machines.carry(first)
    try machines.expect("d1", in: "Drafts")
  }

  /// A copy made on purpose is one here as anywhere.
  @Test(arguments: First.allCases) func `a copy made on another machine is made once`(first: First)
    throws
  {
    let machines = try Machines()
    let message = try machines.local("m1")
    try machines.reader.deliver(message.raw, name: message.base, to: "Work")
    try machines.scenario.push()
    try machines.carry(first)
    try machines.expect("m1", in: "INBOX", "Work")
  }

  /// The message's own file lies where it was pulled to: the other file is a copy of it.
  @Test(arguments: First.allCases) func `a copy of what another machine pulled is made once`(
    first: First
  ) throws {
    let machines = try Machines()
    try machines.scenario.append(["n0"])
    try machines.scenario.pull()
    try machines.reader.deliver(machines.local("n0").raw, name: "17.1_n0.host", to: "Work")
    try carryTree(from: machines.scenario.mirror, to: machines.other)
    for machine in [machines.other, machines.scenario.mirror] {
      _ = try machine.run(first == .pull ? ["pull", "--no-index"] : ["push"])
      _ = try machine.run(["sync", "--no-index"])
    }
    machines.scenario.proxy.forget()
    try machines.rest()
    try machines.expect("n0", in: "INBOX", "Work")
  }

  @Test(arguments: First.allCases) func `both machines push what was carried before either did`(
    first: First
  ) throws {
    let machines = try Machines()
    try machines.reader.deliver(
      SampleMessage(token: "n0").bytes.filter { $0 != 13 }, name: "17.1_n0.host", to: "Work")
    try machines.reader.move(machines.local("m1"), to: "Work")
    try carryTree(from: machines.scenario.mirror, to: machines.other)
    try machines.scenario.push()
    machines.scenario.proxy.forget()
    _ = try machines.other.run(first == .pull ? ["pull", "--no-index"] : ["push"])
    try machines.rest()
    try machines.expect("n0", in: "Work")
    try machines.expect("m1", in: "Work")
  }

  @Test(.enabled(if: Machine.hasCyrus), arguments: First.allCases)
  func `on Cyrus, too`(first: First) throws {
    let machines = try Machines(cyrus: CyrusServer.shared())
    try machines.scenario.append(["n0", "n1"])
    try machines.scenario.pull()
    try machines.reader.move(machines.local("n1"), to: "Work")
    try machines.carry(first)
    try machines.expect("n0", in: "INBOX")
    try machines.expect("n1", in: "Work")
  }

  /// The phone moved it, this machine pulled that, and the tree went to the other one, where a person moves it back.
  @Test(arguments: ["Trash", "Work"], [First.push, .sync, .pull])
  func `what was moved on the server, and back where the tree was carried to, is there once`(
    place: String, first: First
  ) throws {
    let machines = try Machines()
    let client = machines.scenario.client
    try client.move([client.uid(of: "m1", in: "INBOX")], from: "INBOX", to: place)
    try machines.scenario.pull()
    try carryTree(from: machines.scenario.mirror, to: machines.other)
    let moved = try #require(try machines.other.tree().message(with: "<m1@", in: place))
    try machines.otherReader.move(moved, to: "INBOX")
    for _ in 0..<2 {
      for command in first == .pull ? ["pull", "push"] : ["push", "pull"] {
        let outcome = try machines.other.run([command])
        #expect(outcome.status == 0, "\(outcome.summary)")
      }
    }
    #expect(try client.messages(in: "INBOX").count { $0.bytes.contains("<m1@".utf8) } == 1)
    #expect(try client.messages(in: place).count { $0.bytes.contains("<m1@".utf8) } == 0)
    try machines.rest()
    for machine in [machines.other, machines.scenario.mirror] {
      #expect(try machine.tree().message(with: "<m1@", in: "INBOX") != nil)
    }
  }

  /// The phone moved the one on and threw the other away, before the other machine looked.
  @Test(arguments: First.allCases)
  func `what came and went meanwhile is not sent where the server has it elsewhere`(first: First)
    throws
  {
    let machines = try Machines()
    let client = machines.scenario.client
    try machines.scenario.append(["n0", "n1"])
    // Nothing was in there before.
    try machines.scenario.append(["n2"], to: "Sent")
    try machines.scenario.pull()
    try client.move([client.uid(of: "n0", in: "INBOX")], from: "INBOX", to: "Work")
    try client.move([client.uid(of: "n2", in: "Sent")], from: "Sent", to: "Work")
    try client.expunge([client.uid(of: "n1", in: "INBOX")], in: "INBOX")
    try carryTree(from: machines.scenario.mirror, to: machines.other)
    if first == .push { _ = try machines.other.run(["push"]) }
    if first == .pull { _ = try machines.other.run(["pull", "--no-index"]) }
    for _ in 0..<3 { _ = try machines.other.run(["sync", "--no-index"]) }
    for token in ["n0", "n2"] {
      #expect(try machines.scenario.places(token) == ["Work"])
      #expect(try machines.other.tree().count(of: "<\(token)@") == 2, "nothing is removed")
    }
    #expect(try machines.scenario.places("n1") == ["INBOX"], "it is here alone")
    machines.scenario.proxy.forget()
    _ = try machines.other.run(["sync", "--no-index"])
    #expect(machines.scenario.proxy.changingCommands == [])
  }
}
