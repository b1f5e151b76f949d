import MailCore
import Testing

@testable import Transport

@Suite(.enabled(if: OpenSSLServer.isInstalled)) struct TLSTests {
  @Test(arguments: ["localhost", "127.0.0.1"])
  func `a certificate with the host's name or address is accepted`(host: String) throws {
    let server = try OpenSSLServer(certificate: "good")
    let stream = try connect(server.port, host: host, trustingPolicy())
    try send(stream, "abc\n")
    #expect(try readLine(stream) == "cba")
    #expect(stream.isEncrypted && stream.isPeerLoopback)
    let tls = try #require(stream.tls)
    #expect(tls.version == "TLSv1.3" && !tls.resumed && !tls.cipher.isEmpty)
    let certificate = try #require(tls.certificate)
    #expect(certificate.subject == "CN=good" && certificate.issuer == "CN=Test Authority")
    #expect(certificate.names == "DNS:localhost, IP Address:127.0.0.1")
    let expires = try #require(certificate.expires)
    #expect(abs(expires - (Int64(secondsNow()) + 86_400)) < 600)
  }

  @Test func `a self-signed certificate is refused with its name made visible`() throws {
    let server = try OpenSSLServer(certificate: "selfsigned")
    let problem = try #require(refusal(port: server.port, TLSPolicy()))
    guard case .selfSigned(let subject) = problem else {
      Issue.record("\(problem)")
      return
    }
    #expect(subject.contains("selfsigned") && !subject.unicodeScalars.contains("\u{1B}"))
  }

  @Test func `a self-signed certificate named in ca-file is accepted`() throws {
    let server = try OpenSSLServer(certificate: "selfsigned")
    let policy = TLSPolicy(caFile: TestCertificates.shared.file("selfsigned"))
    let stream = try connect(server.port, host: "localhost", policy)
    try send(stream, "x\n")
    #expect(try readLine(stream) == "x")
  }

  @Test func `an unknown authority is refused with its name`() throws {
    let server = try OpenSSLServer(certificate: "good")
    #expect(
      refusal(port: server.port, TLSPolicy()) == .unknownIssuer(issuer: "CN=Test Authority"))
  }

  @Test func `the system's bundle is read when nothing else knows the issuer`() throws {
    let server = try OpenSSLServer(certificate: "good")
    func policy(bundle: String) -> TLSPolicy {
      TLSPolicy(context: TLSContext(caFile: nil, sessions: nil, systemBundle: bundle))
    }
    let knowing = policy(bundle: TestCertificates.shared.authority)
    for _ in 0..<3 {
      let stream = try connect(server.port, host: "localhost", knowing)
      #expect(stream.tls?.certificate?.issuer == "CN=Test Authority")
    }
    for bundle in ["/nonexistent", "/etc/passwd", TestCertificates.shared.file("other")] {
      #expect(
        refusal(port: server.port, policy(bundle: bundle))
          == .unknownIssuer(issuer: "CN=Test Authority"))
    }
  }

  @Test func `an expired certificate is refused with its date`() throws {
    let server = try OpenSSLServer(certificate: "expired")
    let problem = refusal(port: server.port, trustingPolicy())
    guard case .expired(let date)? = problem else {
      Issue.record("\(String(describing: problem))")
      return
    }
    #expect(date.hasSuffix("GMT"))
  }

  @Test func `a certificate of tomorrow is refused`() throws {
    let server = try OpenSSLServer(certificate: "future")
    guard case .notYetValid? = refusal(port: server.port, trustingPolicy()) else {
      Issue.record("accepted or refused for another reason")
      return
    }
  }

  @Test(arguments: [
    ("other", "localhost", "DNS:mail.example.org, DNS:*.example.net"),
    ("nameonly", "127.0.0.1", "DNS:localhost"),  // an address is no name
  ]) func `a certificate for another host is refused with its names`(
    certificate: String, host: String, names: String
  ) throws {
    let server = try OpenSSLServer(certificate: certificate)
    #expect(
      refusal(port: server.port, host: host, trustingPolicy()) == .wrongHost(names: names))
  }

  @Test(arguments: ["-tls1", "-tls1_1"]) func `a server without TLS 1.2 is refused`(
    version: String
  ) throws {
    let server = try OpenSSLServer(
      certificate: "good", [version, "-cipher", "ALL:@SECLEVEL=0"])
    let endpoint = Endpoint(host: "localhost", port: server.port)
    #expect(throws: TransportError.protocolTooOld(endpoint)) {
      _ = try connect(server.port, host: "localhost", trustingPolicy())
    }
  }

  @Test func `TLS 1_2 is enough`() throws {
    let server = try OpenSSLServer(certificate: "good", ["-tls1_2"])
    let stream = try connect(server.port, host: "localhost", trustingPolicy())
    #expect(stream.tls?.version == "TLSv1.2")
    try send(stream, "abc\n")
    #expect(try readLine(stream) == "cba")
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"]) func `the next connection resumes the session`(
    version: String
  ) throws {
    let server = try OpenSSLServer(certificate: "good", [version])
    let policy = trustingPolicy()
    for attempt in 0..<6 {
      let stream = try connect(server.port, host: "localhost", policy)
      try send(stream, "abc\n")
      #expect(try readLine(stream) == "cba")
      #expect(stream.tls?.resumed == (attempt > 0), "connection \(attempt)")
      #expect(stream.tls?.certificate?.subject == "CN=good")
    }
    // Another name at the same port is another server.
    #expect(try connect(server.port, host: "127.0.0.1", policy).tls?.resumed == false)
  }

  @Test func `sessions are not resumed where that is switched off`() throws {
    let server = try OpenSSLServer(certificate: "good")
    let policy = TLSPolicy(
      caFile: TestCertificates.shared.authority, resumesSessions: false)
    for _ in 0..<2 {
      let stream = try connect(server.port, host: "localhost", policy)
      try send(stream, "abc\n")
      #expect(try readLine(stream) == "cba")
      #expect(stream.tls?.resumed == false)
    }
  }

  @Test func `a plain server on the TLS port is told apart`() throws {
    let server = LoopbackServer { descriptor in
      LoopbackServer.sendAll(descriptor, "* OK ready\r\n")
      _ = LoopbackServer.receive(descriptor)
    }
    #expect(throws: TransportError.notTLS(Endpoint(host: "localhost", port: server.port))) {
      _ = try connect(server.port, host: "localhost", TLSPolicy())
    }
  }

  @Test func `a server that hangs up in the handshake is an error of its own`() throws {
    let server = LoopbackServer { descriptor in _ = LoopbackServer.receive(descriptor) }
    #expect(throws: TransportError.self) {
      _ = try connect(server.port, host: "localhost", TLSPolicy())
    }
  }

  @Test func `a server that is silent in the handshake ends at the deadline`() throws {
    let server = LoopbackServer { descriptor in
      while LoopbackServer.receive(descriptor) != nil {}
    }
    let endpoint = Endpoint(host: "localhost", port: server.port)
    #expect(throws: TransportError.timedOut(.handshake, endpoint)) {
      _ = try connect(server.port, host: "localhost", TLSPolicy(), seconds: 2)
    }
  }

  @Test(arguments: ["/nonexistent/ca.pem", "/etc/passwd", "/"])
  func `an unusable trust file is a mistake in the configuration`(path: String) {
    do {
      _ = try NetworkStream.connect(
        Endpoint(host: "127.0.0.1", port: 1), security: .plain)
      Issue.record("port 1 answers")
    } catch {
      #expect(error.explanation.exitStatus == .unreachable)
    }
    let server = LoopbackServer { descriptor in _ = LoopbackServer.receive(descriptor) }
    do {
      _ = try connect(server.port, host: "localhost", TLSPolicy(caFile: path))
      Issue.record("accepted")
    } catch {
      #expect(error.explanation.exitStatus == .configuration, "\(error)")
      #expect(error.explanation.problem.contains(path))
    }
  }

  @Test func `an end without close_notify is an end`() throws {
    let server = try OpenSSLServer(certificate: "good")
    let port = server.port
    let relay = LoopbackServer { descriptor in
      cutLater(descriptor, seconds: 0.5)
      LoopbackServer.relay(descriptor, to: port)
    }
    let stream = try connect(relay.port, host: "localhost", trustingPolicy())
    try send(stream, "abc\n")
    #expect(try readLine(stream) == "cba")
    #expect(try readAll(stream).isEmpty)
    #expect(try readAll(stream).isEmpty)
  }

  @Test func `large transfers come whole, whatever the buffer`() throws {
    let server = try OpenSSLServer(certificate: "good")
    let stream = try connect(server.port, host: "localhost", trustingPolicy())
    let line = String(repeating: "mirror ", count: 2000)
    for size in [1, 7, 4096, 16384, 16385, 262_144] {
      try send(stream, line + "\n")
      var left = line.utf8.count + 1
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
      defer { buffer.deallocate() }
      var got: [UInt8] = []
      while left > 0 {
        let count = try stream.read(into: buffer, before: .after(seconds: 60))
        got += buffer.prefix(count)
        left -= count
        try #require(count > 0)
      }
      #expect(got == Array(line.utf8.reversed()) + [10])
    }
  }

  @Test func `the binding to the channel is the same for the same certificate only`() throws {
    let server = try OpenSSLServer(certificate: "good")
    let policy = TLSPolicy(caFile: TestCertificates.shared.authority, resumesSessions: false)
    let first = try connect(server.port, host: "localhost", policy)
    let endPoint = try #require(first.channelBinding(.tlsServerEndPoint))
    let exported = try #require(first.channelBinding(.tlsExporter))
    first.close()  // s_server serves one at a time
    let second = try connect(server.port, host: "localhost", policy)
    #expect(endPoint.count == 32 && endPoint == second.channelBinding(.tlsServerEndPoint))
    #expect(exported.count == 32 && exported != second.channelBinding(.tlsExporter))
    #expect(second.preferredChannelBinding?.kind == .tlsExporter)

    let old = try OpenSSLServer(certificate: "good", ["-tls1_2"])
    let third = try connect(old.port, host: "localhost", policy)
    #expect(third.preferredChannelBinding?.kind == .tlsUnique)
    #expect(third.channelBinding(.tlsUnique)?.count == 12)
    #expect(second.channelBinding(.tlsUnique) == nil)
    #expect(third.channelBinding(.tlsServerEndPoint) == endPoint)
    let plain = LoopbackServer { descriptor in _ = LoopbackServer.receive(descriptor) }
    #expect(try connect(plain.port).preferredChannelBinding == nil)
  }

  @Test func `the end point is the fingerprint that the openssl program computes`() throws {
    let server = try OpenSSLServer(certificate: "good")
    let stream = try connect(server.port, host: "localhost", trustingPolicy())
    let endPoint = try #require(stream.channelBinding(.tlsServerEndPoint))
    let digest = try output(
      of: "/usr/bin/openssl",
      ["x509", "-in", TestCertificates.shared.file("good"), "-noout", "-fingerprint", "-sha256"])
    let expected = digest.split(separator: "=").last?.filter { $0.isHexDigit }.lowercased()
    #expect(hexadecimal(endPoint) == expected)
  }

  private func refusal(port: UInt16, host: String = "localhost", _ policy: TLSPolicy)
    -> CertificateProblem?
  {
    do {
      _ = try connect(port, host: host, policy)
      Issue.record("the certificate was accepted")
    } catch {
      if case .certificate(let problem, let endpoint) = error {
        #expect(endpoint == Endpoint(host: host, port: port))
        #expect(error.explanation.exitStatus == .unreachable && error.explanation.remedy != nil)
        return problem
      }
      Issue.record("\(error)")
    }
    return nil
  }
}
