import MailCore
import Testing

@testable import Transport

@Suite(.enabled(if: OpenSSLServer.isInstalled)) struct StartTLSTests {
  /// Greets in plain text, agrees to TLS with `consent`, and then is a real TLS server.
  private func server(consent: String, _ tls: OpenSSLServer) -> LoopbackServer {
    let port = tls.port
    return LoopbackServer { descriptor in
      LoopbackServer.sendAll(descriptor, "* OK ready\r\n")
      guard LoopbackServer.receive(descriptor) != nil else { return }
      LoopbackServer.sendAll(descriptor, consent)
      LoopbackServer.relay(descriptor, to: port)
    }
  }

  private func plainPart(_ port: UInt16) throws -> NetworkStream {
    let stream = try connect(port, host: "localhost")
    #expect(try readLine(stream) == "* OK ready")
    try send(stream, "a STARTTLS\r\n")
    #expect(try readLine(stream)?.hasPrefix("a OK") == true)
    return stream
  }

  @Test func `the connection goes on in TLS`() throws {
    let tls = try OpenSSLServer(certificate: "good")
    let server = server(consent: "a OK go\r\n", tls)
    let stream = try plainPart(server.port)
    #expect(!stream.isEncrypted)
    try stream.startTLS(trustingPolicy(), before: .after(seconds: 60))
    #expect(stream.isEncrypted && stream.tls?.version == "TLSv1.3")
    try send(stream, "abc\n")
    #expect(try readLine(stream) == "cba")
  }

  @Test func `bytes slipped in before the handshake are refused`() throws {
    let tls = try OpenSSLServer(certificate: "good")
    let server = server(consent: "a OK go\r\n* OK [ALERT] injected\r\n", tls)
    let stream = try plainPart(server.port)
    #expect(
      throws: TransportError.bytesBeforeTLS(Endpoint(host: "localhost", port: server.port))
    ) { try stream.startTLS(trustingPolicy(), before: .after(seconds: 60)) }
    #expect(!stream.isEncrypted)
  }

  @Test func `a bad certificate is refused here as well`() throws {
    let tls = try OpenSSLServer(certificate: "other")
    let server = server(consent: "a OK go\r\n", tls)
    let stream = try plainPart(server.port)
    #expect(throws: TransportError.self) {
      try stream.startTLS(trustingPolicy(), before: .after(seconds: 60))
    }
    #expect(!stream.isEncrypted)
  }
}
