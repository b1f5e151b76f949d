import Foundation
import MailTestKit
import Settings
import SyncPlan
import Testing

/// `Cleanup/UndecidedFiles`: the state was lost, or came back from a backup, and meanwhile another client moved messages.
/// Their files stay where they lie, and are not sent: the server has each once.
struct MovedWhileAwayTests {
  /// What happened to the tree.
  enum Fate: String, CaseIterable {
    case stateLost, stateFromBackup, olderTree, carried
  }

  private func restored(
    _ fate: Fate, _ dialect: ServerDialect = .modern, sync: (inout SyncSettings) -> Void = { _ in }
  ) throws -> Stage {
    let stage = try Stage(
      dialect,
      more: { account in
        account.deliver(SampleMessage(token: "n0"), labelled: ["INBOX"])
        account.deliver(SampleMessage(token: "n0"), labelled: ["Work"])
      }, sync: sync)
    try restore(stage, fate)
    return stage
  }

  /// m0 went to Work, m1 is nowhere, m2 in Trash; of n0 there were two.
  private func changeThere(_ stage: Stage) throws {
    try stage.moveThere("m0", from: "INBOX", to: "Work")
    try stage.expungeThere("m1")
    try stage.moveThere("m2", from: "INBOX", to: "Trash")
    try stage.expungeThere("n0")
  }

  private func restore(_ stage: Stage, _ fate: Fate) throws {
    stage.reopen()
    let control = stage.path + "/.mirror"
    switch fate {
    case .stateLost, .stateFromBackup:
      try changeThere(stage)
      for name in try FileManager.default.contentsOfDirectory(atPath: control)
      where name.hasPrefix("state") && (fate == .stateLost || !name.contains("backup")) {
        try FileManager.default.removeItem(atPath: control + "/" + name)
      }
    case .olderTree, .carried:
      try FileManager.default.copyItem(atPath: stage.path, toPath: stage.path + ".other")
      try changeThere(stage)
      if fate == .olderTree {
        stage.pull()
        stage.reopen()
      }
      try FileManager.default.removeItem(atPath: stage.path)
      try FileManager.default.moveItem(atPath: stage.path + ".other", toPath: stage.path)
    }
    stage.forget()
  }

  private func expectOnce(_ stage: Stage, _ when: String) throws {
    #expect(stage.places("m0") == ["Work"], "\(when)")
    #expect(stage.places("m1") == ["INBOX"], "\(when): the server has it nowhere")
    #expect(stage.places("m2") == ["Trash"], "\(when)")
    #expect(stage.places("m3") == ["INBOX"], "\(when)")
    #expect(stage.places("n0") == ["Work"], "\(when)")
    #expect(try stage.folders(of: "m0") == ["INBOX", "Work"], "\(when)")
    #expect(try stage.folders(of: "m1") == ["INBOX"], "\(when)")
    #expect(try stage.folders(of: "m2") == ["INBOX", "Trash"], "\(when)")
    #expect(try stage.folders(of: "n0") == ["INBOX", "Work"], "\(when)")
  }

  @Test(arguments: Fate.allCases, Speaking.allCases)
  func `what another client moved meanwhile is not sent again, and told`(
    fate: Fate, speaking: Speaking
  ) throws {
    let stage = try restored(fate, speaking.dialect)
    let told = stage.pull().problems.map(\.problem)
    let words = "3 files here are messages that the server has in other folders"
    #expect(told.contains { $0.contains(words) }, "\(told)")
    stage.push()
    #expect(stage.changes(named: "APPEND").count == 1)
    try expectOnce(stage, "pushed")
    try stage.expectSettled(agrees: false)
    try expectOnce(stage, "settled")
  }

  @Test(arguments: Fate.allCases) func `a push that comes first sends nothing of it either`(
    fate: Fate
  ) throws {
    let stage = try restored(fate) { $0.deletions = .expunge }
    stage.push(nil)
    #expect(stage.changes == [])
    stage.pull()
    stage.push()
    try expectOnce(stage, "pushed")
    try stage.expectSettled(agrees: false)
  }

  @Test(arguments: Fate.allCases, Speaking.swept)
  func `a crash at any commit sends nothing twice, and loses nothing`(
    fate: Fate, speaking: Speaking
  ) throws {
    try Stage.crashes(
      of: .pull, on: { try restored(fate, speaking.dialect) }, agrees: false, { _ in },
      expect: expectOnce)
  }

  @Test(arguments: Fate.allCases)
  func `nothing is sent before every mailbox was looked into`(fate: Fate) throws {
    let stage = try restored(fate)
    stage.refusals.value = [.init(name: "EXAMINE", part: "Work", words: "NO not now")]
    let told = stage.pull(nil).problems.map(\.problem)
    let words = "4 files here may be messages that the server has in other folders"
    #expect(told.contains { $0.contains(words) }, "\(told)")
    stage.push(nil)
    #expect(stage.changes == [])
    stage.refusals.value = []
    stage.pull()
    stage.push()
    try expectOnce(stage, "looked into")
    try stage.expectSettled(agrees: false)
  }

  // MARK: What a person does then

  private func pulled(_ sync: (inout SyncSettings) -> Void = { _ in }) throws -> Stage {
    let stage = try restored(.stateLost, sync: sync)
    stage.pull()
    stage.push()
    stage.forget()
    return stage
  }

