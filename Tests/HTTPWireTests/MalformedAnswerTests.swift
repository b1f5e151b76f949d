import Testing

@testable import HTTPWire

@Suite struct MalformedAnswerTests {
  private static let head = "HTTP/1.1 200 OK\r\n"

  @Test(arguments: [
    "HTTP/2 200 OK", "HTTP/1.2 200 OK", "http/1.1 200 OK", "HTTP/1.1  200 OK", "HTTP/1.1 20 OK",
    "HTTP/1.1 2000 OK", "HTTP/1.1 -20 OK", "HTTP/1.1 +20 OK", "HTTP/1.1 099 OK", "HTTP/1.1 2x0 OK",
    "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 200 O\rK", "HTTP/1.1 200 O\0K", "220 mail.example.org ESMTP",
    "* OK IMAP4rev1", "<html>", " HTTP/1.1 200 OK", "HTTP/1.1 101 Switching Protocols",
  ])
  func `a first line that is none is refused`(line: String) {
    #expect(problem(line + "\r\n\r\n") == .notHTTP)
  }

  @Test(arguments: [
    "no colon", ": no name", "A name: x", "Name : x", "Näme: x", "Name\t: x", " folded: first",
    "Name: x\ry", "Name: \0", "Name: \u{1}", "Name: \u{7F}", "(Name): x", "Name: a\r\n b\0",
  ])
  func `a malformed field is refused`(line: String) {
    #expect(problem(Self.head + line + "\r\n\r\n") == .malformedField)
    let trailer = "Transfer-Encoding: chunked\r\n\r\n0\r\n\(line)\r\n\r\n"
    #expect(problem(Self.head + trailer) == .malformedField)
  }

  @Test(arguments: [
    "", "x", "-1", "+5", "0x5", "5 5", "5;", "5.0", "٥", "5, 6", "5,", ",5",
    "5\r\nContent-Length: 6",
    "9223372036854775808", "99999999999999999999999999", "5\r\nTransfer-Encoding: chunked",
  ])
  func `a length that cannot be trusted is refused`(length: String) {
    #expect(problem(Self.head + "Content-Length: \(length)\r\n\r\nhello") == .malformedLength)
  }

  @Test(arguments: [
    "gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked", "identity", "", "xchunked",
    "chunked;a=b", "\"chunked\"", "chunked\r\nTransfer-Encoding: chunked",
    "identity\r\nTransfer-Encoding: chunked",
  ])
  func `a coding that was not asked for is refused`(coding: String) {
    #expect(
      problem(Self.head + "Transfer-Encoding: \(coding)\r\n\r\n0\r\n\r\n") == .unknownCoding)
  }

  @Test(arguments: [
    "\r\n", "x\r\n", "-1\r\n", "+5\r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n",
    " 5\r\nhello\r\n0\r\n\r\n", "5 5\r\nhello\r\n0\r\n\r\n", ";a=b\r\n", "5;a\0\r\nhello\r\n",
    "5\r;\r\nhello\r\n", "5\r\nhello0\r\n\r\n", "5\r\nhello!\r\n0\r\n\r\n", "5\r\nhelloworld\r\n",
    "10000000000000000\r\n", "8000000000000000\r\n", "FFFFFFFFFFFFFFFFF\r\n",
  ])
  func `malformed chunks are refused`(body: String) {
    #expect(problem(Self.head + "Transfer-Encoding: chunked\r\n\r\n" + body) == .malformedChunk)
  }

  @Test func `a header without end is left`() throws {
    let limit = HTTPWireError.headTooLarge(limit: HTTPResponseParser.headLimit)
    let half = String(repeating: "a", count: 33_000)
    let lines = String(repeating: "A: b\r\n", count: 11_000)
    #expect(problem(Self.head + "A: \(half)\r\n\r\n") == nil)
    #expect(problem(Self.head + "A: \(half)\r\nB: \(half)\r\n\r\n") == limit)
    #expect(problem(half + half) == limit)
    #expect(problem(Self.head + lines) == limit)
    #expect(problem(String(repeating: "HTTP/1.1 100 Go\r\n\r\n", count: 5_000)) == limit)
    #expect(problem(String(repeating: "\r\n", count: 40_000)) == limit)
    let chunks = "Transfer-Encoding: chunked\r\n\r\n0\r\n"
    #expect(problem(Self.head + chunks + lines) == limit)
  }

  @Test func `a chunk's line without end is left`() {
    let chunks = Self.head + "Transfer-Encoding: chunked\r\n\r\n1;"
    let long = String(repeating: "a", count: HTTPResponseParser.chunkLineLimit)
    #expect(problem(chunks + long) == .malformedChunk)
    #expect(problem(chunks + long + "\r\nx\r\n0\r\n\r\n") == .malformedChunk)
    #expect(problem(chunks + long.dropLast(4) + "\r\nx\r\n0\r\n\r\n") == nil)
  }

  @Test func `a header that comes byte by byte is read in one pass`() throws {
    let text = Self.head + "A: \(String(repeating: "a", count: 60_000))\r\n\r\n"
    let pieces = { (bytes: [UInt8]) in bytes.indices.map { bytes[$0...$0] } }
    #expect(try answer(text, pieces: pieces).status == 200)
  }
}
