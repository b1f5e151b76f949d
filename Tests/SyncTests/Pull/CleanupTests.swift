import MailTestKit
import SyncPlan
import Testing

/// `Cleanup`: what the end of a pull does to files, in an ordinary run and with a crash at every commit.
struct CleanupTests {
  // MARK: MovesOnBothSides

  private func moveOnBothSides(_ stage: Stage) throws {
    try stage.move("m0", to: "Work")
    try stage.moveThere("m0", from: "INBOX", to: "Other")
  }

  private func expectInWork(_ stage: Stage, _ when: String) throws {
    #expect(stage.places("m0") == ["Work"], "\(when)")
    #expect(try stage.folders(of: "m0") == ["Work"], "\(when)")
  }

  @Test func `a message moved on both sides ends where it was moved here, which is told`() throws {
    let stage = try Stage()
    try moveOnBothSides(stage)
    let told = stage.pull().problems
    #expect(told.contains { $0.problem.contains("to “Other” on the server") }, "\(told)")
    stage.push()
    try expectInWork(stage, "after both")
    #expect(stage.changes(named: "APPEND") == [])
    try stage.expectSettled()
  }

  @Test(arguments: Speaking.swept) func `a crash at any commit loses no track of it`(
    speaking: Speaking
  ) throws {
    try Stage.crashes(
      of: .pull, on: { try Stage(speaking.dialect) }, moveOnBothSides, expect: expectInWork)
  }

  // MARK: ExpungedFiles: marks follow

  private func markAndMoveThere(_ stage: Stage) throws {
    try stage.setFlags("m0", "F")
    try stage.moveThere("m0", from: "INBOX", to: "Work")
  }

  private func expectMarkFollowed(_ stage: Stage, _ when: String) throws {
    try expectInWork(stage, when)
    #expect(try stage.local("m0").flags == "F", "\(when)")
    #expect(try stage.remote("m0", in: "Work").flags == ["\\Flagged"], "\(when)")
  }

  @Test func `marks that wait follow a message that the server moved`() throws {
    let stage = try Stage()
    try markAndMoveThere(stage)
    stage.pull()
    #expect(try stage.local("m0").flags == "F")
    stage.push()
    try expectMarkFollowed(stage, "after both")
    try stage.expectSettled()
  }

  @Test(arguments: Speaking.swept) func `a crash at any commit loses no mark`(
    speaking: Speaking
  ) throws {
    try Stage.crashes(
      of: .pull, on: { try Stage(speaking.dialect) }, markAndMoveThere, expect: expectMarkFollowed)
  }

  // MARK: LateChanges

  private func moveAndMarkThere(_ stage: Stage) throws {
    try stage.move("m0", to: "Work")
    try stage.setFlagsThere("m0", ["\\Flagged", "topic"])
  }

  private func expectMarkArrived(_ stage: Stage, _ when: String) throws {
    try expectInWork(stage, when)
    #expect(try stage.local("m0").flags == "F", "\(when)")
    #expect(try stage.local("m0").keywords() == ["topic"], "\(when)")
  }

  @Test func `the server's flags reach a message that was moved here`() throws {
    let stage = try Stage()
    try moveAndMarkThere(stage)
    stage.pull()
    #expect(try stage.local("m0", in: "Work").flags == "F")
    #expect(try stage.local("m0", in: "Work").keywords() == ["topic"])
    stage.push()
    stage.pull()
    try expectMarkArrived(stage, "after both")
    try stage.expectSettled()
  }

  @Test(arguments: Speaking.swept) func `a crash at any commit loses no flag of the server's`(
    speaking: Speaking
  ) throws {
    try Stage.crashes(
      of: .pull, on: { try Stage(speaking.dialect) }, moveAndMarkThere, expect: expectMarkArrived)
  }

  @Test
  func `flags that reach messages that were moved here are counted by message`()
    throws
  {
    let stage = try Stage()
    for token in ["m0", "m1"] {
      try stage.move(token, to: "Work")
      try stage.setFlagsThere(token, ["\\Flagged"])
    }
    #expect(stage.pull().changed == 2)
  }

  /// Its name says that it was born in INBOX, where the message it was copied from still is.
  @Test func `a copy that was made with its name goes when another client deletes it`() throws {
    let stage = try Stage()
    let original = try stage.local("m0")
    let name = try #require(original.path.split(separator: "/").last)
    try writeFile("\(stage.path)/Work/cur/\(name.split(separator: ":")[0]):2,S", original.raw)
    stage.push()
    #expect(stage.places("m0") == ["INBOX", "Work"])
    stage.pull()
    try stage.expungeThere("m0", in: "Work")
    stage.pull()
    stage.push()
    #expect(stage.places("m0") == ["INBOX"])
    #expect(try stage.folders(of: "m0") == ["INBOX"])
    try stage.expectSettled()
  }
}
