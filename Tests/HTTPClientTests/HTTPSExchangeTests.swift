import HTTPWire
import MailTestKit
import Testing
import Transport

@testable import HTTPClient

@Suite(.enabled(if: TLSAnswer.isPossible)) struct HTTPSExchangeTests {
  private let certificates: Certificates

  init() throws { certificates = try Certificates.shared.get() }

  private func ask(
    _ server: TLSAnswer, _ host: String = "localhost", at place: String? = nil,
    isTrusting: Bool = true
  ) async throws -> Result<String, HTTPFailure> {
    let exchange = HTTPExchange(
      caFile: isTrusting ? certificates.authority : nil,
      limits: .init(connecting: 60, whole: 60, body: 1 << 16))
    let address = try #require(HTTPAddress("https://\(host):\(server.port)/"))
    do throws(HTTPFailure) {
      let response = try await exchange.answer(to: HTTPRequest(.get, address), at: place)
      return .success(String(decoding: response.body, as: UTF8.self))
    } catch {
      return .failure(error)
    }
  }

  @Test(arguments: [true, false])
  func `a body of a known length needs no good-bye`(saysGoodbye: Bool) async throws {
    let pair = try certificates.issue("http-counted-\(saysGoodbye)")
    let server = try TLSAnswer(
      pair, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", saysGoodbye: saysGoodbye)
    #expect(try await ask(server) == .success("hello"))
  }

  @Test func `a body without a length needs one`() async throws {
    let pair = try certificates.issue("http-until-close")
    let answer = "HTTP/1.1 200 OK\r\n\r\nhello"
    let honest = try TLSAnswer(pair, answer, saysGoodbye: true)
    #expect(try await ask(honest) == .success("hello"))
    let cut = try TLSAnswer(pair, answer, saysGoodbye: false)
    #expect(try await ask(cut) == .failure(.malformed(.truncated)))
  }

  @Test func `a body that lacks bytes is an error whatever the good-bye`() async throws {
    let pair = try certificates.issue("http-short")
    for saysGoodbye in [true, false] {
      let server = try TLSAnswer(
        pair, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", saysGoodbye: saysGoodbye)
      #expect(try await ask(server) == .failure(.malformed(.truncated)))
    }
  }

  @Test func `a server elsewhere must have the certificate of the name`() async throws {
    let pair = try certificates.issue("http-named", for: "DNS:autoconfig.example.test")
    let server = try TLSAnswer(
      pair, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", saysGoodbye: true)
    let (name, other) = ("autoconfig.example.test", "localhost")
    #expect(try await ask(server, name, at: "127.0.0.1") == .success("ok"))
    let endpoint = Endpoint(host: other, port: server.port)
    #expect(
      try await ask(server, other, at: "127.0.0.1")
        == .failure(
          .transport(.certificate(.wrongHost(names: "DNS:autoconfig.example.test"), endpoint))))
    guard
      case .failure(.transport(.certificate(.unknownIssuer, _))) = try await ask(
        server, name, at: "127.0.0.1", isTrusting: false)
    else {
      Issue.record("a stranger is trusted")
      return
    }
  }
}
