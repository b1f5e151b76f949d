import Foundation
import MailTestKit
import Testing

/// What a server refuses for good is told at once, with what to do, and never waited for.
@Suite(.onBlockingThreads) struct LimitTests {
  @Test(arguments: ["LIMIT", "TOOBIG", "OVERQUOTA"])
  func `a new message`(code: String) throws {
    let stage = try PushStage(.modern)
    stage.refusals.value = [("APPEND", "", "NO [\(code)] no more of that")]
    try stage.deliver("fresh", to: "INBOX")
    let begun = Date()
    let outcome = try stage.mirror.run(
      ["push"], more: ["MIRROR_RETRY_SECONDS": "100,100,100"])
    #expect(Date().timeIntervalSince(begun) < 90)
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(stage.server.server.received(named: ["APPEND"]).count == 1)
    let words = ["LIMIT": "over a limit", "TOOBIG": "larger than", "OVERQUOTA": "Make room"]
    #expect(outcome.errorText.contains("no more of that"), "\(outcome.summary)")
    #expect(outcome.errorText.contains(words[code] ?? ""), "\(outcome.summary)")
    #expect(try stage.local("fresh").folder == "INBOX", "it stays here")
    let told = try stage.mirror.run(["status"])
    #expect(told.outputText.contains("no more of that"), "\(told.summary)")
    #expect(told.outputText.contains(words[code] ?? ""), "\(told.summary)")
  }

  @Test(arguments: [Dialect.modern, .gmail], ["LIMIT", "TOOBIG", "OVERQUOTA"])
  func `a copy and a renamed folder`(dialect: Dialect, code: String) throws {
    let stage = try PushStage(dialect) {
      $0.deliver(SampleMessage(token: "w0"), labelled: ["Work"])
    }
    stage.refusals.value = ["APPEND", "UID COPY", "RENAME"].map {
      ($0, "", "NO [\(code)] no more of that")
    }
    let message = try stage.local("m0")
    try stage.reader.deliver(message.raw, name: "17.1_copy.host", to: "Drafts")
    try FileManager.default.moveItem(
      atPath: stage.mirror.account + "/Work", toPath: stage.mirror.account + "/Jobs")
    let pushed = try stage.push(1)
    let told = try stage.mirror.run(["status"]).outputText
    let copy = [
      "LIMIT": "or remove the copy", "TOOBIG": "remove the copy", "OVERQUOTA": "Make room",
    ]
    let line = told.split(separator: "\n").first { $0.contains("refused 1 copy (no more of that)") }
    #expect(line?.contains(copy[code] ?? "") == true, "\(told)")
    // What is too large is no matter of names: the folder has its old one again.
    let rename = ["LIMIT": "Give it another name", "OVERQUOTA": "Make room on the server"]
    guard let remedy = rename[code] else { return }
    for words in [told, pushed.errorText] {
      let line = words.split(separator: "\n").first { $0.contains("new name “Jobs”") }
      #expect(line?.contains(remedy) == true, "\(words)")
    }
  }

  @Test func `a keyword`() throws {
    let stage = try PushStage(.modern)
    stage.refusals.value = [("UID STORE", "", "NO [LIMIT] too many keywords")]
    try stage.reader.setFlags(stage.local("m0"), "FS")
    let begun = Date()
    let outcome = try stage.mirror.run(
      ["push"], more: ["MIRROR_RETRY_SECONDS": "100,100,100"])
    #expect(Date().timeIntervalSince(begun) < 90)
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.errorText.contains("too many keywords"), "\(outcome.summary)")
    #expect(outcome.errorText.contains("has reached a limit"), "\(outcome.summary)")
    #expect(try stage.local("m0").flags == "FS", "it waits")
  }

  @Test func `status tells why flags and moves wait`() throws {
    let stage = try PushStage(.modern)
    stage.refusals.value = ["UID STORE", "UID MOVE"].map {
      ($0, "", "NO [NOPERM] \($0) is not for you")
    }
    try stage.reader.setFlags(stage.local("m0"), "FS")
    try stage.reader.move(stage.local("m1"), to: "Work")
    for round in 1...4 {
      #expect(try stage.mirror.run(["push"]).status == 1)
      let told = try stage.mirror.run(["status"])
      for command in ["STORE", "MOVE"] {
        #expect(
          told.outputText.contains("UID \(command) is not for you"), "\(round): \(told.summary)")
      }
    }
    stage.refusals.value = []
    #expect(try stage.mirror.run(["push", "--full"]).status == 0)
    let told = try stage.mirror.run(["status"])
    #expect(!told.outputText.contains("is not for you"), "\(told.summary)")
  }

  @Test(arguments: ["LIMIT", "OVERQUOTA"])
  func `what a person did here is kept, and each push asks for it once`(code: String) throws {
    let stage = try PushStage(.modern)
    try stage.reader.move(stage.local("m0"), to: "Work")
    try stage.reader.remove(stage.local("m1"))
    try stage.makeFolder("Fresh")
    try stage.deliver("fresh", to: "Fresh")
    stage.refusals.value = ["UID MOVE", "CREATE"].map { ($0, "", "NO [\(code)] no more of that") }
    for round in 1...4 {
      stage.server.server.forget()
      let outcome = try stage.mirror.run(["push"], more: ["MIRROR_RETRY_SECONDS": "20,20,20"])
      #expect(outcome.status == 1, "\(round): \(outcome.summary)")
      #expect(outcome.errorText.contains("no more of that"), "\(outcome.summary)")
      #expect(outcome.errorText.contains("wait"), "\(outcome.summary)")
      let asked = stage.server.server.received(named: ["MOVE", "CREATE"]).count
      #expect(asked == 3, "\(round): a move, a deletion, a folder")
      let told = try stage.mirror.run(["status"]).outputText
      for what in ["moves to “Work”", "deletions", "make this mailbox"] {
        #expect(told.contains("\(what) (no more of that)"), "\(round): \(told)")
      }
      let remedy = code == "LIMIT" ? "Take keywords or mail out" : "Make room on the server"
      #expect(told.contains(remedy), "\(round): \(told)")
      #expect(try stage.local("m0").folder == "Work", "\(round)")
      #expect(try stage.mirror.tree().message(with: "<m1@") == nil, "\(round)")
    }
    stage.refusals.value = []
    try stage.push()
    #expect(stage.places("m0") == ["Work"])
    #expect(stage.places("m1") == ["Trash"])
    #expect(stage.places("fresh") == ["Fresh"])
    let told = try stage.mirror.run(["status"]).outputText
    #expect(!told.contains("no more of that"), "\(told)")
  }

  @Test func `status tells from the first refusal on that a mailbox is not made`() throws {
    let stage = try PushStage(.modern)
    try stage.makeFolder("Fresh")
    try stage.deliver("fresh", to: "Fresh")
    stage.refusals.value = [("CREATE", "", "NO not for you")]
    for (round, remedy) in ["Each push tries again", "Each push", "--full"].enumerated() {
      #expect(try stage.mirror.run(["push"]).status == 1)
      let told = try stage.mirror.run(["status"]).outputText
      #expect(told.contains("Fresh: The server refuses to make this mailbox"), "\(round): \(told)")
      #expect(told.contains(remedy), "\(round): \(told)")
    }
    stage.refusals.value = []
    #expect(try stage.mirror.run(["push", "--full"]).status == 0)
    let told = try stage.mirror.run(["status"]).outputText
    #expect(!told.contains("refuses"), "\(told)")
  }
}
