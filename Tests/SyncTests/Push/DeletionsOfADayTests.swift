import Foundation
import MailTestKit
import Settings
import SyncPlan
import Testing

/// Promise 4 over several runs: the guard remembers what it let pass.
struct DeletionsOfADayTests {
  private func remove(_ tokens: some Sequence<String>, from stage: Stage) throws {
    let tree = try stage.tree()
    for token in tokens {
      try stage.reader.remove(try #require(tree.message(with: "<\(token)@")))
    }
  }

  private func count(_ box: String, of stage: Stage) -> Int {
    stage.account[box]?.messages.count ?? 0
  }

  @Test(arguments: DeletionPolicy.allCases)
  func `what is deleted bit by bit waits as what is deleted at once`(deletions: DeletionPolicy)
    throws
  {
    let stage = try Stage(.modern, count: 400, sync: { $0.deletions = deletions })
    for push in 0..<10 {
      try remove((push * 40..<(push + 1) * 40).map { "m\($0)" }, from: stage)
      let outcome = stage.push(push < 4 ? 0 : 1)
      guard push == 4 else { continue }
      #expect(outcome.told.contains("200 of 400"), "\(outcome.told)")
      #expect(stage.push(1, PushOptions(dryRun: true)).told.contains("200 of 400"))
    }
    #expect(count("INBOX", of: stage) == 240)
    // What was explicitly allowed begins a new count.
    stage.push(0, PushOptions(allowsMassDelete: true))
    #expect(count("INBOX", of: stage) == 0)
    stage.account.change("INBOX") { box in
      for number in 0..<50 { box.deliver(SampleMessage(token: "n\(number)")) }
    }
    stage.pull(nil)
    try remove((0..<20).map { "n\($0)" }, from: stage)
    stage.push()
    #expect(count("INBOX", of: stage) == 30)
    try stage.expectSettled()
  }

  @Test func `a push that was cut off counts what it had begun`() throws {
    let stage = try Stage(.modern, count: 40)
    try remove((0..<15).map { "m\($0)" }, from: stage)
    stage.killPush(at: "UID MOVE")
    stage.push()
    #expect(count("INBOX", of: stage) == 25)
    try remove((15..<20).map { "m\($0)" }, from: stage)
    stage.push()
    try remove(["m20"], from: stage)
    let outcome = stage.push(1)
    #expect(outcome.told.contains("21 of 40"), "\(outcome.told)")
    #expect(count("INBOX", of: stage) == 20)
  }

  @Test func `a trash that is emptied again and again waits for nobody`() throws {
    let stage = try Stage(.modern, count: 60)
    for round in 0..<3 {
      let tokens = (round * 15..<(round + 1) * 15).map { "m\($0)" }
      // Each quarter of the rest is no half; the day's half is reached by the third.
      try remove(tokens.prefix(9), from: stage)
      stage.push()
      stage.pull(nil)
      try remove(tokens.prefix(9), from: stage)
      stage.push()
    }
    #expect(count("INBOX", of: stage) == 33 && count("Trash", of: stage) == 0)
    try stage.expectSettled()
  }
}
