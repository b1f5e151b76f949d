import Foundation
import MailTestKit
import Testing

/// What waits is told, in the words of `push`, of its dry run, and of `status`.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushWaitingTests {
  private typealias Stage = PushStage

  @Test func `a read-only mailbox keeps what is here, and is not asked for ever`() throws {
    let stage = try Stage(.modern)
    try stage.reader.setFlags(stage.local("m0"), "F")
    stage.server.alter { command, replies in
      guard command.name == "SELECT" else { return replies }
      return replies.dropLast() + [.line("\(command.tag) OK [READ-ONLY] look only")]
    }
    for _ in 0..<3 { try stage.push(1) }
    stage.server.forget()
    let outcome = try stage.push(1)
    #expect(stage.server.received.isEmpty, "\(stage.server.received)")
    #expect(outcome.errorText.contains("1 change waits"), "\(outcome.errorText)")
    #expect(outcome.outputText.contains("1 waiting"), "\(outcome.outputText)")
    #expect(try stage.local("m0").flags == "F")
  }

  @Test func `what is deleted by query goes to the trash that the push makes`() throws {
    let stage = try Stage(.modern, count: 3)
    stage.account["Trash"] = nil
    try FileManager.default.removeItem(atPath: stage.mirror.account + "/Trash")
    try stage.mirror.pull()
    #expect(try stage.mirror.run(["index"]).status == 0)
    let rehearsed = try stage.mirror.run(["delete", "--dry-run", "subject:m1"])
    #expect(rehearsed.status == 0, "\(rehearsed.summary)")
    #expect(rehearsed.outputText.contains("would make the folder personal/Trash"))
    let outcome = try stage.mirror.run(["delete", "--yes", "subject:m1"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    _ = try stage.local("m1", in: "Trash")
    try stage.push()
    #expect(stage.places("m1") == ["Trash"])
    #expect(stage.server.server.received(named: ["APPEND", "COPY"]) == [])
    try stage.expectSettled()
  }

  @Test func `a tree from a backup deletes nothing, and says so in a dry run, too`() throws {
    let stage = try Stage(.modern)
    let account = stage.mirror.account
    try FileManager.default.copyItem(atPath: account, toPath: account + ".copy")
    try FileManager.default.removeItem(atPath: account)
    try FileManager.default.moveItem(atPath: account + ".copy", toPath: account)
    try stage.reader.remove(stage.local("m0"))
    for arguments in [["push", "--dry-run"], ["push"], ["push"]] {
      let outcome = try stage.mirror.run(arguments)
      #expect(
        outcome.status == 1 && outcome.errorText.contains("mirror pull"), "\(outcome.summary)")
      #expect(!outcome.outputText.contains("trash"))
    }
    let status = try stage.mirror.run(["status"])
    #expect(!status.outputText.contains("1 deletion"), "\(status.outputText)")
    #expect(stage.changes == [])
    try stage.mirror.pull()
    #expect(stage.places("m0") == ["INBOX"])
    #expect(try stage.local("m0").folder == "INBOX", "downloaded again")
    try stage.expectSettled()
  }
}
