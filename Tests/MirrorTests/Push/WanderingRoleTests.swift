import Foundation
import MailTestKit
import Testing

/// What a mailbox is for is what the server says in this very run: a role that was taken from it is forgotten here, too.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct WanderingRoleTests {
  private func stage(_ dialect: Dialect = .modern, sync: String = "") throws -> PushStage {
    try PushStage(dialect, sync: sync) { account in
      account.change("Trash") { $0.deliver(SampleMessage(token: "t0")) }
      account.change("Drafts") { $0.deliver(SampleMessage(token: "d0")) }
      account.change("Work") { $0.deliver(SampleMessage(token: "w0")) }
    }
  }

  /// Another client calls it otherwise, and makes a new one in its place, where the mark stays.
  private func rename(_ name: String, to other: String, of stage: PushStage, mark: String) {
    stage.account.change(name) { box in
      box.name = other
      box.attributes = []
    }
    stage.account.add(name, attributes: [mark], uidValidity: 1_600_000_000)
  }

  private func move(_ mark: String, from name: String, to other: String, of stage: PushStage) {
    stage.account.change(name) { $0.attributes = [] }
    stage.account.change(other) { $0.attributes = [mark] }
  }

  private func edit(_ token: String, _ stage: PushStage) throws {
    let message = try stage.local(token)
    try stage.reader.rewrite(message, message.raw + Array("one more line\n".utf8))
  }

  @Test(arguments: ["all", "another"])
  func `what is deleted in a mailbox that was the trash goes to the new one`(pulled: String) throws
  {
    let stage = try stage()
    rename("Trash", to: "Keep", of: stage, mark: "\\Trash")
    // Also where the pull was asked for another mailbox.
    let outcome = try stage.mirror.run(
      ["pull", "--no-index"] + (pulled == "all" ? [] : ["personal/Work"]))
    #expect(outcome.ending == .exited(0), "\(outcome.summary)")
    try stage.reader.remove(stage.local("t0", in: "Keep"))
    try stage.push()
    #expect(stage.places("t0") == ["Trash"])
    try stage.expectSettled()
  }

  @Test(arguments: [false, true], ["modern", "plain", "gmail"])
  func `where only the mark wandered on, nothing is expunged in its old place`(
    isPulled: Bool, name: String
  ) throws {
    let dialects: [String: Dialect] = [
      "modern": .modern, "plain": Dialect(capabilities: ["UIDPLUS"]), "gmail": .gmail,
    ]
    let stage = try stage(try #require(dialects[name]))
    move("\\Trash", from: "Trash", to: "Work", of: stage)
    if isPulled { try stage.mirror.pull() }
    try stage.reader.remove(stage.local("t0"))
    try stage.push()
    #expect(stage.places("t0") == ["Work"])
    // And what has it now is the trash.
    try stage.mirror.pull()
    try stage.reader.remove(stage.local("w0"))
    try stage.push()
    #expect(stage.places("w0") == [])
    try stage.expectSettled()
  }

  @Test(arguments: [false, true])
  func `a message edited where drafts were is replaced by nothing`(isRenamed: Bool) throws {
    let stage = try stage()
    if isRenamed {
      rename("Drafts", to: "Keep", of: stage, mark: "\\Drafts")
      try stage.mirror.pull()
    } else {
      move("\\Drafts", from: "Drafts", to: "Work", of: stage)
    }
    try edit("d0", stage)
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("servers cannot change a message"), "\(outcome.summary)")
    #expect(stage.places("d0") == [isRenamed ? "Keep" : "Drafts"])
    #expect(stage.count(of: "one more line", in: isRenamed ? "Keep" : "Drafts") == 0)
    #expect(stage.changes == [])
  }

  @Test func `a folder called like the trash is none where the server has another`() throws {
    let stage = try PushStage(.gmail, sync: "folders = [\"*\", \"!Bin\"]") { account in
      account.change("Trash") { box in
        box.attributes = []
        box.deliver(SampleMessage(token: "t0"))
      }
      account.add("Bin", attributes: ["\\Trash"])
    }
    try stage.reader.remove(stage.local("t0"))
    try stage.push()
    #expect(stage.places("t0") == ["Bin"])
  }

  @Test func `a role that wandered on is written down once`() throws {
    let stage = try stage()
    move("\\Trash", from: "Trash", to: "Work", of: stage)
    try stage.mirror.pull()
    let before = TreeSnapshot(stage.mirror.account, leavingOut: Scenario.isBookkeeping)
    try stage.mirror.pull()
    let after = TreeSnapshot(stage.mirror.account, leavingOut: Scenario.isBookkeeping)
    #expect(before.changes(to: after) == [])
  }

  /// Dovecot marks names, so the mark stays where the new Trash will be.
  @Test(.enabled(if: Machine.hasDovecot))
  func `a trash that was renamed here and on a server is none any more`() throws {
    let scenario = try Scenario()
    try scenario.append(["t0", "t1"], to: "Trash")
    try scenario.pull()
    try scenario.client.rename("Trash", to: "Keep")
    try scenario.client.create("Trash")
    try scenario.pull()
    let reader = Reader(scenario.mirror)
    try reader.remove(try #require(try scenario.local("<t0@", in: "Keep")))
    try scenario.push()
    #expect(try scenario.places("t0") == ["Trash"])
    try scenario.pull()
    // Here: the folder is renamed, and a message in it deleted, before the next push.
    try scenario.append(["t3", "t4"], to: "Trash")
    try scenario.pull()
    try FileManager.default.moveItem(
      atPath: scenario.mirror.account + "/Trash", toPath: scenario.mirror.account + "/Old")
    try reader.remove(try #require(try scenario.local("<t0@", in: "Old")))
    try scenario.push()
    #expect(try scenario.places("t3") == ["Old"])
    #expect(try scenario.places("t0") == ["Trash"])
    try scenario.pull()
    try scenario.expectSettled()
  }
}
