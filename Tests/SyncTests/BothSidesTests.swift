import MailTestKit
import SyncPlan
import Testing

/// The rules of conflicts that no single table decides: a message that one side has expunged, and the
/// other edited, marked or moved; a draft that both have edited. Whichever run comes first.
struct BothSidesTests {
  private func stage() throws -> Stage {
    try Stage(
      more: { $0.change("Drafts") { $0.deliver(SampleMessage(token: "d0", flags: ["\\Draft"])) } })
  }

  private static let orders: [[Stage.Run]] = [[.pull, .push, .pull], [.push, .pull, .push]]

  private func rest(_ stage: Stage, _ order: [Stage.Run]) throws -> String {
    var told = ""
    for run in order {
      let problems = run == .pull ? stage.pull(nil).problems : stage.push(nil).problems
      told += problems.map(\.problem).joined(separator: "\n")
    }
    return told
  }

  @Test func `expunged there and edited here: the edited message stays, which is told`() throws {
    let stage = try stage()
    try stage.edit("m0")
    try stage.expungeThere("m0")
    let told = try rest(stage, [.pull])
    #expect(told.contains("was edited here"), "\(told)")
    #expect(try String(decoding: stage.local("m0").raw, as: UTF8.self).contains("one more line"))
  }

  @Test(arguments: orders) func `expunged there and edited here: a draft is there again`(
    order: [Stage.Run]
  ) throws {
    let stage = try stage()
    try stage.edit("d0")
    try stage.expungeThere("d0", in: "Drafts")
    _ = try rest(stage, order)
    #expect(stage.places("d0") == ["Drafts"])
    #expect(stage.count(of: "one more line", in: "Drafts") == 1)
    try stage.expectSettled()
  }

  @Test(arguments: orders) func `expunged there and marked here: the deletion wins`(
    order: [Stage.Run]
  ) throws {
    let stage = try stage()
    try stage.setFlags("m0", "F")
    try stage.expungeThere("m0")
    _ = try rest(stage, order)
    #expect(try stage.folders(of: "m0") == [] && stage.places("m0") == [])
    try stage.expectSettled()
  }

  /// A reader may save a file under a new name, and remove the old one.
  @Test(arguments: orders, [true, false])
  func `moved to one mailbox by both: what one took off stays off`(
    order: [Stage.Run], isRenamed: Bool
  ) throws {
    let stage = try stage()
    try stage.setFlagsThere("m0", ["\\Seen", "\\Flagged", "$Blue", "red"])
    stage.pull()
    try stage.reader.setKeywords(stage.local("m0"), ["red"])
    try stage.setFlags("m0", "S")
    if isRenamed {
      let file = try stage.local("m0")
      try stage.copy("m0", to: "Work")
      try stage.reader.remove(file)
    } else {
      try stage.move("m0", to: "Work")
    }
    try stage.setFlagsThere("m0", ["\\Flagged", "$Blue", "green"])
    try stage.moveThere("m0", from: "INBOX", to: "Work")
    _ = try rest(stage, order + order)
    #expect(stage.places("m0") == ["Work"])
    #expect(try stage.remote("m0", in: "Work").flags == ["green"])
    try stage.expectSettled()
  }

  /// What was agreed on of the original says nothing of a copy that was made before.
  @Test(arguments: orders, [true, false]) func `a copy here takes nothing off what came there`(
    order: [Stage.Run], isMoved: Bool
  ) throws {
    let stage = try stage()
    let file = try stage.local("m0")
    try stage.reader.deliver(file.raw, name: file.base, to: "Work", flags: file.flags)
    try stage.setFlagsThere("m0", ["\\Flagged", "green"])
    let message = try stage.remote("m0")
    stage.account.change("Work") {
      $0.deliver(
        SampleMessage(bytes: message.bytes, date: message.date, flags: message.flags.sorted()))
    }
    if isMoved { try stage.expungeThere("m0") }
    _ = try rest(stage, order + order)
    #expect(try stage.remote("m0", in: "Work").flags.isSuperset(of: ["\\Flagged", "green"]))
  }

