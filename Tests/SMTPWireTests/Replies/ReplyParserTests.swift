import Testing

@testable import SMTPWire

@Suite struct ReplyParserTests {
  private func replies(_ text: String, chunk: Int = .max) throws -> [Reply] {
    var parser = ReplyParser()
    var found: [Reply] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      parser.feed(rest.prefix(chunk))
      rest = rest.dropFirst(chunk)
      while let reply = try parser.next() { found.append(reply) }
    }
    return found
  }

  static let transcript = """
    220 mx.example.org ESMTP Postfix\r
    250-mx.example.org at your service\r
    250-SIZE 35882577\r
    250 SMTPUTF8\r
    250 2.1.0 Ok\r
    550-5.1.1 The email account that you tried to reach does not exist.\r
    550 5.1.1  https://support.google.com/mail/?p=NoSuchUser 12si - gsmtp\r
    354\r
    250\n452-4.5.3 Too\r\r\n452 many\r
    """

  @Test(arguments: 1...30) func `where bytes are cut makes no difference`(size: Int) throws {
    let transcript = Self.transcript + "\n"
    #expect(try replies(transcript, chunk: size) == replies(transcript))
  }

  @Test func `lines, codes and enhanced codes are told apart`() throws {
    let all = try replies(Self.transcript + "\n")
    #expect(all.map(\.code) == [220, 250, 250, 550, 354, 250, 452])
    #expect(all[1].lines == ["mx.example.org at your service", "SIZE 35882577", "SMTPUTF8"])
    #expect(all[2].enhanced == EnhancedStatus(2, 1, 0))
    #expect(all[2].lines == ["Ok"])
    #expect(all[3].enhanced == EnhancedStatus(5, 1, 1))
    #expect(all[3].words.hasPrefix("550 5.1.1 The email account that you tried"))
    #expect(all[6].enhanced == EnhancedStatus(4, 5, 3))
    #expect(all[6].lines == ["Too", "many"])
  }

  @Test func `an enhanced code of another class is text`() throws {
    let reply = try replies("550 2.0.0 really\r\n")[0]
    #expect(reply.enhanced == nil)
    #expect(reply.lines == ["2.0.0 really"])
  }

  @Test(arguments: [
    "HTTP/1.1 400\r\n", "* OK IMAP\r\n", "25 x\r\n", "2500 x\r\n", "150 x\r\n", "600 x\r\n", "\r\n",
    "25é\r\n",
  ])
  func `what is no reply is told`(text: String) {
    #expect(throws: ReplyError.self) { try replies(text) }
  }

  @Test func `no reply grows without bounds`() {
    #expect(throws: ReplyError.tooLong) {
      try replies("250 " + String(repeating: "x", count: 9000))
    }
    #expect(throws: ReplyError.tooLong) {
      try replies(String(repeating: "250-x\r\n", count: 200_000))
    }
  }

  @Test func `noise ends in an error or nothing, never worse`() {
    let alphabet = Array("0123459- .\r\nA\u{e9}".utf8)
    var state: UInt64 = 9
    for _ in 0..<3000 {
      let bytes = (0..<60).map { _ -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return alphabet[Int(state >> 33) % alphabet.count]
      }
      var parser = ReplyParser()
      parser.feed(bytes)
      for _ in 0..<70 { guard (try? parser.next()) != nil else { break } }
    }
  }

  @Test func `controls in a server's words are visible`() {
    let reply = Reply(code: 550, lines: ["\u{1B}[2Jgone"])
    #expect(!reply.words.contains("\u{1B}"))
  }
}

@Suite struct ServerExtensionsTests {
  @Test func `Gmail, Exchange and Postfix announce what they can`() {
    let gmail = ServerExtensions.test(
      "SIZE 35882577", "8BITMIME", "AUTH LOGIN PLAIN XOAUTH2 PLAIN-CLIENTTOKEN OAUTHBEARER XOAUTH",
      "ENHANCEDSTATUSCODES", "PIPELINING", "CHUNKING", "SMTPUTF8")
    #expect(gmail.maximumSize == 35_882_577)
    #expect(gmail.pipelining && gmail.chunking && gmail.utf8 && gmail.eightBit && !gmail.dsn)
    #expect(gmail.mechanisms.count == 6)
    let exchange = ServerExtensions.test(
      "SIZE 157286400", "PIPELINING", "DSN", "ENHANCEDSTATUSCODES", "AUTH LOGIN XOAUTH2",
      "8BITMIME",
      "BINARYMIME", "CHUNKING", "SMTPUTF8")
    #expect(exchange.dsn && exchange.mechanisms == ["LOGIN", "XOAUTH2"])
    let postfix = ServerExtensions.test(
      "size", "auth=PLAIN LOGIN", "AUTH PLAIN LOGIN", "STARTTLS", "LIMITS RCPTMAX=50 MAILMAX=10 X=y"
    )
    #expect(postfix.hasSize && postfix.maximumSize == nil && postfix.startTLS)
    #expect(postfix.mechanisms == ["PLAIN", "LOGIN"])
    #expect(postfix.maximumRecipients == 50 && postfix.maximumMessages == 10)
    #expect(ServerExtensions.test("SIZE 0").maximumSize == nil)
    #expect(ServerExtensions.test("SIZE 99999999999999999999999").maximumSize == nil)
  }
}
