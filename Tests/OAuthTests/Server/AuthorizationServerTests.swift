import MailCore
import MailTestKit
import Testing

@testable import OAuth

@Suite struct AuthorizationServerTests {
  @Test func `a client with a secret proves itself in the way the provider wants`() async throws {
    let server = try TokenServer()
    server.admit(refreshToken: "refresh-token-1")
    var client = client(of: server, secret: Secret("s:e c"))
    let byHeader = AuthorizationServer(client: client)
    _ = try await offPool { try byHeader.refresh(Secret("refresh-token-1")).get() }
    client.provider.clientAuthentication = .form
    let byForm = AuthorizationServer(client: client)
    _ = try await offPool { try byForm.refresh(Secret("refresh-token-1")).get() }
    let requests = server.requests
    #expect(requests.count == 2)
    // mirror-test:s%3Ae%20c
    #expect(requests[0].headers["authorization"] == "Basic bWlycm9yLXRlc3Q6cyUzQWUlMjBj")
    #expect(requests[0].form["client_secret"] == nil)
    #expect(requests[1].headers["authorization"] == nil)
    #expect(requests[1].form["client_secret"] == "s:e c")
    #expect(requests[1].form["client_id"] == "mirror-test")
  }

  @Test func `a refusal repeats no token`() async throws {
    let tokens = try TokenServer()
    let server = AuthorizationServer(client: client(of: tokens))
    let result = try await offPool { try server.refresh(Secret("refresh-token-unknown")) }
    #expect(tokens.refreshes().count == 1)
    guard case .failure(let refusal) = result else {
      Issue.record("granted")
      return
    }
    #expect(refusal.code == "invalid_grant")
    #expect(refusal.words == "Token has been expired or revoked: …")
  }

  @Test(arguments: [
    TokenServer.Response(503, body: "down"), .init(429, body: "{}"), .init(500),
    .init(302, headers: ["Location: https://portal.example.org/"]),
    .init(200, body: "<html>Welcome to our network</html>"), .init(200, body: "{}"),
    .init(400, body: #"{"error":"temporarily_unavailable"}"#),
    .init(400, body: #"{"access_token":"a"}"#),
  ]) func `what is no answer is none, and may be one later`(answer: TokenServer.Response)
    async throws
  {
    let tokens = try TokenServer()
    tokens.behaviour.answer = answer
    let server = AuthorizationServer(client: client(of: tokens))
    let error = try await offPool {
      problem { () throws(OAuthError) in try server.refresh(Secret("r")) }
    }
    #expect(error?.explanation.exitStatus == .unreachable)
  }

  @Test func `a stopped run waits for no answer`() async throws {
    let tokens = try TokenServer()
    tokens.behaviour.delay = 20
    let server = AuthorizationServer(client: client(of: tokens), isCancelled: { true })
    let error = try await offPool {
      problem { () throws(OAuthError) in try server.refresh(Secret("r")) }
    }
    #expect(error == .interrupted)
  }

  @Test(arguments: [
    (TokenServer.Response(400, body: #"{"error":"invalid_token"}"#), true),
    (.init(400, body: #"{"error":"unsupported_token_type"}"#), false),
    (.init(401, body: #"{"error":"invalid_client"}"#), false),
    (.init(400, body: "<html>no</html>"), false),
  ]) func `a token counts as taken back where it is`(answer: TokenServer.Response, isBack: Bool)
    async throws
  {
    let tokens = try TokenServer()
    tokens.behaviour.answer = answer
    var client = client(of: tokens)
    client.provider.revocationURL = tokens.url("/token")
    let server = AuthorizationServer(client: client)
    #expect(try await offPool { try server.revoke(Secret("refresh-token-1")) } == isBack)
  }

  @Test func `a token is taken back`() async throws {
    let tokens = try TokenServer()
    tokens.admit(refreshToken: "refresh-token-1")
    let server = AuthorizationServer(client: client(of: tokens))
    #expect(try await offPool { try server.revoke(Secret("refresh-token-1")) })
    guard case .failure = try await offPool({ try server.refresh(Secret("refresh-token-1")) })
    else {
      Issue.record("still good")
      return
    }
  }
}