  private func surplus(_ stage: Stage) throws -> LocalMessage {
    try stage.local("m0", in: "INBOX")
  }

  @Test func `a copy that a person makes is sent`() throws {
    let stage = try pulled()
    try stage.copy("m0", to: "INBOX")
    try stage.copy("m0", to: "Other")
    stage.push()
    #expect(stage.places("m0") == ["INBOX", "Other", "Work"])
    try stage.expectSettled(agrees: false)
  }

  /// The message is still where the name of the copy tells.
  @Test func `a copy that waited when the state was lost is sent`() throws {
    let stage = try Stage()
    let message = try stage.local("m0")
    try stage.reader.deliver(message.raw, name: message.base, to: "Other")
    stage.reopen()
    for name in try FileManager.default.contentsOfDirectory(atPath: stage.path + "/.mirror")
    where name.hasPrefix("state") {
      try FileManager.default.removeItem(atPath: stage.path + "/.mirror/" + name)
    }
    stage.pull()
    stage.push()
    #expect(stage.places("m0") == ["INBOX", "Other"])
    try stage.expectSettled()
  }

  /// While it is not known yet whether the server has them elsewhere.
  @Test(arguments: Fate.allCases) func `keywords that a command writes meanwhile change nothing`(
    fate: Fate
  ) throws {
    let stage = try restored(fate)
    stage.refusals.value = [.init(name: "EXAMINE", part: "Work", words: "NO not now")]
    stage.pull(nil)
    for token in ["m0", "m1"] {
      let message = try stage.local(token, in: "INBOX")
      try stage.reader.deliver(
        Array("X-Keywords: topic\n".utf8) + message.raw, name: message.base + "~k1", to: "INBOX")
      try stage.reader.remove(message)
    }
    stage.push(nil)
    #expect(stage.changes == [])
    stage.refusals.value = []
    stage.pull()
    stage.push()
    try expectOnce(stage, "looked into")
    try stage.expectSettled(agrees: false)
  }

  @Test(arguments: [false, true]) func `removed or marked, it changes nothing on the server`(
    isMarked: Bool
  ) throws {
    let stage = try pulled { $0.deletions = .expunge }
    if isMarked {
      try stage.reader.setFlags(surplus(stage), "F")
    } else {
      try stage.reader.remove(surplus(stage))
    }
    stage.push()
    #expect(stage.changes == [])
    try stage.expectSettled(agrees: false)
    #expect(stage.places("m0") == ["Work"])
    #expect(try stage.folders(of: "m0") == (isMarked ? ["INBOX", "Work"] : ["Work"]))
  }

  @Test func `edited or moved to a third folder it is a message of its own`() throws {
    let stage = try pulled()
    try stage.reader.move(surplus(stage), to: "Other")
    let other = try stage.local("m2", in: "INBOX")
    try stage.reader.rewrite(other, other.raw + Array("one more line\n".utf8))
    stage.push()
    #expect(stage.places("m0") == ["Other", "Work"])
    #expect(stage.places("m2") == ["INBOX", "Trash"])
    #expect(stage.count(of: "one more line", in: "INBOX") == 1)
    #expect(try stage.folders(of: "m0") == ["Other", "Work"])
    try stage.expectSettled(agrees: false)
  }

  @Test(arguments: [false, true]) func `the message is moved on, whatever its file is called then`(
    isRenamed: Bool
  ) throws {
    let stage = try pulled()
    let message = try stage.local("m0", in: "Work")
    if isRenamed {
      try stage.reader.deliver(message.raw, name: "19.1_other.host", to: "Other")
      try stage.reader.remove(message)
    } else {
      try stage.reader.move(message, to: "Other")
    }
    stage.push()
    #expect(stage.places("m0") == ["Other"])
    #expect(stage.changes(named: "APPEND") == [])
    #expect(try stage.folders(of: "m0") == ["INBOX", "Other"])
    try stage.expectSettled(agrees: false)
  }

  @Test func `with the message's own file gone, it is what is left of the message`() throws {
    let stage = try pulled { $0.deletions = .expunge }
    try stage.reader.remove(stage.local("m0", in: "Work"))
    stage.push()
    #expect(stage.places("m0") == ["INBOX"])
    #expect(try stage.folders(of: "m0") == ["INBOX"])
    try stage.expectSettled(agrees: false)
  }

  @Test func `expunged there, too, the message stays here, and is not sent`() throws {
    let stage = try pulled()
    try stage.expungeThere("m0", in: "Work")
    stage.pull()
    stage.push()
    #expect(stage.changes == [])
    #expect(try stage.folders(of: "m0") == ["INBOX"])
    try stage.expectSettled(agrees: false)
  }

  @Test func `moved back there, the file is the message again`() throws {
    let stage = try pulled()
    try stage.moveThere("m0", from: "Work", to: "INBOX")
    stage.pull()
    stage.push()
    #expect(stage.changes == [])
    #expect(stage.places("m0") == ["INBOX"])
    #expect(try stage.folders(of: "m0") == ["INBOX"])
    try stage.expectSettled(agrees: false)
  }

  @Test func `a second restore knows it still`() throws {
    let stage = try pulled()
    stage.reopen()
    unlink(stage.path + "/.mirror/state.db")
    for _ in 0..<2 {
      stage.pull()
      stage.push()
    }
    #expect(stage.changes == [])
    try expectOnce(stage, "restored again")
  }
}
