import IMAPWire
import MailCore
import Testing

struct ResponseParserTests {
  /// A bit of everything, line ends of both kinds, literals in all places.
  static let session = """
    * OK [CAPABILITY IMAP4rev1 LITERAL+] ready {3}\r
    * CAPABILITY IMAP4rev1 CONDSTORE\r
    A1 OK [CAPABILITY IMAP4rev1] Logged in\r
    * LIST (\\HasNoChildren) "/" {7}\r
    a"b\\c d\r
    * LIST (\\Sent) "." Entw&APw-rfe\r
    * STATUS INBOX (MESSAGES 3 UIDNEXT 10 HIGHESTMODSEQ 77)\r
    * 3 EXISTS\r
    * 1 FETCH (UID 4 FLAGS (\\Seen $Work) BODY[] {12}\r
    Subject: x\r
     MODSEQ (9))\r
    * 2 FETCH (UID 5 BODY[HEADER] {0}\r
     BODY[TEXT]<0> "qu\\"oted" FLAGS ())\r
    * 3 FETCH (X-THING ({3}\r
    ))) "a") UID 6)\r
    * garbage {5}\r
    )\r\n))\r
    * VANISHED (EARLIER) 1:3,9\r
    * SEARCH 4 5 6 (MODSEQ 12)\r
    * ESEARCH (TAG "A2") UID COUNT 2 ALL 4:5\r
    + go on\r
    * 2 EXPUNGE
    A2 NO [TRYCREATE] No such mailbox\r

    """

  @Test(arguments: 1...80) func `chunk size never changes the events`(size: Int) {
    #expect(Transcript(Self.session, chunk: size) == Transcript(Self.session))
  }

