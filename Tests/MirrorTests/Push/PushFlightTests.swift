import Foundation
import MailTestKit
import Testing

/// Flags of many mailboxes leave in one flight, with every SELECT: what becomes of them where one of these does not go
/// well.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushFlightTests {
  private func stage(_ dialect: Dialect = .modern) throws -> PushStage {
    try PushStage(dialect) { account in
      account.add("Zoo")
      for box in ["Work", "Zoo"] {
        for number in 0..<6 {
          account.deliver(SampleMessage(token: "\(box)\(number)"), labelled: [box])
        }
      }
    }
  }

  private let tokens = ["m1", "Work2", "Zoo3"]

  private func flag(_ stage: PushStage, _ letters: String = "F") throws {
    for token in tokens { try stage.reader.setFlags(stage.local(token), letters) }
  }

  /// What each of the marked messages has on the server, and nothing else has anything.
  private func flags(_ stage: PushStage) -> [Set<String>] {
    let others = stage.account.mailboxes.flatMap(\.messages).filter { message in
      !tokens.contains { contains(message.bytes, Array("<\($0)@".utf8)) }
    }
    #expect(others.count == 15 && others.allSatisfy { $0.flags == [] })
    return tokens.map(stage.flags)
  }

  private func names(_ stage: PushStage) -> [String] {
    stage.server.received.compactMap { line in
      let words = line.split(separator: " ").dropFirst().prefix(2).map { $0.uppercased() }
      return words.first == "UID" ? words.joined(separator: " ") : words.first
    }
  }

  @Test func `every mailbox's changes leave with its SELECT`() throws {
    let stage = try stage()
    try flag(stage)
    try stage.push()
    #expect(flags(stage) == [["\\Flagged"], ["\\Flagged"], ["\\Flagged"]])
    let leg = ["SELECT", "UID STORE", "UID SEARCH", "UNSELECT"]
    let wanted = Array(repeating: leg, count: 3).flatMap { $0 }
    let sent = names(stage)
    #expect(Array(sent.dropLast().suffix(12)) == wanted && sent.last == "LOGOUT", "\(sent)")
    try stage.expectSettled()
  }

  @Test func `a mailbox that cannot be opened costs the others nothing, and gets no other's flags`()
    throws
  {
    let stage = try stage()
    try flag(stage)
    stage.refusals.value = [("SELECT", "Work", "NO [SERVERBUG] not this one")]
    try stage.push(1)
    #expect(flags(stage) == [["\\Flagged"], [], ["\\Flagged"]])
    #expect(try stage.local("Work2").flags == "F")
    stage.refusals.value = []
    try stage.push()
    #expect(flags(stage) == [["\\Flagged"], ["\\Flagged"], ["\\Flagged"]])
    try stage.expectSettled()
  }

  @Test func `what another client changes between the list and the flight is merged`() throws {
    let stage = try stage()
    try flag(stage)
    let account = stage.account
    let isChanged = Locked(false)
    stage.server.alter { command, replies in
      if command.name == "LIST", !isChanged.value {
        isChanged.value = true
        let uid = account["Work"]?.messages[2].uid ?? 0
        account.change("Work") { $0.setFlags(uid, ["\\Answered"]) }
      }
      return replies
    }
    try stage.push()
    stage.server.alter(nil)
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
    stage.server.alter { command, replies in
      if command.name == "LIST" {
        account.change("Work") { $0.uidValidity = 1_600_000_000 }
      }
      return replies
    }
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("renumbered"), "\(outcome.summary)")
    stage.server.alter(nil)
    #expect(stage.flags("Work2").contains("\\Deleted") == false)
    if letters == "FT" { #expect(stage.flags("Work2") == []) }
    #expect(try stage.local("Work2").flags == letters)
    try stage.mirror.pull()
    #expect(try stage.local("Work2").flags == letters)
    try stage.push()
    #expect(stage.flags("Work2").contains("\\Flagged"))
    try stage.expectSettled()
  }

  @Test func `a flag that the mailbox turns out not to keep stays here, and is told`() throws {
    let stage = try stage()
    try flag(stage)
    stage.server.alter { command, replies in
      guard command.name == "SELECT", command.text.contains("Work") else { return replies }
      return replies.map { reply in
        reply.text.contains("PERMANENTFLAGS")
          ? .line("* OK [PERMANENTFLAGS (\\Seen \\Answered \\Deleted \\Draft)] no flagging") : reply
      }
    }
    let outcome = try stage.push()
    #expect(outcome.errorText.contains("cannot keep “\\flagged”"), "\(outcome.summary)")
    #expect(try stage.local("Work2").flags == "F")
  }

  @Test func `messages that are gone by then are passed over`() throws {
    let stage = try stage()
    try flag(stage)
    let account = stage.account
    stage.server.alter { command, replies in
      if command.name == "LIST" {
        account.change("Zoo") { box in
          let uid = box.messages[3].uid
          if box.messages.count == 6 { box.expunge(uid) }
        }
      }
      return replies
    }
    try stage.push()
    stage.server.alter(nil)
    #expect(stage.flags("m1") == ["\\Flagged"] && stage.flags("Work2") == ["\\Flagged"])
    try stage.mirror.pull()
    #expect(try stage.mirror.tree().count(of: "<Zoo3@") == 0)
    try stage.expectSettled()
  }

  /// What was asked in the flight is not what is asked now: the refusal is none of this.
  @Test func `a refusal of more than the mailbox keeps is not taken for one of the rest`() throws {
    let stage = try stage()
    try stage.reader.setFlags(stage.local("Work2"), "FS")
    stage.server.alter { command, replies in
      guard command.name == "SELECT" else { return replies }
      return replies.map { reply in
        reply.text.contains("PERMANENTFLAGS")
          ? .line("* OK [PERMANENTFLAGS (\\Seen \\Answered \\Deleted \\Draft)] no flagging") : reply
      }
    }
    stage.refusals.value = [("UID STORE", "\\Flagged", "NO [CANNOT] no flagging here")]
    let outcome = try stage.push()
    #expect(outcome.errorText.contains("cannot keep “\\flagged”"), "\(outcome.summary)")
    #expect(stage.flags("Work2") == ["\\Seen"])
    #expect(try stage.local("Work2").flags == "FS")
  }

  @Test func `a refused flight is the first try, and what is refused for good is set back`() throws
  {
    let stage = try stage()
    try flag(stage)
    stage.refusals.value = [("UID STORE", "", "NO [CANNOT] no")]
    _ = try stage.mirror.run(["push"])
    #expect(names(stage).count { $0 == "UID STORE" } == 3)
    for token in tokens { #expect(try stage.local(token).flags == "") }
  }

  @Test func `a server that hangs up on many commands at once gets them one by one`() throws {
    let stage = try stage()
    try flag(stage)
    let wasCut = Locked(0)
    stage.server.alter { command, replies in
      guard command.name == "UNSELECT" else { return replies }
      wasCut.value += 1
      return [.hangUp]
    }
    try stage.push()
    #expect(wasCut.value == 1)
    #expect(flags(stage) == [["\\Flagged"], ["\\Flagged"], ["\\Flagged"]])
    try stage.expectSettled()
  }

  @Test func `without UNSELECT, one mailbox is opened after the other`() throws {
    var dialect = Dialect.modern
    dialect.capabilities.remove("UNSELECT")
    let stage = try stage(dialect)
    try flag(stage)
    stage.refusals.value = [("SELECT", "Work", "NO [SERVERBUG] not this one")]
    try stage.push(1)
    #expect(flags(stage) == [["\\Flagged"], [], ["\\Flagged"]])
    #expect(!names(stage).contains("UNSELECT"))
  }
}
