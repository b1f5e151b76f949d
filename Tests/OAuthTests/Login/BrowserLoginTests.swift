import Foundation
import MailCore
import MailTestKit
import Testing

@testable import OAuth

@Suite struct BrowserLoginTests {
  /// Signs in; `browser` gets the address on a thread of its own, as browsers do.
  private func login(
    _ tokens: TokenServer, waitSeconds: Int = 60,
    change: (inout OAuthClient) -> Void = { _ in },
    foreign: @escaping @Sendable () -> Void = {},
    browser: @escaping @Sendable (String) throws -> Void
  ) async throws -> Result<TokenGrant, OAuthError> {
    var client = client(of: tokens)
    change(&client)
    let server = AuthorizationServer(client: client)
    return try await offPool {
      var login = BrowserLogin(server: server)
      login.foreignAnswer = foreign
      return Result { () throws(OAuthError) in
        try login.run(
          user: "alice@example.org", waitSeconds: waitSeconds,
          open: { url in
            Thread.detachNewThread {
              do { try browser(url) } catch { Issue.record(error) }
            }
          }, paste: { () throws(OAuthError) in throw .nothingPasted })
      }
    }
  }

  @Test(arguments: ["http://127.0.0.1", "http://localhost", "http://127.0.0.1/sign/in"])
  func `a browser that signs in brings a token`(redirect: String) async throws {
    let tokens = try TokenServer()
    let page = Locked<String>("")
    let grant = try await login(
      tokens, change: { $0.provider.redirectURL = redirect },
      browser: { url in
        // The kit's browser knows numbers only.
        let response = try TokenServer.browse(url)
        page.change { $0 = response.body + response.headers.joined() }
      }
    ).get()
    #expect(tokens.secrets.contains(grant.accessToken.text))
    #expect(grant.refreshToken.map { tokens.secrets.contains($0.text) } == true)
    #expect(grant.lifetime == 3600)
    let request = try #require(tokens.requests("/token").first)
    #expect(request.form["client_id"] == "mirror-test")
    let pattern = "^" + redirect.replacing("/sign/in", with: "") + ":[0-9]+"
    #expect(request.form["redirect_uri"]?.range(of: pattern, options: .regularExpression) != nil)
    #expect(tokens.requests("/authorize").first?.query["login_hint"] == "alice@example.org")
    try waitUntil { !page.value.isEmpty }
    #expect(page.value.contains("mirror has the answer"))
    #expect(!page.value.contains("code-"))
  }

  @Test func `an answer with another state changes nothing`() async throws {
    let tokens = try TokenServer()
    tokens.behaviour.forgedState = "forged"
    let foreign = Locked<Int>(0)
    let grant = try await login(
      tokens, foreign: { foreign.change { $0 += 1 } },
      browser: { url in
        for _ in 0..<3 { #expect((try? TokenServer.browse(url))?.status == 400) }
        #expect(tokens.requests("/token").isEmpty)
        tokens.behaviour.forgedState = nil
        #expect((try? TokenServer.browse(url))?.status == 200)
      }
    ).get()
    #expect(tokens.secrets.contains(grant.accessToken.text))
    #expect(foreign.value == 1)
    #expect(tokens.requests("/token").count == 1)
  }

  @Test func `other requests are turned away, and idle connections hold nobody up`() async throws {
    let tokens = try TokenServer()
    let grant = try await login(tokens) { url in
      let redirect = try #require(
        URLComponents(string: url)?.queryItems?.first { $0.name == "redirect_uri" }?.value)
      let port = UInt16(try #require(URLComponents(string: redirect)?.port))
      let idle = try (0..<30).map { _ in try Socket(connectingTo: port) }
      defer { for socket in idle { socket.close() } }
      func status(_ request: String) throws -> Int {
        try TokenServer.exchange(port: port, request).status
      }
      #expect(try status("GET /favicon.ico HTTP/1.1\r\n\r\n") == 404)
      #expect(try status("POST / HTTP/1.1\r\n\r\n") == 405)
      #expect(try status("nonsense\r\n\r\n") == 400)
      #expect(try status("GET / HTTP/1.1\r\nX: \(String(repeating: "y", count: 40_000))") == 400)
      #expect((try? TokenServer.browse(url))?.status == 200)
    }.get()
    #expect(tokens.secrets.contains(grant.accessToken.text))
  }

  @Test func `a person who says no is believed`() async throws {
    let tokens = try TokenServer()
    tokens.behaviour.denies = true
    let result = try await login(tokens) { _ = try TokenServer.browse($0) }
    #expect(
      result == .failure(.refused(OAuthRefusal(code: "access_denied", words: "said no"))))
    #expect(tokens.requests("/token").isEmpty)
  }

