import Foundation
import Queue
import Testing

@testable import Outbox

@Suite struct AcceptanceTests {
  @Test func `a bare message gets what it lacks`() throws {
    let lab = try OutboxLab()
    let envelope = try lab.accept("Subject: Hi\n\nHello\n")
    #expect(envelope.sender == "alice@example.org" && envelope.recipients == ["bob@example.net"])
    let text = try lab.text(envelope.id)
    #expect(
      text.hasPrefix(
        """
        Subject: Hi
        From: Alice Example <alice@example.org>
        Date: Tue, 14 Nov 2023 23:43:20 +0130
        Message-ID: <\(envelope.id.text).
        """))
    #expect(
      text.hasSuffix(
        "@example.org>\nMIME-Version: 1.0\nContent-Type: text/plain; charset=us-ascii\n\nHello\n"))
    #expect(envelope.messageID.map { text.contains("<\($0)>") } == true)
    #expect(envelope.subject == "Hi" && envelope.needs == [])
  }

  @Test func `what is there stays byte for byte`() throws {
    let lab = try OutboxLab()
    let message = """
      Received: from x\n\tby y
      From: "A. Example" <alice@example.org>
      To: Bob <bob@example.net>
      Date: Mon,  1 Jan 2024 00:00:00 +0000 (UTC)
      Message-ID: <x@y>
      MIME-Version: 1.0
      X-Odd :  spaced\u{20}
      Content-Type: text/plain; charset=utf-8
      Content-Transfer-Encoding: 8bit

      Grüße
      .
      ..
      From here

      """
    let envelope = try lab.accept(message, ["-i", "bob@example.net"])
    #expect(try lab.text(envelope.id) == message)
    #expect(envelope.needs == .eightBit && envelope.messageID == "x@y")
  }

  @Test func `cron's mail gets a sender that can be answered`() throws {
    let lab = try OutboxLab()
    let envelope = try lab.accept(
      "From: \"(Cron Daemon)\" <root>\nTo: root\nSubject: Cron <root@box> df\n\nout\n",
      ["-FCronDaemon", "-i", "-B8BITMIME", "-oem", "-f", "root", "root"])
    #expect(envelope.sender == "alice@example.org" && envelope.recipients == ["alice@example.org"])
    #expect(try lab.text(envelope.id).hasPrefix("From: \"(Cron Daemon)\" <alice@example.org>\n"))
  }

  @Test func `Bcc gets the message and stands nowhere in it`() throws {
    let lab = try OutboxLab()
    let message = """
      From: alice@example.org
      To: Bob <bob@example.net>, "Doe, J" <j@example.net>
      bcc: Eve <eve@example.net>,
       mallory@example.net
      Cc: Team: t1@example.net, BOB@example.net;, undisclosed-recipients:;

      x

      """
    let envelope = try lab.accept(message, ["-t", "bob@EXAMPLE.net"])
    #expect(
      envelope.recipients == [
        "bob@EXAMPLE.net", "j@example.net", "t1@example.net", "BOB@example.net",
        "eve@example.net", "mallory@example.net",
      ])
    let text = try lab.text(envelope.id)
    #expect(!text.lowercased().contains("bcc") && !text.contains("eve"))
    #expect(!text.contains("mallory"))
    let plain = try lab.accept(message, ["x@example.net"])
    #expect(plain.recipients == ["x@example.net"])
    #expect(!(try lab.text(plain.id)).contains("mallory"))
  }

  @Test func `a resent message goes to those it is resent to`() throws {
    let lab = try OutboxLab()
    let envelope = try lab.accept(
      "Resent-To: new@example.net\nFrom: alice@example.org\nTo: old@example.net\n\nx\n", ["-t"])
    #expect(envelope.recipients == ["new@example.net"])
  }

  @Test(arguments: [
    (["a@b>\r\nRCPT TO:<c@d"], "To: x@y.org\n\nx\n"), (["nobody"], "\nx\n"), (["a b@c"], "\nx\n"),
    (["a@b\nc@d"], "\nx\n"), (["-t"], "To: nobody\n\nx\n"), (["-t"], "To: \"a\n\nx\n"),
    (["-f", "a@b>\r\nX: y", "c@d.org"], "\nx\n"), (["@"], "\nx\n"), (["-t"], "To: a@b <c\n\nx\n"),
  ])
  func `what is no address is refused`(arguments: [String], message: String) throws {
    let lab = try OutboxLab()
    #expect(throws: AcceptanceError.self) { try lab.accept(message, arguments) }
    #expect(try lab.entries().isEmpty)
  }

  @Test func `blanks and commas at the ends of arguments are nobody`() throws {
    let lab = try OutboxLab()
    let envelope = try lab.accept("\nx\n", ["a@b.org , c@d.org,", "<e@f.org>,"])
    #expect(envelope.recipients == ["a@b.org", "c@d.org", "e@f.org"])
    #expect(throws: AcceptanceError.self) { try lab.accept("\nx\n", [","]) }
  }

  @Test func `nobody whom a field names is left out without a word`() throws {
    let lab = try OutboxLab()
    let many = (0...RecipientList.limit).map { "r\($0)@x.org" }.joined(separator: ",\n ")
    #expect(throws: AcceptanceError.tooManyRecipients(limit: RecipientList.limit)) {
      try lab.accept("To: \(many)\n\nx\n", ["-t"])
    }
    #expect(throws: AcceptanceError.self) {
      try lab.accept("To: Team: a@b.org, bob;\n\nx\n", ["-t"])
    }
  }

  @Test func `a Bcc behind a broken line is not shown to everybody`() throws {
    let lab = try OutboxLab()
    #expect(throws: AcceptanceError.brokenHeader(line: 3)) {
      try lab.accept("From: alice@example.org\nSubject: x\nbroken line\nBcc: eve@x.org\n\nx\n")
    }
    let body = try lab.accept("Subject: x\nbroken line\n\nBcc: in the text\n")
    #expect(try lab.text(body.id).hasSuffix("\n\nbroken line\n\nBcc: in the text\n"))
  }

  /// Headers are read in two steps: wherever the first one ends, nothing behind it is overlooked.
  @Test(arguments: 0..<12) func `a Bcc behind a long header is taken out`(shift: Int) throws {
    let lab = try OutboxLab()
    let size = (128 << 10) - 8 + shift
    var message = "From: alice@example.org\nX-Long: "
    while message.utf8.count + 80 < size { message += String(repeating: "x", count: 70) + "\n " }
    message += String(repeating: "y", count: size - message.utf8.count) + "\n"
    let envelope = try lab.accept(message + "Bcc: eve@x.org\nSubject: late\n\nBcc: text\n", ["-t"])
    #expect(envelope.recipients == ["eve@x.org"] && envelope.subject == "late")
    let text = try lab.text(envelope.id)
    #expect(!text.contains("eve@x.org") && text.hasSuffix("\n\nBcc: text\n"))
  }

  @Test func `reports on what is passed on go to who passes it on`() throws {
    let lab = try OutboxLab()
    let foreign = "From: zoe@elsewhere.example\nSubject: x\n\nx\n"
    #expect(try lab.accept(foreign).sender == "alice@example.org")
    #expect(
      try lab.accept("Resent-From: Al <al@example.org>\n" + foreign).sender == "al@example.org")
    #expect(try lab.accept("From: list@example.org\n\nx\n").sender == "list@example.org")
    #expect(try lab.accept(foreign, ["-f", "<x@y.org>", "a@b.org"]).sender == "x@y.org")
  }

  @Test func `a domain of two spellings is one`() throws {
    let lab = try OutboxLab()
    let envelope = try lab.accept("\nx\n", ["a@bu\u{308}cher.example", "a@b\u{FC}cher.example"])
    #expect(envelope.recipients.count == 1)
    #expect(Array(envelope.recipients[0].utf8) == Array("a@b\u{FC}cher.example".utf8))
  }

  @Test func `no recipient is told`() throws {
    let lab = try OutboxLab()
    #expect(throws: AcceptanceError.noRecipient) { try lab.accept("To: a@b.org\n\nx\n", []) }
    #expect(throws: AcceptanceError.noRecipient) { try lab.accept("Subject: x\n\nx\n", ["-t"]) }
  }

  @Test func `bare CR and NUL are refused with their line`() throws {
    let lab = try OutboxLab()
    #expect(throws: AcceptanceError.bareCarriageReturn(line: 3)) {
      try lab.accept("Subject: x\r\n\r\na\rb\r\n")
    }
    #expect(throws: AcceptanceError.bareCarriageReturn(line: 1)) { try lab.accept("Subject: x\r") }
    #expect(throws: AcceptanceError.nulByte(line: 3)) { try lab.accept("Subject: x\n\na\0b\n") }
  }

  @Test(arguments: 1...9) func `where the input is cut makes no difference`(size: Int) throws {
    let lab = try OutboxLab()
    let message = Array(
      "From: alice@example.org\r\nMessage-ID: <a@b>\r\nDate: x\r\n\r\n..a\r\n.b\r\n\r\n.c\n.\r\nrest\r\n"
        .utf8)
    let envelope = try lab.accept(message, ["bob@example.net"], piece: size)
    let text = try lab.text(envelope.id)
    #expect(text.hasSuffix("\n\n..a\n.b\n\n.c\n") && !text.contains("\r"))
    let whole = try lab.accept(message, ["-i", "bob@example.net"], piece: size)
    #expect(try lab.text(whole.id).hasSuffix("\n\n..a\n.b\n\n.c\n.\nrest\n"))
  }

  @Test func `raw characters in the header become words`() throws {
    let lab = try OutboxLab()
    let envelope = try lab.accept(
      "From: Zoë Müller <alice@example.org>\nTo: 日本 <bob@bücher.example>\nSubject: Grüße 日本\n\nx\n",
      ["-t"])
    let text = try lab.text(envelope.id)
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    #expect(text.contains("From: =?utf-8?q?Zo=C3=AB_M=C3=BCller?= <alice@example.org>\n"))
    #expect(text.contains("<bob@xn--bcher-kva.example>"))
    #expect(envelope.subject == "Grüße 日本" && envelope.needs == [])
    #expect(envelope.recipients == ["bob@bücher.example"])
    let local = try lab.accept("From: alice@example.org\nTo: zoë@example.net\n\nx\n", ["-t"])
    #expect(local.needs == .utf8)
  }

  @Test func `a name cannot bring a field with it`() throws {
    let lab = try OutboxLab()
    let envelope = try lab.accept("Subject: x\n\ny\n", ["-F", "A\nBcc: eve@x.org", "b@c.org"])
    let text = try lab.text(envelope.id)
    #expect(!text.contains("\nBcc"))
    #expect(text.contains("From: =?utf-8?q?A=0ABcc=3A_eve=40x=2Eorg?= <alice@example.org>\n"))
  }

  @Test func `long header lines are folded at their blanks`() throws {
    let lab = try OutboxLab()
    let references = (1...100).map { "<\($0).aaaaaaaaaaaaaaaaaaaaaaaa@example.org>" }
      .joined(separator: " ")
    let envelope = try lab.accept("From: alice@example.org\nReferences: \(references)\n\nx\n")
    let text = try lab.text(envelope.id)
    #expect(text.split(separator: "\n").allSatisfy { $0.utf8.count <= 998 })
    #expect(text.replacing("\n ", with: " ").contains("References: " + references))
    let word = String(repeating: "x", count: 1200)
    #expect(throws: AcceptanceError.headerLineTooLong(field: "References")) {
      try lab.accept("From: alice@example.org\nReferences: <\(word)>\n\nx\n")
    }
  }

  @Test func `an mbox line is no part of the message, and a broken header ends`() throws {
    let lab = try OutboxLab()
    let envelope = try lab.accept(
      "From alice Thu Jan 1 1970\nSubject: a\nnot a field\nTo: x@y.org\n", ["-t", "b@c.org"])
    let text = try lab.text(envelope.id)
    #expect(text.hasPrefix("Subject: a\n") && text.hasSuffix("\n\nnot a field\nTo: x@y.org\n"))
    #expect(envelope.recipients == ["b@c.org"])
  }

  @Test func `a large message goes by a file, whole`() throws {
    let lab = try OutboxLab()
    let body = String(repeating: "0123456789abcdef\r\n", count: 700_000)
    let envelope = try lab.accept("Subject: big\r\n\r\n" + body, ["-i", "bob@example.net"])
    let text = try lab.bytes(envelope.id)
    #expect(text.suffix(17 * 700_000) == Array(body.replacing("\r\n", with: "\n").utf8)[...])
    #expect(envelope.message.wireSize == UInt64(text.count + text.count { $0 == 10 }))
  }

  @Test func `an account without a server takes nothing`() throws {
    let lab = try OutboxLab()
    lab.accounts[0].smtp = nil
    #expect(throws: AcceptanceError.noServer(account: "work")) { try lab.accept("\nx\n") }
  }
}