  @Test func `numbered anew there, and moved by another client: it is not sent back`() throws {
    let stage = try Stage(more: { account in
      account.change("Work") { box in
        for number in 0..<4 { box.deliver(SampleMessage(token: "w\(number)")) }
      }
    })
    try stage.moveThere("w1", from: "Work", to: "Other")
    try stage.moveThere("w2", from: "Work", to: "Trash")
    stage.account.change("Work") { $0.renumber(from: 100) }
    _ = try rest(stage, [.pull, .push, .pull, .push])
    #expect(stage.places("w1") == ["Other"] && stage.places("w2") == ["Trash"])
    #expect(stage.places("w0") == ["Work"] && stage.places("w3") == ["Work"])
  }

  @Test(arguments: orders, [true, false])
  func `moved here out of a mailbox that another client removed: one message is left`(
    order: [Stage.Run], wasMoved: Bool
  ) throws {
    let stage = try Stage(more: { account in
      account.change("Other") { box in
        for number in 0..<3 { box.deliver(SampleMessage(token: "o\(number)")) }
      }
    })
    try stage.move("o0", to: "Work")
    stage.account.add("Archive")
    if wasMoved {
      for number in 0..<3 { try stage.moveThere("o\(number)", from: "Other", to: "Archive") }
    }
    stage.account["Other"] = nil
    _ = try rest(stage, order + [.pull, .push, .pull])
    #expect(stage.places("o0") == ["Work"])
    #expect(try stage.folders(of: "o0") == ["Work"])
    #expect(stage.places("o1") == (wasMoved ? ["Archive"] : []))
    #expect(try stage.folders(of: "o1").contains("Other"), "what lies in the folder stays")
  }

  /// The file is the only copy left: it becomes a new message where it was moved.
  @Test(arguments: orders) func `expunged there and moved here: it is a message of its new place`(
    order: [Stage.Run]
  ) throws {
    let stage = try stage()
    try stage.move("m0", to: "Work")
    try stage.expungeThere("m0")
    _ = try rest(stage, order)
    #expect(try stage.folders(of: "m0") == ["Work"])
    _ = try rest(stage, [.push, .pull])
    #expect(stage.places("m0") == ["Work"])
    try stage.expectSettled()
  }

  @Test(arguments: orders) func `deleted here and marked there: the deletion wins`(
    order: [Stage.Run]
  ) throws {
    let stage = try stage()
    try stage.remove("m0")
    try stage.setFlagsThere("m0", ["\\Flagged"])
    _ = try rest(stage, order)
    #expect(stage.places("m0") == ["Trash"])
    try stage.expectSettled()
  }

  @Test(arguments: orders) func `deleted here and moved there: it stays where it was moved`(
    order: [Stage.Run]
  ) throws {
    let stage = try stage()
    try stage.remove("m0")
    try stage.moveThere("m0", from: "INBOX", to: "Work")
    _ = try rest(stage, order)
    #expect(stage.places("m0") == ["Work"])
    try stage.expectSettled()
  }

  @Test(arguments: orders) func `a draft edited on both sides is there twice, which a push tells`(
    order: [Stage.Run]
  ) throws {
    let stage = try stage()
    try stage.edit("d0", adding: "my line")
    stage.account.change("Drafts") { box in
      box.expunge(1)
      box.deliver(SampleMessage(token: "d0", body: "their line", flags: ["\\Draft"]))
    }
    let told = try rest(stage, order)
    let words = order[0] == .push ? "on the server, too" : "was edited here"
    #expect(told.contains(words), "\(told)")
    #expect(stage.count(of: "my line", in: "Drafts") == 1)
    #expect(stage.count(of: "their line", in: "Drafts") == 1)
    try stage.expectSettled()
  }

  @Test(arguments: orders) func `marked on both sides: each flag counts for itself`(
    order: [Stage.Run]
  ) throws {
    let stage = try stage()
    try stage.setFlagsThere("m0", ["\\Seen", "\\Answered"])
    stage.pull()
    try stage.setFlags("m0", "FS")
    try stage.setFlagsThere("m0", ["\\Answered", "\\Draft"])
    _ = try rest(stage, order)
    #expect(try stage.remote("m0").flags == ["\\Flagged", "\\Draft"])
    try stage.expectSettled()
  }

  @Test(arguments: orders) func `moved on both sides: it ends where it was moved here`(
    order: [Stage.Run]
  ) throws {
    let stage = try stage()
    try stage.move("m0", to: "Work")
    try stage.moveThere("m0", from: "INBOX", to: "Other")
    _ = try rest(stage, order)
    #expect(stage.places("m0") == ["Work"])
    try stage.expectSettled()
  }
}
