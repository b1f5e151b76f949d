import Testing

@testable import HTTPWire

@Suite struct HTTPResponseParserTests {
  static let counted = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: 1\r\n\r\nhello"
  static let chunked =
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    + "5\r\nhello\r\n0006 ;name=\"va;lue\"\r\n, worl\r\nA \t\r\nd, that is\r\n0\r\nX-Sum: 1\r\n\r\n"
  static let untilClose = "HTTP/1.0 404\r\nX-Long: one\r\n  two\r\n\tthree\r\n\r\nnot here"

  @Test func `a body of a known length is read`() throws {
    let read = try answer(Self.counted)
    #expect(read.status == 200 && read.body == "hello" && read.isComplete)
    #expect(read.head?.value(of: "x-a") == "1")
    #expect(read.head?.value(of: "X-B") == nil)
  }

  @Test func `chunks, their extensions and trailers are taken off`() throws {
    let read = try answer(Self.chunked)
    #expect(read.status == 200 && read.body == "hello, world, that is" && read.isComplete)
    // What stands behind the body is no word of the header.
    #expect(read.head?.value(of: "X-Sum") == nil)
  }

  @Test func `a body without a length ends with the connection, and only a proper one`() throws {
    let read = try answer(Self.untilClose)
    #expect(read.status == 404 && read.body == "not here" && read.isComplete)
    #expect(read.head?.value(of: "X-LONG") == "one two three")
    #expect(problem(Self.untilClose, endsProperly: false) == .truncated)
  }

  @Test func `a connection that is cut behind a whole answer changes nothing`() throws {
    #expect(try answer(Self.counted, endsProperly: false).isComplete)
    #expect(try answer(Self.chunked, endsProperly: false).isComplete)
  }

  @Test(arguments: [counted, chunked, untilClose])
  func `a cut at any byte never changes the answer`(text: String) throws {
    let whole = try answer(text)
    for place in 0...text.utf8.count {
      #expect(try answer(text, pieces: { [$0[..<place], $0[place...]] }) == whole)
    }
  }

  @Test(arguments: [counted, chunked, untilClose], 1...7)
  func `chunk size never changes the answer`(text: String, size: Int) throws {
    let pieces = { (bytes: [UInt8]) in
      stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
    }
    #expect(try answer(text, pieces: pieces) == answer(text))
  }

  @Test(arguments: [counted, chunked])
  func `an answer that lacks its last byte is truncated`(text: String) {
    #expect(problem("") == .noAnswer)
    for count in 1..<text.utf8.count {
      let part = String(decoding: text.utf8.prefix(count), as: UTF8.self)
      #expect(problem(part) == .truncated, "\(count)")
    }
  }

  @Test(arguments: [
    "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ])
  func `an empty body is at its end at once`(text: String) throws {
    let read = try answer(text)
    #expect(read.body.isEmpty && read.isComplete)
  }

  @Test func `what follows the answer is left alone`() throws {
    for text in [Self.counted, Self.chunked] {
      #expect(try answer(text + "HTTP/1.1 500 No\r\n\r\n") == answer(text))
    }
  }

  @Test(arguments: [
    "\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
    "HTTP/1.1 200 \r\ncontent-length:2\r\n\r\nok",
    "HTTP/1.1 200\r\nContent-Length: \t 2 \r\n\r\nok",
    "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\nContent-Length: 02\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nContent-Length:\r\n 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nok\r\n0\r\nA: b\r\n c\r\n\r\n",
    "HTTP/1.1 103 Hints\r\nLink: a\r\n\r\nHTTP/1.1 100 Go\r\n\r\n"
      + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 200 Ça va\r\nX-Value: ö\r\nX-Empty:\r\n\r\nok",
  ])
  func `harmless deviations are read`(text: String) throws {
    let read = try answer(text)
    #expect(read.status == 200 && read.body == "ok" && read.isComplete)
  }
}
