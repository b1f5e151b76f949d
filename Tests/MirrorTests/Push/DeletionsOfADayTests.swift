import Foundation
import MailTestKit
import Testing

/// Promise 4 over several runs: the guard remembers what it let pass.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct DeletionsOfADayTests {
  private func remove(_ tokens: some Sequence<String>, from stage: PushStage) throws {
    let tree = try stage.mirror.tree()
    for token in tokens {
      try stage.reader.remove(try #require(tree.message(with: "<\(token)@")))
    }
  }

  private func count(_ box: String, of stage: PushStage) -> Int {
    stage.account[box]?.messages.count ?? 0
  }

  @Test(arguments: ["trash", "expunge"])
  func `what is deleted bit by bit waits as what is deleted at once`(deletions: String) throws {
    let stage = try PushStage(.modern, count: 400, sync: "deletions = \"\(deletions)\"")
    for push in 0..<10 {
      try remove((push * 40..<(push + 1) * 40).map { "m\($0)" }, from: stage)
      let outcome = try stage.push(push < 4 ? 0 : 1)
      guard push == 4 else { continue }
      #expect(outcome.errorText.contains("200 of 400"), "\(outcome.summary)")
      #expect(try stage.push(1, "--dry-run").errorText.contains("200 of 400"))
    }
    #expect(count("INBOX", of: stage) == 240)
    // What was explicitly allowed begins a new count.
    try stage.push(0, "--allow-mass-delete")
    #expect(count("INBOX", of: stage) == 0)
    stage.account.change("INBOX") { box in
      for number in 0..<50 { box.deliver(SampleMessage(token: "n\(number)")) }
    }
    try stage.mirror.pull()
    try remove((0..<20).map { "n\($0)" }, from: stage)
    try stage.push()
    #expect(count("INBOX", of: stage) == 30)
    try stage.expectSettled()
  }

  @Test func `a push that was cut off counts what it had begun`() throws {
    let stage = try PushStage(.modern, count: 40)
    try remove((0..<15).map { "m\($0)" }, from: stage)
    try stage.killPush(at: "UID MOVE")
    try stage.push()
    #expect(count("INBOX", of: stage) == 25)
    try remove((15..<20).map { "m\($0)" }, from: stage)
    try stage.push()
    try remove(["m20"], from: stage)
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("21 of 40"), "\(outcome.summary)")
    #expect(count("INBOX", of: stage) == 20)
  }

  @Test func `a trash that is emptied again and again waits for nobody`() throws {
    let stage = try PushStage(.modern, count: 60)
    for round in 0..<3 {
      let tokens = (round * 15..<(round + 1) * 15).map { "m\($0)" }
      // Each quarter of the rest is no half; the day's half is reached by the third.
      try remove(tokens.prefix(9), from: stage)
      try stage.push()
      try stage.mirror.pull()
      try remove(tokens.prefix(9), from: stage)
      try stage.push()
    }
    #expect(count("INBOX", of: stage) == 33 && count("Trash", of: stage) == 0)
    try stage.expectSettled()
  }
}
