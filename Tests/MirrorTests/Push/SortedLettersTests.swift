import Foundation
import MailTestKit
import Testing

/// Commands by query where keywords are letters, which mean something only in their folder: none is lost, none becomes
/// another.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct SortedLettersTests {
  /// In INBOX `a` is Foo and `b` is Bar; in Work `a` is Bar.
  private func lettered() throws -> PushStage {
    let stage = try PushStage(.modern, sync: "keywords = \"dovecot\"") { account in
      account.change("INBOX") { box in
        box.setFlags(box.messages[0].uid, ["Foo"])
        box.setFlags(box.messages[1].uid, ["Bar"])
      }
      account.deliver(SampleMessage(token: "w0"), labelled: ["Work"])
      account.change("Work") { $0.setFlags($0.messages[0].uid, ["Bar"]) }
      account.add("Full")
      for number in 0..<26 {
        account.deliver(SampleMessage(token: "f\(number)"), labelled: ["Full"])
        account.change("Full") { $0.setFlags($0.messages[number].uid, ["k\(number)"]) }
      }
    }
    try stage.mirror.sort("index")
    return stage
  }

  @Test(arguments: [["move", "Work"], ["delete"], ["archive"]])
  func `a message with keywords that are not pushed stays until they are`(words: [String]) throws {
    let stage = try lettered()
    try stage.makeFolder("Archive")
    try stage.mirror.sort("flag", "+Bar", SampleMessage.query("m2"))
    let outcome = try stage.mirror.run(words + [SampleMessage.query("m2")])
    #expect(
      outcome.status == 1 && outcome.errorText.contains("not pushed yet"), "\(outcome.summary)")
    #expect(try stage.local("m2").folder == "INBOX")
    try stage.push()
    #expect(stage.flags("m2") == ["Bar"])
    #expect(try stage.mirror.run(words + [SampleMessage.query("m2")]).status == 0)
    try stage.push()
    #expect(stage.places("m2") != ["INBOX"])
    #expect(stage.flags("m2") == ["Bar"])
    try stage.expectSettled()
  }

  @Test func `keywords of the server go along with a move`() throws {
    let stage = try lettered()
    for token in ["m0", "m1"] { try stage.mirror.sort("move", "Work", SampleMessage.query(token)) }
    try stage.push()
    #expect(stage.remote("m0", in: "Work")?.flags == ["Foo"])
    #expect(stage.remote("m1", in: "Work")?.flags == ["Bar"])
    try stage.expectSettled()
  }

  @Test func `what a reader moved is marked with keywords, or moved on, after a push`() throws {
    let stage = try lettered()
    try stage.reader.move(stage.local("m0"), to: "Work")
    try stage.reader.move(stage.local("m2"), to: "Work")
    for words in [
      ["flag", "+todo", SampleMessage.query("m0")], ["move", "Trash", SampleMessage.query("m0")],
      ["flag", "+todo", SampleMessage.query("m2")],
    ] {
      let outcome = try stage.mirror.run(words)
      #expect(outcome.status == 1, "\(outcome.summary)")
      #expect(outcome.errorText.contains("moved here and is not pushed yet"))
    }
    // Flags are no letters of a table, and without letters nothing is to be told apart.
    try stage.mirror.sort("flag", "+flagged", SampleMessage.query("m0"))
    try stage.mirror.sort("move", "Trash", SampleMessage.query("m2"))
    try stage.push()
    #expect(stage.remote("m0", in: "Work")?.flags == ["Foo", "\\Flagged"])
    #expect(stage.remote("m2", in: "Trash")?.flags == [])
    try stage.mirror.sort("flag", "+todo", SampleMessage.query("m0"))
    try stage.push()
    #expect(stage.remote("m0", in: "Work")?.flags == ["Foo", "todo", "\\Flagged"])
    try stage.expectSettled()
  }

  @Test func `a folder without a letter left takes no message with a keyword of its own`() throws {
    let stage = try lettered()
    let outcome = try stage.mirror.sort("move", "Full", SampleMessage.query("m0"), status: 1)
    #expect(outcome.errorText.contains("personal/Full has no letter left for the keyword “Foo”"))
    try stage.mirror.sort("move", "Full", SampleMessage.query("m2"))
    try stage.push()
    #expect(stage.places("m0") == ["INBOX"] && stage.flags("m0") == ["Foo"])
    #expect(stage.places("m2") == ["Full"])
    try stage.expectSettled()
  }

  @Test func `the last letter of a folder is given once`() throws {
    let stage = try PushStage(.modern, sync: "keywords = \"dovecot\"") { account in
      account.change("INBOX") { box in
        box.setFlags(box.messages[0].uid, ["Foo"])
        box.setFlags(box.messages[1].uid, ["Bar"])
      }
      account.add("Nearly")
      account.deliver(SampleMessage(token: "n"), labelled: ["Nearly"])
      account.change("Nearly") { box in
        box.setFlags(box.messages[0].uid, Set((0..<25).map { "k\($0)" }))
      }
    }
    try stage.mirror.sort("index")
    let both = SampleMessage.query("m0") + " or " + SampleMessage.query("m1")
    let dry = try stage.mirror.sort("move", "--dry-run", "Nearly", both, status: 1)
    #expect(dry.outputText.hasSuffix("\n1 message would be changed\n"), "\(dry.summary)")
    try stage.mirror.sort("move", "Nearly", both, status: 1)
    try stage.push()
    #expect(Set([stage.flags("m0"), stage.flags("m1")]) == [["Foo"], ["Bar"]])
    #expect(Set([stage.places("m0"), stage.places("m1")]) == [["INBOX"], ["Nearly"]])
    try stage.expectSettled()
  }

  @Test func `a keyword without a letter is not lost by a move to where it has one`() throws {
    let names = Set((10..<40).map { "k\($0)" })
    let stage = try PushStage(.modern, sync: "keywords = \"dovecot\"") { account in
      account.change("INBOX") { $0.setFlags($0.messages[0].uid, names) }
      account.deliver(SampleMessage(token: "w0"), labelled: ["Work"])
      account.change("Work") { $0.setFlags($0.messages[0].uid, ["k39", "k38"]) }
    }
    try stage.mirror.sort("index")
    let outcome = try stage.mirror.run(["move", "Work", SampleMessage.query("m0")])
    #expect(
      outcome.status == 1 && outcome.errorText.contains("would be lost"), "\(outcome.summary)")
    try stage.push()
    #expect(stage.flags("m0") == names)
    try stage.expectSettled()
  }

  @Test func `what was deleted for good comes back with its letters`() throws {
    let stage = try PushStage(
      .modern, sync: "keywords = \"dovecot\"\ndeletions = \"expunge\""
    ) { account in
      account.change("INBOX") { box in
        box.setFlags(box.messages[0].uid, ["Foo"])
        box.setFlags(box.messages[1].uid, ["Bar"])
      }
    }
    try stage.mirror.sort("index")
    // Whatever is set aside, its own table has no room to run out of.
    let table = (0..<26).map { "\($0) k\($0)\n" }.joined()
    try stage.mirror.sort("delete", SampleMessage.query("m2"))
    try writeFile(stage.mirror.account + "/.mirror/undo/dovecot-keywords", Array(table.utf8))
    let before = try stage.local("m1").name
    try stage.mirror.sort("delete", SampleMessage.query("m1"))
    try stage.mirror.sort("undo")
    #expect(try stage.local("m1").name == before)
    try stage.push()
    #expect(stage.flags("m1") == ["Bar"])
  }

  @Test func `keywords are not taken back where a reader has moved them, until that is pushed`()
    throws
  {
    let stage = try lettered()
    try stage.mirror.sort("flag", "+Bar", SampleMessage.query("m0"))
    try stage.reader.move(stage.local("m0"), to: "Work")
    let outcome = try stage.mirror.sort("undo", status: 1)
    #expect(outcome.errorText.contains("moved to personal/Work"), "\(outcome.errorText)")
    try stage.push()
    #expect(stage.remote("m0", in: "Work")?.flags.contains("Foo") == true)
  }
}