  @Test(arguments: 0..<50) func `random chunks never change the events`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let bytes = Array(Self.session.utf8)
    let parsed = Transcript(bytes, chunks: { Int.random(in: 1...30, using: &generator) })
    #expect(parsed == Transcript(bytes))
  }

  @Test func `a session parses into what it says`() throws {
    let seen = try parse(Self.session)
    var first = FetchData(sequence: SequenceNumber(1))
    first.uid = UID(4)
    first.marks = MessageMarks(flags: .seen, keywords: ["$Work"])
    first.modSeq = ModSequence(9)
    #expect(seen.contains(.fetched(first)))
    #expect(seen.contains(.body(BodySection(kind: .whole), Array("Subject: x\r\n".utf8))))
    #expect(seen.contains(.body(BodySection(kind: .header), [])))
    #expect(
      seen.contains(.body(BodySection(kind: .text, origin: 0), Array("qu\"oted".utf8))))
    #expect(seen.contains(.untagged(.expunge(SequenceNumber(2)))))
    #expect(
      seen.last
        == .tagged(
          CommandTag(2), TaggedResult(status: .no, code: .tryCreate, text: "No such mailbox")))
    let unknown = seen.filter { if case .untagged(.unrecognised) = $0 { true } else { false } }
    #expect(unknown == [.untagged(.unrecognised(Array("* garbage {5}\r\n)\r\n))".utf8)))])
  }

  @Test func `items before a body are known when it begins`() throws {
    var parser = ResponseParser()
    let line = "* 1 FETCH (UID 7 FLAGS (\\Flagged) BODY[] {3}\r\n"
    Array(line.utf8).withUnsafeBytes { parser.feed($0) }
    guard case .bodyBegins(let soFar, let section, let size) = try parser.next() else {
      Issue.record("no body")
      return
    }
    #expect(soFar.uid == UID(7))
    #expect(soFar.marks?.flags == .flagged)
    #expect(section.kind == .whole)
    #expect(size == 3)
    #expect(try parser.next() == nil)
  }

  @Test func `a body is handed out as it comes and never gathered`() throws {
    var parser = ResponseParser()
    let size = 40 << 20
    let head = Array("* 1 FETCH (BODY[] {\(size)}\r\n".utf8)
    head.withUnsafeBytes { parser.feed($0) }
    let block = [UInt8](repeating: 65, count: 100_000)
    var received = 0
    var sent = 0
    while sent < size {
      let piece = min(block.count, size - sent)
      block.prefix(piece).withUnsafeBytes { parser.feed($0) }
      sent += piece
      while let event = try parser.next() {
        if case .bodyBytes(let bytes) = event { received += bytes.count }
      }
      let buffered = parser.buffered
      #expect(buffered == 0)
    }
    #expect(received == size)
  }

  @Test func `a line without end is refused at the limit`() {
    var limits = ParserLimits()
    limits.response = 100_000
    let endless = [UInt8](repeating: UInt8(ascii: "x"), count: 200_000)
    #expect(
      Transcript(endless, chunk: 7000, limits: limits).failure == .responseTooLong(limit: 100_000))
  }

  @Test(arguments: ["99999999999999999999999", "18446744073709551615", "9223372036854775808"])
  func `a literal beyond any message is refused`(size: String) {
    let transcript = Transcript("* 1 FETCH (BODY[] {\(size)}\r\n")
    #expect(transcript.failure != nil)
    #expect(Transcript("* LIST () NIL {\(size)}\r\n").failure != nil)
  }

  @Test func `a four gigabyte literal is announced, not held`() throws {
    var parser = ResponseParser()
    Array("* 1 FETCH (UID 1 BODY[] {4294967296}\r\nabc".utf8).withUnsafeBytes { parser.feed($0) }
    guard case .bodyBegins(_, _, 4_294_967_296) = try parser.next() else {
      Issue.record("no body")
      return
    }
    guard case .bodyBytes(let bytes) = try parser.next() else {
      Issue.record("no bytes")
      return
    }
    #expect(bytes.count == 3)
  }

  @Test func `large literals that are no bodies are read past`() throws {
    var limits = ParserLimits()
    limits.keptLiteral = 10
    let text =
      "* LIST () \"/\" {20}\r\n" + String(repeating: "n", count: 20) + "\r\n"
      + "* 1 FETCH (X-BLOB {20}\r\n" + String(repeating: ")", count: 20) + " UID 3)\r\n"
      + "* 1 FETCH (X-LIST (a {20}\r\n" + String(repeating: ")", count: 20) + ") UID 4)\r\n"
      + "A1 OK done\r\n"
    let seen = try parse(text, limits: limits)
    #expect(seen.count == 4)
    #expect(seen[0] == .untagged(.unrecognised(Array("* LIST () \"/\" ".utf8))))
    guard case .fetched(let data) = seen[1] else {
      Issue.record("the FETCH behind the literal is lost")
      return
    }
    #expect(data.uid == UID(3))
    #expect(seen[2] == .untagged(.unrecognised(Array("* 1 FETCH (X-LIST (a ".utf8))))
    #expect(seen[3] == .tagged(CommandTag(1), TaggedResult(status: .ok, text: "done")))
  }

  @Test func `what follows an unreadable response stays in step`() throws {
    let text =
      "* 1 FETCH (UID x BODY[] {5}\r\n* OK \r\n)\r\n* 2 EXISTS\r\n"
      + "* 1 FETCH (UID 1 BODY[] {2}\r\nab (((())))\r\n* 3 EXISTS\r\n"
    let seen = try parse(text)
    #expect(seen.contains(.untagged(.exists(2))))
    #expect(seen.contains(.untagged(.exists(3))))
    #expect(seen.contains { if case .fetched(let data) = $0 { data.isDamaged } else { false } })
  }

  @Test func `words that end like a literal are words`() throws {
    #expect(
      try parse("* OK see {5}\r\nA1 OK done {7}\r\n+ {9}\r\n") == [
        .untagged(.status(.ok, ResponseText(text: "see {5}"))),
        .tagged(CommandTag(1), TaggedResult(status: .ok, text: "done {7}")),
        .continuation("{9}"),
      ])
  }

  @Test func `nesting has its bound`() throws {
    let deep = String(repeating: "(", count: 100) + String(repeating: ")", count: 100)
    guard case .unrecognised = try untagged("* 1 FETCH (X \(deep) UID 1)") else {
      Issue.record("100 levels were followed")
      return
    }
    let shallow = String(repeating: "(", count: 60) + String(repeating: ")", count: 60)
    #expect(try fetch("* 1 FETCH (X \(shallow) UID 1)").uid == UID(1))
  }

  @Test(arguments: [1000, 65_536, 1 << 20])
  func `a long SEARCH is taken in pieces and comes out whole`(chunk: Int) throws {
    let numbers = stride(from: UInt32(1), through: 500_000, by: 2)
    let bytes = Array(
      "* SEARCH \(numbers.map(String.init).joined(separator: " ")) (MODSEQ 7)\r\n".utf8)
    var parser = ResponseParser()
    var most = 0
    var results: [SearchResult] = []
    for start in Swift.stride(from: 0, to: bytes.count, by: chunk) {
      bytes[start..<min(start + chunk, bytes.count)].withUnsafeBytes { parser.feed($0) }
      while let event = try parser.next() {
        if case .untagged(.search(let result)) = event { results.append(result) }
      }
      most = max(most, parser.buffered)
    }
    #expect(results.count == 1)
    #expect(results.first?.uids == UIDSet(numbers.map { UID($0) }))
    #expect(results.first?.modSeq == ModSequence(7))
    #expect(most < 66_000)
  }

  @Test(arguments: ["x", "-1", "(MODSEQ x)", "{3}\r\nabc 4"])
  func `rubbish in a long SEARCH makes it no result`(rubbish: String) throws {
    let many = String(repeating: "123456 ", count: 30_000)
    for line in ["* SEARCH \(many)\(rubbish) \(many)", "* SEARCH \(many)\(rubbish)"] {
      for chunk in [1000, Int.max] {
        let transcript = Transcript(line + "\r\n* 3 EXISTS\r\n", chunk: chunk)
        #expect(transcript.lines.count == 2)
        #expect(transcript.lines.first?.hasPrefix("unrecognised") == true)
        #expect(transcript.lines.last == "exists(3)")
      }
    }
  }

  @Test func `an endless SEARCH is refused`() {
    var limits = ParserLimits()
    limits.search = 200_000
    let endless = "* SEARCH" + String(repeating: " 7", count: 200_000)
    #expect(
      Transcript(endless, chunk: 5000, limits: limits).failure == .responseTooLong(limit: 200_000))
  }

  @Test func `a tag that is none of ours is told apart`() throws {
    #expect(
      try parse("xyz OK hm\r\nA00 BAD x\r\nA1x OK y\r\n") == [
        .tagged(nil, TaggedResult(status: .ok, text: "hm")),
        .tagged(CommandTag(0), TaggedResult(status: .bad, text: "x")),
        .tagged(nil, TaggedResult(status: .ok, text: "y")),
      ])
  }
}
