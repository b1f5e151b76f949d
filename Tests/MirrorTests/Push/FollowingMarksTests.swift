import Foundation
import MailTestKit
import Testing

/// Another client moved or expunged a message that was marked here, and the pull is not a whole one.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct FollowingMarksTests {
  enum Way: CaseIterable { case chosen, refused }

  private func stage() throws -> PushStage {
    try PushStage(.modern) { account in
      account.add("Other")
      account.change("Other") { box in
        for token in ["x", "y"] { box.deliver(SampleMessage(token: token)) }
      }
    }
  }

  private func pullInPart(_ way: Way, _ stage: PushStage) throws {
    switch way {
    case .chosen: try stage.mirror.pull("personal/Other")
    case .refused:
      stage.server.alter { command, replies in
        command.name == "EXAMINE" && command.text.contains("Work")
          ? [.line("\(command.tag) NO [INUSE] in a moment")] : replies
      }
      _ = try stage.mirror.run(["pull"])
      stage.server.alter(nil)
    }
  }

  @Test(arguments: Way.allCases) func `marks wait for the message's new place`(way: Way) throws {
    let stage = try stage()
    try stage.reader.setFlags(stage.local("x"), "F")
    stage.account.change("Other") { $0.expunge(1) }
    stage.account.change("Work") { $0.deliver(SampleMessage(token: "x")) }
    try pullInPart(way, stage)
    try stage.push()
    #expect(stage.places("x") == ["Work"])
    for _ in 0..<2 {
      try stage.mirror.pull()
      try stage.push()
    }
    #expect(stage.places("x") == ["Work"] && stage.flags("x") == ["\\Flagged"])
    try stage.expectSettled()
    #expect(try stage.mirror.tree().count(of: "<x@") == 1)
  }

  @Test(arguments: Way.allCases) func `what was expunged goes with the next whole pull`(way: Way)
    throws
  {
    let stage = try stage()
    try stage.reader.setFlags(stage.local("x"), "F")
    stage.account.change("Other") { $0.expunge(1) }
    try pullInPart(way, stage)
    try stage.push()
    try stage.mirror.pull()
    #expect(stage.places("x") == [])
    #expect(try stage.mirror.tree().count(of: "<x@") == 0)
    try stage.expectSettled()
  }

  /// Promise 10, where it waits for a mailbox that fails in every run.
  @Test func `marks that wait are written once`() throws {
    let stage = try stage()
    try stage.reader.setFlags(stage.local("x"), "F")
    stage.account.change("Other") { $0.expunge(1) }
    for _ in 0..<2 { try stage.mirror.pull("personal/Other") }
    let before = TreeSnapshot(stage.mirror.account, leavingOut: Scenario.isBookkeeping)
    try stage.mirror.pull("personal/Other")
    let after = TreeSnapshot(stage.mirror.account, leavingOut: Scenario.isBookkeeping)
    #expect(before.changes(to: after) == [])
  }

  @Test func `where a mailbox fails in every run, what was expunged goes all the same`() throws {
    let stage = try stage()
    try stage.reader.setFlags(stage.local("x"), "S")
    stage.account.change("Other") { $0.expunge(1) }
    let first = Locked("")
    for _ in 0..<5 {
      stage.account.change("Work") { $0.deliver(SampleMessage(token: "fresh")) }
      stage.server.alter { command, replies in
        command.name == "EXAMINE" && command.text.contains("Work")
          ? [.line("\(command.tag) NO [NOPERM] never")] : replies
      }
      let outcome = try stage.mirror.run(["pull"])
      if first.value.isEmpty { first.value = outcome.errorText }
    }
    #expect(first.value.contains("wait"), "\(first.value)")
    #expect(try stage.mirror.tree().count(of: "<x@") == 0)
  }

  /// Of two messages one file goes before the kill; the other was renamed by a reader.
  @Test(.enabled(if: Machine.canInject)) func `a renamed file goes with its message after a kill`()
    throws
  {
    let high = try firstWriteWithout("x", renamed: true)
    let (stage, _) = try killed(at: high, renamed: true)
    try #require(try stage.mirror.tree().count(of: "<y@") == 1)
    for _ in 0..<2 {
      try stage.mirror.pull()
      try stage.push()
    }
    #expect(stage.places("y") == [])
    #expect(try stage.mirror.tree().count(of: "<y@") == 0)
  }

  /// The run is killed behind unlinking a file, and before it has noted that: the first of its writes behind that is the
  /// first at which the file is gone.
  @Test(.enabled(if: Machine.canInject)) func `a file put back after a kill is no renamed one`()
    throws
  {
    let high = try firstWriteWithout("x")
    let (stage, message) = try killed(at: high)
    try #require(try stage.mirror.tree().count(of: "<x@") == 0)
    try stage.reader.deliver(message.raw, name: "1666.restored.host", to: "Other")
    try stage.mirror.pull()
    #expect(try stage.mirror.tree().count(of: "<x@") == 1)
    try stage.push()
    #expect(stage.places("x") == ["Other"])
    try stage.expectSettled()
  }

  private func firstWriteWithout(_ token: String, renamed: Bool = false) throws -> Int {
    let probe = try stage()
    probe.account.change("Other") { $0.expunge(1) }
    let writes = try FaultRun(probe.mirror).counts(of: ["pwrite64"]).counts["pwrite64"] ?? 0
    var (low, high) = (1, max(1, writes))
    while low < high {
      let middle = (low + high) / 2
      let (stage, _) = try killed(at: middle, renamed: renamed)
      let isThere = try stage.mirror.tree().count(of: "<\(token)@") > 0
      if isThere { low = middle + 1 } else { high = middle }
    }
    return high
  }

  /// - Parameter renamed: with a second message that is expunged, its file renamed.
  private func killed(at number: Int, renamed: Bool = false) throws -> (PushStage, LocalMessage) {
    let stage = try stage()
    let message = try stage.local("x")
    if renamed {
      let other = try stage.local("y")
      try stage.reader.deliver(other.raw, name: "17.5_r.host", to: "Other")
      try stage.reader.remove(other)
      stage.account.change("Other") { $0.expunge(2) }
    }
    stage.account.change("Other") { $0.expunge(1) }
    let outcome = try FaultRun(stage.mirror).kill(at: "pwrite64", number)
    #expect(outcome.ending == .signalled(9), "\(outcome.summary)")
    return (stage, message)
  }

  /// The connection is lost before anything is unlinked.
  @Test func `a renamed file goes with its message after a cut run, too`() throws {
    let stage = try stage()
    let message = try stage.local("x")
    try stage.reader.deliver(message.raw, name: "17.5_r.host", to: "Other")
    try stage.reader.remove(message)
    stage.account.change("Other") { $0.expunge(1) }
    stage.account.change("Work") { $0.deliver(SampleMessage(token: "fresh")) }
    stage.server.alter { command, replies in
      command.text.contains("Work") || command.name == "AUTHENTICATE" && command.connection > 0
        ? [.hangUp] : replies
    }
    let cut = try stage.mirror.run(["pull"])
    #expect(cut.status == 69, "\(cut.summary)")
    stage.server.alter(nil)
    try stage.mirror.pull()
    try stage.push()
    #expect(stage.places("x") == [])
    try stage.expectSettled()
  }
}
