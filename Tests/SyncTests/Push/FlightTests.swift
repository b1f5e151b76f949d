import Foundation
import MailTestKit
import SyncPlan
import Testing

/// Flags of many mailboxes leave in one flight, with every SELECT: what becomes of them where one of these does not go
/// well.
struct FlightTests {
  private func stage(_ dialect: ServerDialect = .modern) throws -> Stage {
    try Stage(dialect, count: 6) { account in
      account.add("Zoo")
      for box in ["Work", "Zoo"] {
        for number in 0..<6 {
          account.deliver(SampleMessage(token: "\(box)\(number)"), labelled: [box])
        }
      }
    }
  }

  private let tokens = ["m1", "Work2", "Zoo3"]

  private func flag(_ stage: Stage, _ letters: String = "F") throws {
    for token in tokens { try stage.reader.setFlags(stage.local(token), letters) }
  }

  /// What each of the marked messages has on the server, and nothing else has anything.
  private func flags(_ stage: Stage) -> [Set<String>] {
    let others = stage.account.mailboxes.flatMap(\.messages).filter { message in
      !tokens.contains { contains(message.bytes, Array("<\($0)@".utf8)) }
    }
    #expect(others.count == 15 && others.allSatisfy { $0.flags == [] })
    return tokens.map(stage.flags)
  }

  private func names(_ stage: Stage) -> [String] {
    stage.commands.compactMap { line in
      let words = line.split(separator: " ").prefix(2).map { $0.uppercased() }
      return words.first == "UID" ? words.joined(separator: " ") : words.first
    }
  }

  @Test func `every mailbox's changes leave with its SELECT`() throws {
    let stage = try stage()
    try flag(stage)
    stage.push()
    #expect(flags(stage) == [["\\Flagged"], ["\\Flagged"], ["\\Flagged"]])
    let leg = ["SELECT", "UID STORE", "UID SEARCH", "UNSELECT"]
    let wanted = Array(repeating: leg, count: 3).flatMap { $0 }
    let sent = names(stage)
    #expect(Array(sent.dropLast().suffix(12)) == wanted && sent.last == "LOGOUT", "\(sent)")
    try stage.expectSettled()
  }

  @Test func `where something changed, one flight asks about all of these first`() throws {
    let stage = try stage()
    for box in ["INBOX", "Work", "Zoo"] {
      stage.account.change(box) { $0.setFlags($0.messages[5].uid, ["\\Answered"]) }
    }
    try flag(stage)
    stage.push()
    #expect(tokens.map(stage.flags) == [["\\Flagged"], ["\\Flagged"], ["\\Flagged"]])
    let look = ["EXAMINE", "UID FETCH", "UNSELECT"]
    let leg = ["SELECT", "UID STORE", "UID SEARCH", "UNSELECT"]
    let wanted = [look, look, look, leg, leg, leg].flatMap { $0 }
    let sent = names(stage)
    #expect(Array(sent.dropLast().suffix(21)) == wanted && sent.last == "LOGOUT", "\(sent)")
  }

  @Test func `a mailbox that cannot be opened costs the others nothing, and gets no other's flags`()
    throws
  {
    let stage = try stage()
    try flag(stage)
    stage.refusals.value = [
      .init(name: "SELECT", part: "Work", words: "NO [SERVERBUG] not this one")
    ]
    stage.push(1)
    #expect(flags(stage) == [["\\Flagged"], [], ["\\Flagged"]])
    #expect(try stage.local("Work2").flags == "F")
    stage.refusals.value = []
    stage.push()
    #expect(flags(stage) == [["\\Flagged"], ["\\Flagged"], ["\\Flagged"]])
    try stage.expectSettled()
  }

  @Test func `what another client changes between the list and the flight is merged`() throws {
    let stage = try stage()
    try flag(stage)
    let account = stage.account
    let isChanged = Locked(false)
    stage.alter.value = { command, replies in
      if command.name == "LIST", !isChanged.value {
        isChanged.value = true
        let uid = account["Work"]?.messages[2].uid ?? 0
        account.change("Work") { $0.setFlags(uid, ["\\Answered"]) }
      }
      return replies
    }
    stage.push()
    stage.alter.value = nil
    #expect(flags(stage) == [["\\Flagged"], ["\\Flagged", "\\Answered"], ["\\Flagged"]])
    try stage.expectSettled()
    #expect(try stage.local("Work2").flags == "FR")
  }

