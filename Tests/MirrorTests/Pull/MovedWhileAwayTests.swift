import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A tree comes back, without its state or with an older one, and another client has moved messages since: the server has
/// each of them once, and no file is lost.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct MovedWhileAwayTests {
  enum Fate: String, CaseIterable {
    case stateLost, stateFromBackup, olderState, olderTree, otherMachine
  }

  enum First: String, CaseIterable { case pull, sync, push }

  private static let moved = ["m0", "m1", "m2"]

  /// m0 and m1 went to Archive, m2 to Trash, m3 is nowhere.
  private func changeThere(_ scenario: Scenario) throws {
    for (token, target) in [("m0", "Archive"), ("m1", "Archive"), ("m2", "Trash")] {
      try scenario.client.move(
        [scenario.client.uid(of: token, in: "INBOX")], from: "INBOX", to: target)
    }
    try scenario.client.expunge([scenario.client.uid(of: "m3", in: "INBOX")], in: "INBOX")
  }

  /// - Returns: with the program whose tree it is now.
  private func restored(_ fate: Fate, expunges: Bool = false) throws -> (Scenario, MirrorProgram) {
    let scenario = try Scenario(sync: expunges ? "deletions = \"expunge\"" : "")
    for name in ["Trash", "Work"] where try !scenario.client.mailboxes().contains(name) {
      try scenario.client.create(name)
    }
    try scenario.append((0..<8).map { "m\($0)" })
    try scenario.append(["a0"], to: "Archive")
    try scenario.pull()
    let account = scenario.mirror.account
    let aside = scenario.mirror.home + "/aside"
    switch fate {
    case .stateLost:
      try changeThere(scenario)
      removeTree(account + "/.mirror")
    case .stateFromBackup:
      try changeThere(scenario)
      for end in ["", "-wal", "-shm"] { unlink(account + "/.mirror/state.db" + end) }
    case .olderState:
      // The tree of then, too; only its directory is the same.
      try runSuccessfully(["cp", "-a", account, aside])
      try changeThere(scenario)
      try scenario.pull()
      for folder in ["INBOX", "Archive", "Trash", "Work", ".mirror"] {
        removeTree(account + "/" + folder)
        try runSuccessfully(["cp", "-a", aside + "/" + folder, account + "/" + folder])
      }
    case .olderTree:
      try runSuccessfully(["cp", "-a", account, aside])
      try changeThere(scenario)
      try scenario.pull()
      removeTree(account)
      try runSuccessfully(["cp", "-a", aside, account])
    case .otherMachine:
      var settings = AccountSettings(port: scenario.proxy.port, user: scenario.user)
      settings.sync = expunges ? "deletions = \"expunge\"" : ""
      let other = try MirrorProgram(settings)
      try changeThere(scenario)
      try runSuccessfully(["mkdir", "-p", other.account])
      try runSuccessfully(["rsync", "-a", account + "/", other.account])
      return (scenario, other)
    }
    return (scenario, scenario.mirror)
  }

  private func run(_ first: First, _ mirror: MirrorProgram) throws -> [Outcome] {
    switch first {
    case .pull: try [mirror.run(["pull", "--no-index"]), mirror.run(["push"])]
    // The first one's push comes before its pull.
    case .sync: try (0..<2).map { _ in try mirror.run(["sync", "--no-index"]) }
    case .push:
      try [mirror.run(["push"]), mirror.run(["pull", "--no-index"]), mirror.run(["push"])]
    }
  }

  private func expectOnce(
    _ scenario: Scenario, _ mirror: MirrorProgram, location: SourceLocation = #_sourceLocation
  ) throws {
    for (token, place) in [
      ("m0", "Archive"), ("m1", "Archive"), ("m2", "Trash"), ("m3", "INBOX"), ("m4", "INBOX"),
      ("a0", "Archive"),
    ] {
      #expect(try scenario.places(token) == [place], "\(token)", sourceLocation: location)
      #expect(
        try scenario.client.messages(in: place).count {
          contains($0.bytes, Array("<\(token)@".utf8))
        } == 1, "\(token)", sourceLocation: location)
    }
    for token in Self.moved {
      #expect(
        try mirror.tree().count(of: "<\(token)@") == 2, "\(token)", sourceLocation: location)
    }
    for token in ["m3", "m4", "a0"] {
      #expect(
        try mirror.tree().count(of: "<\(token)@") == 1, "\(token)", sourceLocation: location)
    }
  }

  /// Nothing more is done then, in either direction.
  private func expectRest(
    _ scenario: Scenario, _ mirror: MirrorProgram, location: SourceLocation = #_sourceLocation
  ) throws {
    _ = try mirror.run(["sync", "--no-index"])
    scenario.proxy.forget()
    for _ in 0..<2 {
      let outcome = try mirror.run(["sync", "--no-index"])
      #expect(outcome.status == 0, "\(outcome.summary)", sourceLocation: location)
    }
    #expect(scenario.proxy.changingCommands == [], sourceLocation: location)
    #expect(scenario.bodyFetches == [], sourceLocation: location)
    try expectOnce(scenario, mirror, location: location)
  }

  @Test(arguments: Fate.allCases, First.allCases)
  func `what another client moved meanwhile is not sent again`(fate: Fate, first: First) throws {
    let (scenario, mirror) = try restored(fate)
    let outcomes = try run(first, mirror)
    #expect(
      outcomes.contains {
        $0.errorText.contains("3 files here are messages that the server has in other folders")
      }, "\(outcomes.map(\.summary))")
    try expectOnce(scenario, mirror)
    try expectRest(scenario, mirror)
    let verified = try mirror.run(["verify"])
    #expect(
      verified.status == 0
        && verified.summary.contains("3 files here are messages that the server has in other"),
      "\(verified.summary)")
  }

  @Test(arguments: Fate.allCases, First.allCases)
  func `the same where deleting expunges`(fate: Fate, first: First) throws {
    let (scenario, mirror) = try restored(fate, expunges: true)
    _ = try run(first, mirror)
    try expectOnce(scenario, mirror)
    // A file that is not the message's own deletes nothing when it goes.
    try Reader(mirror).remove(#require(try mirror.tree().message(with: "<m0@", in: "INBOX")))
    let outcome = try mirror.run(["push"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try scenario.places("m0") == ["Archive"])
    #expect(try mirror.tree().count(of: "<m0@") == 1)
  }

  @Test(arguments: Fate.allCases)
  func `a copy that a person makes afterwards is sent`(fate: Fate) throws {
    let (scenario, mirror) = try restored(fate)
    _ = try run(.sync, mirror)
    let message = try #require(try mirror.tree().message(with: "<m0@", in: "Archive"))
    let reader = Reader(mirror)
    try reader.deliver(message.raw, name: "17.1_m0.host", to: "INBOX")
    try reader.deliver(message.raw, name: "17.1_m0.host", to: "Work")
    let outcome = try mirror.run(["push"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try scenario.places("m0") == ["Archive", "INBOX", "Work"])
  }

  @Test func `only one mailbox pulled, nothing is sent before the others are`() throws {
    let (scenario, mirror) = try restored(.stateLost)
    let outcome = try mirror.run(["pull", "--no-index", "personal/INBOX"])
    #expect(outcome.errorText.contains("4 files here may be messages"), "\(outcome.summary)")
    scenario.proxy.forget()
    _ = try mirror.run(["push"])
    #expect(scenario.appends == [])
    _ = try run(.sync, mirror)
    try expectOnce(scenario, mirror)
    try expectRest(scenario, mirror)
  }

  /// Work had two messages, and is gone from the server, with the state.
  private func emptied(_ scenario: Scenario, movedAll: Bool = true) throws {
    try scenario.client.create("Work")
    try scenario.append(["w0", "w1"], to: "Work")
    try scenario.append(["a0"], to: "Archive")
    try scenario.pull()
    removeTree(scenario.mirror.account + "/.mirror")
    let uids = try scenario.client.uids(in: "Work")
    try scenario.client.move(movedAll ? uids : [uids[0]], from: "Work", to: "Archive")
    // Dovecot hangs up on who has it open.
    try scenario.client.select("INBOX")
    try scenario.client.delete("Work")
  }

  @Test(arguments: First.allCases)
  func `the folder of a mailbox that was emptied and removed makes no mailbox`(first: First) throws
  {
    let scenario = try Scenario()
    try emptied(scenario)
    let outcomes = try run(first, scenario.mirror)
    #expect(
      outcomes.contains { $0.errorText.contains("2 files here are messages") },
      "\(outcomes.map(\.summary))")
    for _ in 0..<2 { _ = try scenario.mirror.run(["sync", "--no-index"]) }
    #expect(try !scenario.client.mailboxes().contains("Work"))
    for token in ["w0", "w1"] { #expect(try scenario.places(token) == ["Archive"]) }
    #expect(try scenario.mirror.tree()["Work"].count == 2, "nothing is removed here")

    // New mail is told; where it lies alone, the folder becomes a mailbox.
    let reader = Reader(scenario.mirror)
    try reader.deliver(
      SampleMessage(token: "mine").bytes.filter { $0 != 13 }, name: "17.1_mine.host", to: "Work")
    let told = try scenario.mirror.run(["push"])
    #expect(told.errorText.contains("holds 1 new message: not sent"), "\(told.summary)")
    for token in ["w0", "w1"] {
      try reader.remove(
        #require(try scenario.mirror.tree().message(with: "<\(token)@", in: "Work")))
    }
    _ = try scenario.mirror.run(["push"])
    #expect(try scenario.places("mine") == ["Work"])
    for token in ["w0", "w1"] { #expect(try scenario.places(token) == ["Archive"]) }
  }

  @Test func `one that holds what the server has nowhere is a mailbox again`() throws {
    let scenario = try Scenario()
    try emptied(scenario, movedAll: false)
    _ = try run(.pull, scenario.mirror)
    #expect(try scenario.places("w1") == ["Work"])
  }

  /// A reader saved m9 into Sent under a name of its own, and a push sent it.
  private func saved(_ scenario: Scenario) throws {
    for name in ["Sent", "Work"] where try !scenario.client.mailboxes().contains(name) {
      try scenario.client.create(name)
    }
    try scenario.append(["m0"])
    try scenario.pull()
    try Reader(scenario.mirror).deliver(
      SampleMessage(token: "m9").bytes.filter { $0 != 13 }, name: "17.1_m9.host", to: "Sent")
    try scenario.push()
    try scenario.pull()
  }

  @Test
  func `what was written here and moved by another client is not sent when the state is lost`()
    throws
  {
    let scenario = try Scenario()
    try saved(scenario)
    try scenario.client.move(
      [scenario.client.uid(of: "m9", in: "Sent")], from: "Sent", to: "Archive")
    removeTree(scenario.mirror.account + "/.mirror")
    // New mail of the same moment goes out.
    try Reader(scenario.mirror).deliver(
      SampleMessage(token: "mine").bytes.filter { $0 != 13 }, name: "17.1_mine.host", to: "Sent")
    let outcomes = try run(.pull, scenario.mirror)
    #expect(outcomes[0].errorText.contains("1 file here is a message that the server has"))
    for _ in 0..<2 { _ = try scenario.mirror.run(["sync", "--no-index"]) }
    #expect(try scenario.places("m9") == ["Archive"])
    #expect(try scenario.places("mine") == ["Sent"])
    #expect(try scenario.mirror.tree().count(of: "<m9@") == 2, "nothing is removed here")
  }

  @Test func `a copy of it made before is sent all the same`() throws {
    let scenario = try Scenario()
    try saved(scenario)
    let message = try #require(try scenario.mirror.tree().message(with: "<m9@", in: "Sent"))
    let account = scenario.mirror.account
    removeTree(account + "/.mirror")
    // With its date; its original is where it was.
    try runSuccessfully([
      "cp", "-p", account + "/" + message.path, account + "/Work/cur/17.2.host:2,S",
    ])
    _ = try run(.pull, scenario.mirror)
    #expect(try scenario.places("m9") == ["Sent", "Work"])
  }
}
