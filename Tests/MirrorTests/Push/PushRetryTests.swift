import MailTestKit
import Testing

/// What a server refuses without a reason is asked for three times more, over all runs.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushRetryTests {
  private typealias Stage = PushStage

  /// Refuses the first so many commands of this name.
  private func refuse(_ name: String, times: Int, _ stage: Stage) {
    let seen = Locked(0)
    let refusals = stage.refusals
    refusals.value = [(name, "", "NO I would rather not")]
    stage.server.alter { command, replies in
      guard command.name == name else { return replies }
      let count = seen.change { count in
        count += 1
        return count
      }
      if count == times { refusals.value = [] }
      return replies
    }
  }

  @Test func `a new message that is refused twice is taken at the third time`() throws {
    let stage = try Stage(.modern)
    try stage.deliver("n0", to: "Work")
    try stage.deliver("n1", to: "Work")
    refuse("APPEND", times: 3, stage)
    let outcome = try stage.push()
    #expect(!outcome.errorText.contains("refuses"), "\(outcome.errorText)")
    #expect(stage.account["Work"]?.messages.count == 2)
    stage.server.alter(nil)
    try stage.expectSettled()
  }

  @Test func `a new message that is refused stays, and is sent once in each later run`() throws {
    let stage = try Stage(.modern)
    try stage.deliver("n0", to: "Work")
    stage.refusals.value = [("APPEND", "", "NO I would rather not")]
    for appends in [4, 1, 1] {
      stage.server.forget()
      let outcome = try stage.push(1)
      #expect(outcome.errorText.contains("stays here"), "\(outcome.errorText)")
      #expect(stage.changes.count == appends, "\(stage.changes)")
    }
    #expect(try stage.mirror.tree()["Work"].count == 1)
    stage.refusals.value = []
    try stage.push()
    #expect(stage.places("n0") == ["Work"])
    try stage.expectSettled()
  }

  @Test func `what is too large, or too much, is not tried again at once`() throws {
    for words in ["NO [TOOBIG] too big", "NO [OVERQUOTA] full", "NO [CANNOT] never"] {
      let stage = try Stage(.modern)
      try stage.deliver("n0", to: "Work")
      stage.refusals.value = [("APPEND", "", words)]
      stage.server.forget()
      try stage.push(1)
      #expect(stage.changes.count == 1, "\(words): \(stage.changes)")
      #expect(try stage.mirror.tree()["Work"].count == 1)
    }
  }

  enum Kind: String, CaseIterable { case marks, moves, deletions }

  @Test(arguments: Kind.allCases)
  func `a run that is cut off between two tries does not begin anew`(kind: Kind) throws {
    let stage = try Stage(.modern) { account in
      account.change("Trash") { $0.deliver(SampleMessage(token: "t0")) }
    }
    let name: String
    switch kind {
    case .marks:
      try stage.reader.setFlags(stage.local("m0"), "F")
      name = "UID STORE"
    case .moves:
      try stage.reader.move(stage.local("m0"), to: "Work")
      name = "UID MOVE"
    case .deletions:
      try stage.reader.remove(stage.local("t0"))
      name = "UID EXPUNGE"
    }
    stage.refusals.value = [(name, "", "NO I would rather not")]
    let seen = Locked(0)
    stage.server.alter { command, replies in
      if command.name == name { seen.change { $0 += 1 } }
      // The second try meets nobody.
      return seen.value > 1 ? [.hangUp] : replies
    }
    _ = try stage.mirror.run(["push"])
    #expect(seen.value >= 2)
    stage.server.alter(nil)
    stage.server.forget()
    try stage.push(1)
    // One of the three was spent: this run's first, and two more.
    #expect(stage.server.server.received(named: [String(name.dropFirst(4))]).count == 3)
    switch kind {
    case .marks: #expect(try stage.local("m0").flags == "", "set back")
    case .moves: #expect(try stage.local("m0").folder == "INBOX", "put back")
    case .deletions: #expect(stage.places("t0") == ["Trash"])
    }
    stage.refusals.value = []
    try stage.mirror.pull()
    try stage.expectSettled()
  }
}
