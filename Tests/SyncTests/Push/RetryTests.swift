import MailTestKit
import SyncPlan
import Testing

/// What a server refuses without a reason is asked for three times more, over all runs.
struct RetryTests {
  /// Refuses the first so many commands of this name.
  private func refuse(_ name: String, times: Int, _ stage: Stage) {
    let seen = Locked(0)
    let refusals = stage.refusals
    refusals.value = [.init(name: name, words: "NO I would rather not")]
    stage.alter.value = { command, replies in
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
    let outcome = stage.push()
    #expect(!outcome.told.contains("refuses"), "\(outcome.told)")
    #expect(stage.account["Work"]?.messages.count == 2)
    stage.alter.value = nil
    try stage.expectSettled()
  }

  @Test func `what is too large, or too much, is not tried again at once`() throws {
    for words in ["NO [TOOBIG] too big", "NO [OVERQUOTA] full", "NO [CANNOT] never"] {
      let stage = try Stage(.modern)
      try stage.deliver("n0", to: "Work")
      stage.refusals.value = [.init(name: "APPEND", words: words)]
      stage.forget()
      stage.push(1)
      #expect(stage.changes.count == 1, "\(words): \(stage.changes)")
      #expect(try stage.tree()["Work"].count == 1)
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
      try stage.setFlags("m0", "F")
      name = "UID STORE"
    case .moves:
      try stage.move("m0", to: "Work")
      name = "UID MOVE"
    case .deletions:
      try stage.remove("t0")
      name = "UID EXPUNGE"
    }
    stage.refusals.value = [.init(name: name, words: "NO I would rather not")]
    let seen = Locked(0)
    stage.alter.value = { command, replies in
      if command.name == name { seen.change { $0 += 1 } }
      // The second try meets nobody.
      return seen.value > 1 ? [.hangUp] : replies
    }
    stage.push(nil)
    #expect(seen.value >= 2)
    stage.alter.value = nil
    stage.forget()
    stage.push(1)
    // One of the three was spent: this run's first, and two more.
    #expect(stage.changes(named: name).count == 3)
    switch kind {
    case .marks: #expect(try stage.local("m0").flags == "", "set back")
    case .moves: #expect(try stage.local("m0").folder == "INBOX", "put back")
    case .deletions: #expect(stage.account["Trash"]?.messages.count == 1)
    }
    stage.refusals.value = []
    stage.pull(nil)
    // What may not be expunged is left \Deleted there.
    try stage.expectSettled(agrees: kind != .deletions)
  }
}
