import Foundation
import MailCore
import MailTestKit
import Testing

@testable import OAuth

@Suite struct HTTPSPostingTests {
  private func problem(_ posting: HTTPSPosting, _ url: String) async -> OAuthError? {
    do throws(OAuthError) {
      _ = try await posting.post(Array("secret=hidden-text".utf8), to: url, authorization: nil)
      return nil
    } catch {
      #expect(!"\(error) \(error.explanation)".contains("hidden-text"))
      return error
    }
  }

  @Test func `a form arrives as it was sent`() async throws {
    let server = try TokenServer()
    let answer = try await HTTPSPosting().post(
      Array("grant_type=nonsense".utf8), to: server.url("/token"),
      authorization: Secret("Basic eDp5"))
    #expect(answer.status == 400)
    #expect(String(decoding: answer.body, as: UTF8.self).contains("unsupported_grant_type"))
    let request = try #require(server.requests.first)
    #expect(request.method == "POST")
    #expect(request.headers["authorization"] == "Basic eDp5")
    #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
    #expect(request.form == ["grant_type": "nonsense"])
  }

  @Test func `a redirect is not followed`() async throws {
    let other = try TokenServer()
    let server = try TokenServer()
    server.behaviour.answer = .init(307, headers: ["Location: \(other.url("/token"))"])
    let answer = try await HTTPSPosting().post(
      [], to: server.url("/token"), authorization: Secret("Basic eDp5"))
    #expect(answer.status == 307)
    #expect(other.requests.isEmpty)
  }

  @Test func `an answer without end is cut off`() async throws {
    let server = try TokenServer()
    server.behaviour.answer = .init(200, body: String(repeating: "x", count: 300_000))
    guard case .malformedAnswer? = await problem(HTTPSPosting(), server.url("/token")) else {
      Issue.record("taken")
      return
    }
  }

  @Test func `a server that drips is left at the limit`() async throws {
    let server = try ScriptedServer { session in
      _ = session.receive()
      session.send("HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n")
      for _ in 0..<6000 {
        guard session.socket.write([0x20]) else { return }
        pause(0.1)
      }
    }
    let clock = ContinuousClock()
    let start = clock.now
    let error = await problem(
      HTTPSPosting(timeLimit: .seconds(1)), "http://127.0.0.1:\(server.port)/token")
    guard case .unreachable? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(clock.now - start < .seconds(400))
  }

  @Test func `a server that is not there is unreachable`() async throws {
    let port = try freePort()
    let error = await problem(HTTPSPosting(), "http://127.0.0.1:\(port)/token")
    guard case .unreachable("127.0.0.1", _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.explanation.exitStatus == .unreachable)
  }

  @Test func `nothing is sent to other machines without encryption`() async throws {
    let error = await problem(HTTPSPosting(), "http://token.example.org/token")
    #expect(
      error == .unreachable(host: "token.example.org", reason: "its address is not encrypted"))
  }

  @Test(.enabled(if: findProgram("python3") != nil))
  func `a certificate is trusted where its authority is, and nowhere else`() async throws {
    let certificates = try Certificates.shared.get()
    let server = try TLSAnswer(certificates.issue("token-server"))
    let trusting = HTTPSPosting(caFile: certificates.authority)
    let answer = try await trusting.post([], to: server.url, authorization: nil)
    #expect(answer.status == 200)
    #expect(String(decoding: answer.body, as: UTF8.self) == #"{"access_token":"a"}"#)
    guard case .unreachable(_, let reason)? = await problem(HTTPSPosting(), server.url) else {
      Issue.record("a stranger is trusted")
      return
    }
    #expect(reason.contains("certificate"), "\(reason)")
    let elsewhere = try TLSAnswer(
      certificates.issue("token-elsewhere", for: "DNS:token.example.org"))
    guard case .unreachable? = await problem(trusting, elsewhere.url) else {
      Issue.record("another server's certificate is trusted")
      return
    }
  }
}

/// Answers every POST over TLS with the same token.
private final class TLSAnswer: Sendable {
  let url: String
  private let process: Supervised

  init(_ pair: Certificates.Pair) throws {
    let port = try freePort()
    let script = """
      import http.server, ssl, sys
      class Handler(http.server.BaseHTTPRequestHandler):
          def do_POST(self):
              body = b'{"access_token":"a"}'
              self.send_response(200)
              self.send_header("Content-Length", str(len(body)))
              self.end_headers()
              self.wfile.write(body)
      server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain(sys.argv[2], sys.argv[3])
      server.socket = context.wrap_socket(server.socket, server_side=True,
                                          do_handshake_on_connect=False)
      server.serve_forever()
      """
    process = try Supervised([
      "python3", "-c", script, String(port), pair.certificate, pair.key,
    ])
    url = "https://localhost:\(port)/token"
    try waitForPort(port)
  }
}
