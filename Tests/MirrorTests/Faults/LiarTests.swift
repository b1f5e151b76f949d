import Foundation
import MailTestKit
import Testing

/// Servers that say what is not so: nothing is lost, nothing lands outside the tree, and the report names
/// the mailbox. After each lie an honest run makes everything whole.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct LiarTests {
  @Test(arguments: ["bare", "condstore", "modern"])
  func `fewer answers than EXISTS announced remove nothing`(dialect: String) throws {
    let lie = try Lie(dialect == "bare" ? .bare : dialect == "modern" ? .modern : .condstore)
    _ = try lie.pull(0)
    let before = lie.files
    lie.account.change("INBOX") { $0.setFlags(1, ["\\Flagged"]) }
    lie.server.alter { command, replies in
      guard command.name.hasSuffix("FETCH") || command.name.hasSuffix("SEARCH") else {
        return replies
      }
      if command.name.hasSuffix("SEARCH") {
        return replies.map { $0.text.hasPrefix("* ") ? .line("* SEARCH 1 2 3") : $0 }
      }
      return replies.filter { reply in
        let text = reply.text
        return !text.hasPrefix("* ") || text.hasPrefix("* 1 ") || text.hasPrefix("* 2 ")
      }
    }
    lie.expectNamed("INBOX", try lie.pull())
    #expect(lie.files == before)
    try lie.expectWhole()
  }

  @Test(arguments: ["1:100000", "1:12", "3:4294967295", "0", "5,5,5,5", "1:*", "-4"])
  func `an over-broad VANISHED removes nothing that is still there`(set: String) throws {
    let lie = try Lie(.modern)
    _ = try lie.pull(0)
    let before = lie.files
    lie.account.change("INBOX") { $0.setFlags(1, ["\\Flagged"]) }
    lie.server.alter { command, replies in
      guard command.name == "SELECT" || command.name == "EXAMINE" || command.name == "UID FETCH"
      else {
        return replies
      }
      return [.line("* VANISHED (EARLIER) \(set)")] + replies
    }
    lie.expectNamed("INBOX", try lie.pull())
    #expect(lie.files == before)
    try lie.expectWhole()
  }

  @Test func `negative numbers are survived`() throws {
    let lie = try Lie(.modern)
    lie.server.alter { _, replies in
      replies.map { reply in
        let text = reply.text
          .replacing("UNSEEN ", with: "UNSEEN -").replacing("RECENT ", with: "RECENT -")
          .replacing("HIGHESTMODSEQ ", with: "HIGHESTMODSEQ -").replacing(
            "MODSEQ (", with: "MODSEQ (-"
          )
          .replacing("SIZE ", with: "SIZE -")
        return .line(text)
      }
    }
    lie.expectNamed("INBOX", try lie.pull(0, 1))
    try lie.expectWhole()
  }

  @Test(arguments: [2, Int.max])
  func `a server that hangs up in the middle of a message loses nothing`(times: Int) throws {
    let lie = try Lie(.modern)
    let done = Locked(0)
    lie.server.alter { command, replies in
      guard command.asksForMessages(of: "INBOX") else { return replies }
      let turn = done.change { count -> Int in
        count += 1
        return count
      }
      guard turn <= times, let first = replies.first?.text else { return replies }
      return [
        .raw(Array(first.utf8.prefix(90))), .raw(Array("\r\n* BYE going down\r\n".utf8)), .hangUp,
      ]
    }
    let outcome = try lie.pull(0, 1, 69)
    #expect(outcome.status != 0 || times < .max)
    lie.expectNamed("INBOX", outcome)
    #expect(try lie.mirror.tree().temporaries == [])
    try lie.expectWhole()
  }

  @Test(arguments: [
    "../../x", "/etc/x", "..", "a/../../../b", "\u{1b}[31mred", "line\u{7}bell", "\u{202e}evil",
    "x\ty", "a//b",
    String(repeating: "long", count: 100),
  ])
  func `no name leads outside or drives the terminal`(name: String) throws {
    let lie = try Lie(.modern, mailboxes: ["INBOX", "Work", name])
    lie.account.change(name) { $0.deliver(SampleMessage(token: "captured")) }
    let home = lie.mirror.home
    let before = Set(names(in: home)).union(["Mail", ".local"])
    let outcome = try lie.pull(0, 1)
    // Whatever stands for the rest of the name, its plain letters are there.
    let plain = name.split { !$0.isASCII || $0 < " " }.max { $0.count < $1.count } ?? ""
    lie.expectNamed(String(plain), outcome)
    #expect(Set(names(in: home)).isSubset(of: before))
    #expect(Set(names(in: lie.mirror.root)).isSubset(of: ["personal", ".mirror"]))
    let said = outcome.output + outcome.errors
    #expect(said.allSatisfy { $0 >= 32 || $0 == 10 }, "\(outcome.outputText) \(outcome.errorText)")
    #expect(!outcome.outputText.contains("\u{202e}") && !outcome.errorText.contains("\u{202e}"))
    let tree = try lie.mirror.tree()
    #expect(tree.count(of: "captured@") == 1)
    #expect(tree.folders.count == 3)
  }

  @Test func `sizes three times too large do no harm`() throws {
    let lie = try Lie(.exchange)
    lie.account.change("INBOX") { box in
      for index in box.messages.indices {
        box.messages[index].claimedSize = box.messages[index].bytes.count * 3
      }
    }
    _ = try lie.pull(0)
    try lie.expectWhole()
    removeTree(lie.mirror.account + "/.mirror")
    _ = try lie.pull(0)
    #expect(lie.server.server.bodyFetches == [], "adopted in spite of the sizes")
    try lie.expectWhole()
  }

  @Test func `an OK without a body is no empty message`() throws {
    let lie = try Lie(.modern)
    lie.server.alter { command, replies in
      guard command.name == "UID FETCH", command.text.contains("[]") else { return replies }
      return replies.filter { !$0.text.contains("UID 5 ") && !$0.text.contains("UID 5)") }
    }
    lie.expectNamed("INBOX", try lie.pull(1))
    #expect(try lie.mirror.tree().messages.count == 14)
    try lie.expectWhole()
  }

  @Test(arguments: ["NIL", "\"\"", "{0}\r\n"]) func `a body that is empty is no message`(
    body: String
  ) throws {
    let lie = try Lie(.modern)
    lie.server.alter { command, replies in
      guard command.name == "UID FETCH", command.text.contains("[]") else { return replies }
      return replies.map { reply in
        guard let at = reply.text.range(of: "BODY[] "), reply.text.contains("UID 5 ") else {
          return reply
        }
        return .line(String(reply.text[..<at.upperBound]) + body + ")")
      }
    }
    lie.expectNamed("INBOX", try lie.pull(0, 1))
    #expect(try lie.mirror.tree().messages.count == 14)
    try lie.expectWhole()
  }

  @Test func `messages nobody asked for are not stored`() throws {
    let lie = try Lie(.modern)
    lie.server.alter { command, replies in
      guard command.name == "UID FETCH" else { return replies }
      let text = "Subject: unasked\r\n\r\nunasked\r\n"
      return [.line("* 99 FETCH (UID 99999 FLAGS (\\Seen) BODY[] {\(text.utf8.count)}\r\n\(text))")]
        + replies
    }
    lie.expectNamed("INBOX", try lie.pull(0, 1))
    #expect(try lie.mirror.tree().count(of: "unasked") == 0)
    try lie.expectWhole()
  }

  @Test func `the same message sent twice is one file`() throws {
    let lie = try Lie(.modern)
    lie.server.alter { command, replies in
      guard command.name == "UID FETCH" else { return replies }
      return replies.dropLast() + replies
    }
    lie.expectNamed("INBOX", try lie.pull(0, 1))
    #expect(try lie.mirror.tree().messages.count == 15)
    try lie.expectWhole()
  }

  @Test func `a UIDVALIDITY that changes in mid-run loses and doubles nothing`() throws {
    let lie = try Lie(.modern)
    _ = try lie.pull(0)
    let turn = Locked(0)
    let account = lie.account
    account.change("INBOX") { $0.deliver(SampleMessage(token: "late")) }
    lie.server.alter { command, replies in
      if command.name == "UID FETCH", command.mailbox == "INBOX",
        turn.change({ count -> Int in
          count += 1
          return count
        }) == 1
      {
        account.change("INBOX") { $0.renumber(from: 50) }
        return [.hangUp]
      }
      return replies
    }
    lie.expectNamed("INBOX", try lie.pull())
    try lie.expectWhole()
    #expect(try lie.mirror.tree()["INBOX"].count == 13)
  }

  @Test func `one mailbox that cannot be opened leaves the others in order`() throws {
    let lie = try Lie(.modern, mailboxes: ["INBOX", "Bad", "Work"])
    lie.account.change("Bad") { $0.deliver(SampleMessage(token: "bad")) }
    lie.server.alter { command, replies in
      guard command.name == "SELECT" || command.name == "EXAMINE", command.text.contains("Bad")
      else {
        return replies
      }
      return [.line("\(command.tag) NO [SERVERBUG] internal error")]
    }
    let outcome = try lie.pull(1)
    #expect(outcome.errorText.contains("Bad"), "\(outcome.errorText)")
    #expect(try lie.mirror.tree().messages.count == 15)
    try lie.expectWhole()
  }

  @Test func `an empty listing removes no folder and no mail`() throws {
    let lie = try Lie(.modern)
    _ = try lie.pull(0)
    let before = lie.files
    lie.server.alter { command, replies in
      command.name == "LIST" ? replies.filter { !$0.text.hasPrefix("* ") } : replies
    }
    _ = try lie.pull()
    #expect(lie.files == before)
    try lie.expectWhole()
  }

  @Test func `a mailbox that suddenly claims to be empty loses nothing without proof`() throws {
    let lie = try Lie(.bare)
    _ = try lie.pull(0)
    let before = lie.files
    // EXISTS says 12, but the listing comes back empty.
    lie.server.alter { command, replies in
      command.name.hasSuffix("FETCH") || command.name.hasSuffix("SEARCH")
        ? replies.filter { !$0.text.hasPrefix("* ") } : replies
    }
    let outcome = try lie.pull()
    #expect(lie.files == before)
    #expect(outcome.status != 0 && outcome.errorText.contains("INBOX"), "\(outcome.summary)")
    try lie.expectWhole()
  }

  @Test(arguments: [
    "* BYE", "* OK", "garbage", "", "* 1 FETCH", "+ ", "* NO [ALERT] \u{1b}[2Jboo",
    "* 4294967296 EXISTS",
  ])
  func `odd lines between the others are survived`(line: String) throws {
    let lie = try Lie(.modern)
    lie.server.alter { command, replies in
      guard command.name != "GREETING" else { return replies }
      return [.line(line)] + replies
    }
    let outcome = try lie.pull()
    #expect((outcome.output + outcome.errors).allSatisfy { $0 >= 32 || $0 == 10 })
    try lie.expectWhole()
  }
}