  /// The list says that the mailbox is the old one. At worst a message is flagged: nothing counts as agreed, and a
  /// deletion mark does not travel unseen.
  @Test(arguments: ["F", "FT"])
  func `a mailbox made anew behind the list is not taken for the old one`(letters: String) throws {
    let stage = try stage()
    try flag(stage, letters)
    let account = stage.account
    stage.alter.value = { command, replies in
      if command.name == "LIST" {
        account.change("Work") { $0.uidValidity = 1_600_000_000 }
      }
      return replies
    }
    let outcome = stage.push(1)
    #expect(outcome.told.contains("renumbered"), "\(outcome.told)")
    stage.alter.value = nil
    #expect(stage.flags("Work2").contains("\\Deleted") == false)
    if letters == "FT" { #expect(stage.flags("Work2") == []) }
    #expect(try stage.local("Work2").flags == letters)
    stage.pull(nil)
    #expect(try stage.local("Work2").flags == letters)
    stage.push()
    #expect(stage.flags("Work2").contains("\\Flagged"))
    try stage.expectSettled(agrees: letters != "FT")
  }

  @Test func `a flag that the mailbox turns out not to keep stays here, and is told`() throws {
    let stage = try stage()
    try flag(stage)
    stage.alter.value = { command, replies in
      guard command.name == "SELECT", command.text.contains("Work") else { return replies }
      return replies.map { reply in
        reply.text.contains("PERMANENTFLAGS")
          ? .line("* OK [PERMANENTFLAGS (\\Seen \\Answered \\Deleted \\Draft)] no flagging") : reply
      }
    }
    let outcome = stage.push()
    #expect(outcome.told.contains("cannot keep “\\flagged”"), "\(outcome.told)")
    #expect(try stage.local("Work2").flags == "F")
  }

  @Test func `messages that are gone by then are passed over`() throws {
    let stage = try stage()
    try flag(stage)
    let account = stage.account
    stage.alter.value = { command, replies in
      if command.name == "LIST" {
        account.change("Zoo") { box in
          let uid = box.messages[3].uid
          if box.messages.count == 6 { box.expunge(uid) }
        }
      }
      return replies
    }
    stage.push()
    stage.alter.value = nil
    #expect(stage.flags("m1") == ["\\Flagged"] && stage.flags("Work2") == ["\\Flagged"])
    stage.pull(nil)
    #expect(try stage.tree().count(of: "<Zoo3@") == 0)
    try stage.expectSettled()
  }

  /// What was asked in the flight is not what is asked now: the refusal is none of this.
  @Test func `a refusal of more than the mailbox keeps is not taken for one of the rest`() throws {
    let stage = try stage()
    try stage.setFlags("Work2", "FS")
    stage.alter.value = { command, replies in
      guard command.name == "SELECT" else { return replies }
      return replies.map { reply in
        reply.text.contains("PERMANENTFLAGS")
          ? .line("* OK [PERMANENTFLAGS (\\Seen \\Answered \\Deleted \\Draft)] no flagging") : reply
      }
    }
    stage.refusals.value = [
      .init(name: "UID STORE", part: "\\Flagged", words: "NO [CANNOT] no flagging here")
    ]
    let outcome = stage.push()
    #expect(outcome.told.contains("cannot keep “\\flagged”"), "\(outcome.told)")
    #expect(stage.flags("Work2") == ["\\Seen"])
    #expect(try stage.local("Work2").flags == "FS")
  }

  @Test func `a refused flight is the first try, and what is refused for good is set back`() throws
  {
    let stage = try stage()
    try flag(stage)
    stage.refusals.value = [.init(name: "UID STORE", words: "NO [CANNOT] no")]
    stage.push(nil)
    #expect(names(stage).count { $0 == "UID STORE" } == 3)
    for token in tokens { #expect(try stage.local(token).flags == "") }
  }

  @Test func `a server that hangs up on many commands at once gets them one by one`() throws {
    let stage = try stage()
    try flag(stage)
    let wasCut = Locked(0)
    stage.alter.value = { command, replies in
      guard command.name == "UNSELECT" else { return replies }
      wasCut.value += 1
      return [.hangUp]
    }
    stage.push()
    #expect(wasCut.value == 1)
    #expect(flags(stage) == [["\\Flagged"], ["\\Flagged"], ["\\Flagged"]])
    try stage.expectSettled()
  }

  @Test func `without UNSELECT, one mailbox is opened after the other`() throws {
    var dialect = ServerDialect.modern
    dialect.capabilities.remove("UNSELECT")
    let stage = try stage(dialect)
    try flag(stage)
    stage.refusals.value = [
      .init(name: "SELECT", part: "Work", words: "NO [SERVERBUG] not this one")
    ]
    stage.push(1)
    #expect(flags(stage) == [["\\Flagged"], [], ["\\Flagged"]])
    #expect(!names(stage).contains("UNSELECT"))
  }
}