  @Test func `a browser that never comes back ends the log-in`() async throws {
    let tokens = try TokenServer()
    let result = try await login(tokens, waitSeconds: 1) { _ in }
    #expect(result == .failure(.browserSilent(seconds: 1)))
  }

  @Test func `a port that is taken is told`() async throws {
    let taken = try Listener { _ in }
    let tokens = try TokenServer()
    let result = try await login(
      tokens, change: { $0.provider.redirectURL = "http://127.0.0.1:\(taken.port)/" },
      browser: { _ in })
    guard case .failure(.cannotListen(let url, _)) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(url == "http://127.0.0.1:\(taken.port)/")
  }

  @Test(.enabled(if: (try? LoopbackSocket(.six, port: 0)) != nil))
  func `a port that somebody else has in one family is not listened at`() throws {
    let stranger = try LoopbackSocket(.six, port: 0)
    let address = try #require(RedirectAddress("http://LocalHost:\(stranger.port)/"))
    let error = problem { () throws(OAuthError) in try LoopbackReceiver(address) }
    guard case .cannotListen? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let free = try LoopbackReceiver(try #require(RedirectAddress("http://localhost")))
    #expect(free.redirectURL.hasPrefix("http://localhost:"))
  }

  @Test(arguments: [true, false])
  func `a person may carry the answer over`(wholeAddress: Bool) async throws {
    let tokens = try TokenServer()
    var client = client(of: tokens)
    client.provider.redirectURL = wholeAddress ? "https://example.org/signed-in" : "oob"
    let server = AuthorizationServer(client: client)
    let grant = try await offPool {
      let shown = Locked<String>("")
      return try BrowserLogin(server: server).run(
        user: nil, waitSeconds: 10, open: { shown.value = $0 },
        paste: { () throws(OAuthError) in
          let answer = try? TokenServer.browse(shown.value, follows: false)
          let location = answer?.headers.first { $0.hasPrefix("Location: ") } ?? ""
          let url = String(location.dropFirst("Location: ".count))
          let code = URLComponents(string: url)?.queryItems?.first?.value ?? ""
          return wholeAddress ? " \(url)#x \n" : code + "\r"
        })
    }
    #expect(tokens.secrets.contains(grant.accessToken.text))
    #expect(tokens.requests("/token").first?.form["redirect_uri"] == client.provider.redirectURL)
  }

  @Test(arguments: [
    "", "  ", "https://example.org/?code=a&state=other", "https://example.org/?state=s",
    "https://example.org/?code=a",
  ]) func `what belongs to another log-in is not taken`(text: String) {
    let error = problem { () throws(OAuthError) in try PastedAnswer(text, state: "s").code() }
    #expect(error == .nothingPasted)
  }

  @Test func `a code that was stolen is of no use without its proof`() async throws {
    let tokens = try TokenServer()
    let server = AuthorizationServer(client: client(of: tokens))
    let url = try #require(
      AuthorizationRequest(
        client: server.client, redirect: "http://127.0.0.1:1", user: nil, proof: try ProofKey(),
        state: "s")
    ).url
    let answer = try TokenServer.browse(url, follows: false)
    let location = try #require(answer.headers.first { $0.hasPrefix("Location: ") })
    let code = try #require(
      URLComponents(string: String(location.dropFirst(10)))?.queryItems?.first?.value)
    let error = try await offPool {
      problem { () throws(OAuthError) in
        try server.exchange(
          code: Secret(code), proof: try ProofKey(), redirect: "http://127.0.0.1:1")
      }
    }
    #expect(error == .refused(OAuthRefusal(code: "invalid_grant")))
  }
}

func waitUntil(_ condition: () -> Bool) throws {
  let end = Date(timeIntervalSinceNow: 120)
  while !condition() {
    guard Date() < end else { throw KitError("waited in vain") }
    pause(0.01)
  }
}
