import MailCore
import SASL
import Testing

@testable import Transport

/// Against a real server: TLS both ways, compression, and every mechanism that Dovecot has.
@Suite(.enabled(if: DovecotServer.canRun), .serialized) struct DovecotTests {
  private let server: DovecotServer

  init() throws { server = try DovecotServer() }

  @Test func `each mechanism logs in, and a wrong password does not`() throws {
    for mechanism: SASLMechanism in [.plain, .login, .cramMD5, .scramSHA1, .scramSHA256] {
      let stream = try implicit()
      let answer = try logIn(stream, mechanism, password: "sesame")
      #expect(answer.hasPrefix("a OK"), "\(mechanism): \(answer)")
    }
    for mechanism: SASLMechanism in [.plain, .scramSHA256] {
      let answer = try logIn(implicit(), mechanism, password: "barley")
      #expect(answer.hasPrefix("a NO"), "\(mechanism): \(answer)")
    }
  }

  @Test func `STARTTLS leads to the same`() throws {
    let stream = try connect(server.plainPort, host: "localhost")
    #expect(try readLine(stream)?.contains("STARTTLS") == true)
    try send(stream, "s STARTTLS\r\n")
    #expect(try readLine(stream)?.hasPrefix("s OK") == true)
    try stream.startTLS(trustingPolicy(), before: .after(seconds: 60))
    #expect(try logIn(stream, .scramSHA256, password: "sesame").hasPrefix("a OK"))
  }

  @Test func `a large message goes both ways compressed`() throws {
    let stream = try implicit()
    #expect(try logIn(stream, .plain, password: "sesame").hasPrefix("a OK"))
    try send(stream, "z COMPRESS DEFLATE\r\n")
    #expect(try readLine(stream)?.hasPrefix("z OK") == true)
    try stream.startCompression()

    let body = (0..<60_000).map { "line \($0) of a long message\r\n" }.joined()
    let before = (sent: stream.bytesSent, received: stream.bytesReceived)
    try send(stream, "p APPEND INBOX {\(body.utf8.count)}\r\n")
    #expect(try readLine(stream)?.hasPrefix("+") == true)
    try send(stream, body + "\r\n")
    #expect(try answer("p", stream).hasPrefix("p OK"))
    try send(stream, "e EXAMINE INBOX\r\n")
    #expect(try answer("e", stream).hasPrefix("e OK"))
    try send(stream, "f FETCH 1 BODY.PEEK[]\r\n")
    #expect(try readLine(stream)?.hasSuffix("{\(body.utf8.count)}") == true)
    let fetched = try exactly(body.utf8.count, from: stream)
    #expect(fetched == Array(body.utf8))
    #expect(try answer("f", stream).hasPrefix("f OK"))
    let size = UInt64(body.utf8.count)
    #expect(stream.bytesSent - before.sent < size / 3)
    #expect(stream.bytesReceived - before.received < size / 3)
    #expect(stream.isCompressed && stream.isEncrypted)
  }

  @Test func `the second connection resumes the session`() throws {
    let policy = trustingPolicy()
    for attempt in 0..<3 {
      let stream = try connect(server.tlsPort, host: "localhost", policy)
      _ = try readLine(stream)
      #expect(stream.tls?.resumed == (attempt > 0))
    }
  }

  private func implicit() throws -> NetworkStream {
    let stream = try connect(server.tlsPort, host: "localhost", trustingPolicy())
    _ = try readLine(stream)
    return stream
  }

  /// Returns the tagged response.
  private func logIn(_ stream: NetworkStream, _ mechanism: SASLMechanism, password: String) throws
    -> String
  {
    let context = SASLContext(
      host: "localhost", port: server.tlsPort, isEncrypted: stream.isEncrypted,
      channelBinding: stream.preferredChannelBinding, digests: .openSSL)
    var exchange = try SASLExchange(
      mechanism, credential: SASLCredential(user: "alice", secret: Secret(password)),
      offered: [mechanism.rawValue], context: context)
    try send(stream, "a AUTHENTICATE \(mechanism.rawValue)\r\n")
    while let line = try readLine(stream) {
      if line.hasPrefix("* ") { continue }
      guard line.hasPrefix("+") else {
        if line.hasPrefix("a OK") { try exchange.succeeded() }
        return line
      }
      let challenge = try #require(Base64.decode(line.dropFirst(2).utf8))
      let answer = try exchange.respond(to: challenge)
      try send(stream, String(decoding: Base64.encode(answer), as: UTF8.self) + "\r\n")
    }
    return ""
  }

  private func answer(_ tag: String, _ stream: NetworkStream) throws -> String {
    while let line = try readLine(stream) {
      if line.hasPrefix(tag + " ") { return line }
    }
    return ""
  }

  private func exactly(_ count: Int, from stream: NetworkStream) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 10_000, alignment: 1)
    defer { buffer.deallocate() }
    while bytes.count < count {
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count - bytes.count))
      let read = try stream.read(into: room, before: .after(seconds: 60))
      try #require(read > 0)
      bytes += room.prefix(read)
    }
    return bytes
  }
}
