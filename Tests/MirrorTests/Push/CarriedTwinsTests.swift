import Foundation
import MailTestKit
import Testing

/// Two machines with one account and one tree, which is carried after the other machine's pull, as with timers: each has
/// brought a message under a name of its own, or given its file flags of its own. One message is one file (promise 6).
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct CarriedTwinsTests {
  enum First: CaseIterable { case push, pull }

  /// Both have pulled six messages in INBOX and one in Drafts.
  private final class Machines {
    let scenario: Scenario
    let other: MirrorProgram
    let tree: SharedTree
    let reader: Reader
    let otherReader: Reader
    var all: [MirrorProgram] { [scenario.mirror, other] }

    init() throws {
      scenario = try Scenario()
      for name in ["Work", "Later", "Drafts", "Sent", "Trash"] {
        if try !scenario.client.mailboxes().contains(name) { try scenario.client.create(name) }
      }
      try scenario.append((0..<6).map { "m\($0)" })
      try scenario.append(["d0"], to: "Drafts", flags: ["\\Draft"])
      other = try MirrorProgram(AccountSettings(port: scenario.proxy.port, user: scenario.user))
      reader = Reader(scenario.mirror)
      otherReader = Reader(other)
      try scenario.pull()
      _ = try other.pull()
      tree = try SharedTree(scenario.mirror, other)
    }

    /// What was done on the first machine: sent from there, pulled on the other, and only then carried.
    func carryAfterPull() throws {
      try scenario.push()
      try run(other, .pull)
      try tree.exchange()
    }

    func run(
      _ machine: MirrorProgram, _ what: First, location: SourceLocation = #_sourceLocation
    ) throws {
      let outcome = try machine.run(what == .push ? ["push"] : ["pull", "--no-index"])
      #expect(outcome.status == 0, "\(outcome.summary)", sourceLocation: location)
    }

    /// Both come to the same, with one file for each message; nothing is sent again.
    func rest(_ first: First = .push, location: SourceLocation = #_sourceLocation) throws {
      scenario.proxy.forget()
      let second: First = first == .push ? .pull : .push
      for _ in 0..<3 {
        for machine in all {
          try run(machine, first, location: location)
          try run(machine, second, location: location)
        }
        try tree.exchange()
      }
      #expect(scenario.appends == [], sourceLocation: location)
      scenario.proxy.forget()
      for machine in all {
        try run(machine, .push, location: location)
        try run(machine, .pull, location: location)
        expectSame(try machine.tree(), try scenario.client.state(), location: location)
      }
      #expect(scenario.proxy.changingCommands == [], sourceLocation: location)
    }

    func local(_ token: String, in folder: String? = nil) throws -> LocalMessage {
      try #require(try scenario.local("<\(token)@", in: folder))
    }

    func expect(_ token: String, in places: String..., location: SourceLocation = #_sourceLocation)
      throws
    {
      #expect(try scenario.places(token) == places.sorted(), sourceLocation: location)
      for machine in all {
        #expect(
          try machine.tree().count(of: "<\(token)@") == places.count, sourceLocation: location)
      }
    }
  }

  private static func text(_ token: String, _ more: String = "") -> [UInt8] {
    SampleMessage(token: token).bytes.filter { $0 != 13 } + Array(more.utf8)
  }

  @Test(arguments: First.allCases)
  func `a moved message is one file, and moves on and goes once`(first: First) throws {
    let machines = try Machines()
    try machines.reader.move(machines.local("m1"), to: "Work")
    try machines.carryAfterPull()
    try machines.rest(first)
    try machines.expect("m1", in: "Work")
    try machines.reader.move(machines.local("m1"), to: "Later")
    try machines.carryAfterPull()
    try machines.rest(first)
    try machines.expect("m1", in: "Later")
    try machines.reader.remove(machines.local("m1"))
    try machines.carryAfterPull()
    try machines.rest(first)
    #expect(try machines.scenario.places("m1") == ["Trash"])
  }

  @Test(arguments: First.allCases, ["Sent", "Drafts"])
  func `a saved message is one file, and gets its flags and goes once`(
    first: First, folder: String
  ) throws {
    let machines = try Machines()
    try machines.reader.deliver(Self.text("n1"), name: "17.1_n1.host", to: folder)
    try machines.carryAfterPull()
    try machines.rest(first)
    try machines.expect("n1", in: folder)
    try machines.reader.setFlags(machines.local("n1"), "FS")
    try machines.carryAfterPull()
    try machines.rest(first)
    let flags = try #require(try machines.scenario.remote("n1", in: folder)).flags
    #expect(flags.contains("\\Flagged"))
    try machines.reader.move(machines.local("n1"), to: "Work")
    try machines.carryAfterPull()
    try machines.rest(first)
    try machines.expect("n1", in: "Work")
  }

  /// As neomutt does it: under a new name, and the old file goes.
  @Test(arguments: First.allCases)
  func `a draft that is edited again and again is there once, as it was edited last`(
    first: First
  ) throws {
    let machines = try Machines()
    try machines.reader.deliver(Self.text("d1"), name: "17.1_d1.host", to: "Drafts", flags: "DS")
    try machines.carryAfterPull()
    try machines.rest(first)
    for version in 2...3 {
      let old = try machines.local("d1", in: "Drafts")
      try machines.reader.deliver(
        Self.text("d1", "version \(version)\n"), name: "17.\(version)_d1.host", to: "Drafts",
        flags: "DS")
      try machines.reader.remove(old)
      try machines.carryAfterPull()
      try machines.rest(first)
      let there = try machines.scenario.client.messages(in: "Drafts").filter {
        contains($0.bytes, Array("<d1@".utf8))
      }
      #expect(there.count == 1)
      #expect(there.allSatisfy { contains($0.bytes, Array("version \(version)".utf8)) })
    }
  }

  @Test(arguments: First.allCases) func `flags that both machines set are both there`(
    first: First
  ) throws {
    let machines = try Machines()
    let message = try machines.local("m1")
    let before = Set(message.flags)
    try machines.reader.setFlags(message, String(before.union("F").sorted()))
    try machines.otherReader.setFlags(message, String(before.union("R").sorted()))
    try machines.tree.exchange()
    #expect(try machines.scenario.mirror.tree().count(of: "<m1@") == 2)
    try machines.rest(first)
    try machines.expect("m1", in: "INBOX")
    let flags = try #require(try machines.scenario.remote("m1", in: "INBOX")).flags
    #expect(flags.isSuperset(of: ["\\Flagged", "\\Answered"]))
    try machines.reader.remove(machines.local("m1"))
    try machines.carryAfterPull()
    try machines.rest(first)
    #expect(try machines.scenario.places("m1") == ["Trash"])
  }

  @Test(arguments: First.allCases)
  func `marks set on either file of one message are both there`(first: First) throws {
    let machines = try Machines()
    try machines.reader.move(machines.local("m1"), to: "Work")
    try machines.scenario.push()
    try machines.run(machines.other, .pull)
    try machines.reader.setFlags(machines.local("m1"), "FS")
    let theirs = try #require(try machines.other.tree().message(with: "<m1@"))
    try machines.otherReader.setFlags(theirs, "RS")
    let marked = try #require(try machines.other.tree().message(with: "<m1@"))
    try machines.otherReader.setKeywords(marked, ["topic"])
    try machines.tree.exchange()
    try machines.rest(first)
    try machines.expect("m1", in: "Work")
    let flags = try #require(try machines.scenario.remote("m1", in: "Work")).flags
    #expect(flags.isSuperset(of: ["\\Flagged", "\\Answered", "topic"]))
  }

  /// The carried file is not older than the message: nobody can tell whether the flag was taken off there.
  @Test func `beside the message's file one that came with fewer flags stays, and takes none off`()
    throws
  {
    let machines = try Machines()
    let (scenario, message) = (machines.scenario, try machines.local("m1"))
    try machines.reader.setFlags(message, "FS")
    try scenario.push()
    let flagged = try machines.local("m1")
    try machines.reader.deliver(flagged.raw, name: flagged.base, to: "INBOX", flags: "S")
    try scenario.push()
    #expect(scenario.proxy.changingCommands == [])
    #expect(try scenario.mirror.tree().count(of: "<m1@") == 2)
    #expect(try scenario.remote("m1", in: "INBOX")?.flags.contains("\\Flagged") == true)
  }

  /// Before any run has made the two one.
  @Test(arguments: First.allCases)
  func `a message that moves on right after the carry is there once`(
    first: First
  ) throws {
    let machines = try Machines()
    try machines.reader.move(machines.local("m1"), to: "Work")
    let name = try machines.local("m1").name
    try machines.carryAfterPull()
    let own = try #require(
      try machines.scenario.mirror.tree().messages.first { $0.name == name })
    try machines.reader.move(own, to: "Later")
    try machines.scenario.push()
    try machines.scenario.push()
    #expect(machines.scenario.proxy.changingCommands == [])
    #expect(try machines.scenario.places("m1") == ["Later"])
    try machines.run(machines.other, .pull)
    try machines.tree.exchange()
    try machines.rest(first)
    try machines.expect("m1", in: "Later")
  }

  @Test func `a draft that is edited in place right after the carry is there once`() throws {
    let machines = try Machines()
    try machines.reader.deliver(Self.text("d1"), name: "17.1_d1.host", to: "Drafts", flags: "DS")
    try machines.carryAfterPull()
    let own = try #require(
      try machines.scenario.mirror.tree().messages.first { $0.base == "17.1_d1.host" })
    try machines.reader.rewrite(own, Self.text("d1", "more\n"))
    try machines.scenario.push()
    let there = try machines.scenario.client.messages(in: "Drafts").filter {
      contains($0.bytes, Array("<d1@".utf8))
    }
    #expect(there.count == 1)
    #expect(there.allSatisfy { contains($0.bytes, Array("more".utf8)) })
  }

  /// The other machine only pulls, with both files of the message still there.
  @Test func `a message that went elsewhere goes with both its files`() throws {
    let machines = try Machines()
    try machines.reader.move(machines.local("m1"), to: "Work")
    try machines.carryAfterPull()
    try machines.scenario.push()
    try machines.reader.remove(machines.local("m1"))
    try machines.scenario.push()
    try machines.run(machines.other, .pull)
    let left = try machines.other.tree().messages.filter {
      contains($0.raw, Array("<m1@".utf8))
    }
    #expect(left.map(\.folder) == ["Trash"])
    machines.scenario.proxy.forget()
    try machines.run(machines.other, .push)
    #expect(machines.scenario.proxy.changingCommands == [])
    try machines.tree.exchange()
    try machines.rest()
    try machines.expect("m1", in: "Trash")
  }

  @Test func `a rehearsal and a status remove nothing`() throws {
    let machines = try Machines()
    try machines.reader.move(machines.local("m1"), to: "Work")
    try machines.carryAfterPull()
    for command in [["push", "--dry-run"], ["pull", "--dry-run"], ["status"]] {
      _ = try machines.scenario.mirror.run(command)
      #expect(try machines.scenario.mirror.tree().count(of: "<m1@") == 2)
    }
  }

  /// The server has it twice: two messages, two files.
  @Test func `equal messages of one mailbox keep their files`() throws {
    let machines = try Machines()
    let sample = SampleMessage(token: "twin")
    try machines.scenario.client.append([sample, sample], to: "Work")
    for machine in machines.all { try machines.run(machine, .pull) }
    try machines.tree.exchange()
    try machines.rest()
    #expect(try machines.scenario.mirror.tree().count(of: "<twin@") == 2)
  }

  @Test(.enabled(if: Machine.canInject), arguments: ["renameat2", "unlink", "pwrite64", "fsync"])
  func `killed in between, at least one file is there, and the next run makes them one`(
    call: String
  ) throws {
    for number in 1...(Machine.long ? 30 : 6) {
      let machines = try Machines()
      try machines.reader.move(machines.local("m1"), to: "Work")
      try machines.scenario.push()
      try machines.run(machines.other, .pull)
      let theirs = try #require(try machines.other.tree().message(with: "<m1@"))
      try machines.otherReader.setFlags(theirs, "FRS")
      try machines.tree.exchange()
      var run = FaultRun(machines.scenario.mirror)
      run.arguments = ["push"]
      let killed = try run.kill(at: call, number)
      // What was put aside comes back before anything is concluded.
      if killed.ending == .signalled(9) {
        let left = try machines.scenario.mirror.tree().count(of: "<m1@")
        #expect(left == 1 || left == 2, "\(call) \(number)")
      }
      try machines.rest(number % 2 == 0 ? .push : .pull)
      try machines.expect("m1", in: "Work")
      let flags = try #require(try machines.scenario.remote("m1", in: "Work")).flags
      #expect(flags.isSuperset(of: ["\\Flagged", "\\Answered"]), "\(call) \(number)")
      if killed.ending != .signalled(9) { break }
    }
  }
}
