import Foundation
import MailTestKit
import Testing

/// Each quirk that a pull acts on, on a server that has it; those about what is shown are ``ViewQuirkTests``, and
/// `Tests/QUIRKS.md` lists them all. The servers are known by what they say, as the real ones are.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PullQuirkTests {
  private func dialect(_ base: Dialect, greeting: String) -> Dialect {
    var dialect = base
    dialect.greeting = greeting
    return dialect
  }

  // MARK: What can't be believed

  private let substitute = SampleMessage(
    bytes: Array(
      """
      MIME-Version: 1.0\r
      Content-Type: text/plain; charset="us-ascii"\r
      From: Microsoft Exchange Server 2010\r
      To: Bob <bob@example.org>\r
      Subject: Retrieval using the IMAP4 protocol failed for the following\r
       message: 4\r
      Content-Transfer-Encoding: quoted-printable\r
      \r
      The server could not show it.\r

      """.utf8))

  @Test(arguments: [false, true])
  func `missing-bodies: Exchange's substitute is not stored, and the message comes later`(
    isAdoption: Bool
  ) throws {
    let lie = try Lie(.exchange)
    if isAdoption {
      _ = try lie.pull(0)
      try FileManager.default.removeItem(atPath: lie.mirror.account + "/.mirror")
      let message = try #require(try lie.mirror.tree().message(with: "<m3@"))
      try Reader(lie.mirror).remove(message)
    }
    let real = try #require(lie.account["INBOX"]?.messages.first { $0.uid == 4 })
    lie.account.change("INBOX") { $0.messages[3].bytes = substitute.bytes }
    for _ in 0..<2 {
      let outcome = try lie.pull(1)
      #expect(outcome.errorText.contains("a text of its own"), "\(outcome.errorText)")
      #expect(try lie.mirror.tree().count(of: "Retrieval using") == 0)
      #expect(try lie.mirror.tree()["INBOX"].count == 11, "the others are here")
    }
    lie.account.change("INBOX") { $0.messages[3].bytes = real.bytes }
    try lie.expectWhole()
  }

  @Test func `missing-bodies: a message about such a message is a message`() throws {
    let lie = try Lie(.exchange)
    let subject = "Retrieval using the IMAP4 protocol failed for the following message: 4"
    lie.account.change("INBOX") {
      $0.deliver(SampleMessage(token: "told", subject: subject))
      $0.deliver(SampleMessage(token: "forwarded", subject: "Fwd: " + subject))
    }
    _ = try lie.pull(0)
    #expect(try lie.mirror.tree().count(of: "Retrieval using") == 2)
  }

  @Test func `broad-vanished: what is there is not removed though the sums agree`() throws {
    let lie = try Lie(dialect(.modern, greeting: "* OK vm Cyrus IMAP 3.6.1 server ready"))
    _ = try lie.pull(0)
    // 5 is gone; the server names 7, which is there, and not 5.
    lie.account.change("INBOX") { $0.expunge(5) }
    lie.server.alter { _, replies in
      replies.map {
        $0.text.hasPrefix("* VANISHED") ? .line("* VANISHED (EARLIER) 7") : $0
      }
    }
    _ = try lie.pull(0)
    #expect(try lie.mirror.tokens(12) == Set(0..<12).subtracting([4]))
    try lie.expectWhole()
  }

  @Test func `broken-modseq: flags come where mod-sequences never move`() throws {
    let lie = try Lie(dialect(.modern, greeting: "* OK imap.zoho.com Zoho Mail IMAP4rev1 ready"))
    let still: ModelServer.Hook = { command, replies in
      replies.map { reply in
        let text = reply.text
        guard text.hasPrefix("* OK [HIGHESTMODSEQ") || text.contains(" HIGHESTMODSEQ ") else {
          return reply
        }
        return .line(text.replacing(/HIGHESTMODSEQ [0-9]+/, with: "HIGHESTMODSEQ 7"))
      }
    }
    lie.server.alter(still)
    _ = try lie.pull(0)
    lie.account.change("INBOX") { $0.setFlags(2, ["\\Flagged"]) }
    _ = try lie.pull(0)
    try expectSame(lie.mirror.tree(), lie.account.state)
    #expect(!lie.server.received.contains { $0.contains("CHANGEDSINCE") || $0.contains("QRESYNC") })
  }

  @Test func `wrong-sizes: a tree of another program's is adopted though no size is right`() throws
  {
    let lie = try Lie(.exchange)
    _ = try lie.pull(0)
    for message in try lie.mirror.tree().messages {
      let folder = "\(lie.mirror.account)/\(message.folder)/cur"
      try FileManager.default.moveItem(
        atPath: "\(lie.mirror.account)/\(message.path)",
        toPath: "\(folder)/17.\(message.inode).host:2,\(message.flags)")
    }
    try FileManager.default.removeItem(atPath: lie.mirror.account + "/.mirror")
    for name in ["INBOX", "Work"] {
      lie.account.change(name) { box in
        for index in box.messages.indices {
          box.messages[index].claimedSize = box.messages[index].bytes.count * 3
        }
      }
    }
    _ = try lie.pull(0)
    #expect(lie.server.server.bodyFetches == [])
    try expectSame(lie.mirror.tree(), lie.account.state)
  }

  @Test func `unstable-uids: a mailbox that was numbered anew is matched, not downloaded`() throws {
    let lie = try Lie(dialect(.bare, greeting: "* OK Proton Mail Bridge ready"))
    _ = try lie.pull(0)
    lie.account.change("INBOX") { $0.renumber(from: 40) }
    _ = try lie.pull(0)
    #expect(lie.server.server.bodyFetches == [])
    try lie.expectWhole()
  }

  // MARK: What must be said when

  @Test func `id-before-select: Coremail is told who we are, announced or not`() throws {
    var coremail = dialect(.bare, greeting: "* OK Coremail System IMap Server Ready(163com)")
    let known = Locked(Set<Int>())
    coremail.refusing = { command in
      if command.name == "ID" { known.change { _ = $0.insert(command.connection) } }
      guard command.name == "SELECT" || command.name == "EXAMINE" else { return nil }
      return known.value.contains(command.connection) ? nil : "NO Unsafe Login. Contact us"
    }
    let lie = try Lie(coremail)
    _ = try lie.pull(0)
    try expectSame(lie.mirror.tree(), lie.account.state)
  }

  @Test func `no-extended-list: Proton Bridge is asked with plain LIST and STATUS`() throws {
    var proton = dialect(.modern, greeting: "* OK Proton Mail Bridge ready")
    proton.refusing = { command in
      command.name == "LIST" && (command.text.contains("RETURN") || command.text.contains("LIST ("))
        ? "BAD no such thing" : nil
    }
    let lie = try Lie(proton)
    _ = try lie.pull(0)
    try expectSame(lie.mirror.tree(), lie.account.state)
  }

  @Test func `broken-esearch: Exchange is asked in the old way`() throws {
    var exchange = Dialect.exchange
    exchange.capabilities.insert("ESEARCH")
    exchange.refusing = { command in
      command.name == "UID SEARCH" && command.text.contains("RETURN")
        ? "BAD Command Error. 12" : nil
    }
    let lie = try Lie(exchange)
    _ = try lie.pull(0)
    try expectSame(lie.mirror.tree(), lie.account.state)
  }

  @Test(arguments: [("* OK IMAP4 ready", false), ("* OK Dovecot ready.", true)])
  func `short-commands, long-commands: 1000 bytes where nothing more is known to be fine`(
    greeting: String, isLong: Bool
  ) throws {
    let lie = try Lie(dialect(.bare, greeting: greeting))
    lie.account.change("INBOX") { box in
      box.uidNext = 100_000
      for number in 0..<600 {
        box.deliver(SampleMessage(token: "n\(number)"))
        box.uidNext += 1
      }
    }
    _ = try lie.pull(0)
    let longest = lie.server.received.map(\.utf8.count).max() ?? 0
    #expect(isLong ? longest > 1000 && longest <= 8192 : longest <= 1000, "\(longest)")
    try expectSame(lie.mirror.tree(), lie.account.state)
  }

  @Test func `one-connection: hMailServer sees one connection`() throws {
    let lie = try Lie(
      dialect(.bare, greeting: "* OK hMailServer IMAP4 ready"),
      mailboxes: ["INBOX", "Work", "A", "B", "C"])
    for name in ["A", "B", "C"] {
      lie.account.change(name) { $0.deliver(SampleMessage(token: name)) }
    }
    _ = try lie.pull(0)
    #expect(lie.server.server.connections == 1)
    try expectSame(lie.mirror.tree(), lie.account.state)
  }
}
