import MailCore
import MailTestKit
import Testing

@testable import OAuth

@Suite struct DeviceLoginTests {
  private func login(_ tokens: TokenServer) async throws -> (
    Result<TokenGrant, OAuthError>, naps: [Int64], shown: [String]
  ) {
    let server = AuthorizationServer(client: client(of: tokens))
    return try await offPool {
      var naps: [Int64] = []
      var shown: [String] = []
      let result = Result { () throws(OAuthError) in
        try DeviceLogin(server: server, sleep: { naps.append($0) })
          .run { shown += [$0.userCode, $0.verificationURL] }
      }
      return (result, naps, shown)
    }
  }

  @Test func `the code is shown and waited for, slower where the server asks for it`() async throws
  {
    let tokens = try TokenServer()
    tokens.behaviour.deviceErrors = [
      "authorization_pending", "slow_down", "authorization_pending", "slow_down",
    ]
    let (result, naps, shown) = try await login(tokens)
    #expect(tokens.secrets.contains(try result.get().accessToken.text))
    #expect(naps == [1, 1, 6, 6, 11])
    #expect(shown == ["WDJB-MJHT", tokens.url("/activate")])
    #expect(
      tokens.requests("/device").first?.form == ["client_id": "mirror-test", "scope": "imap smtp"])
  }

  @Test func `five seconds are waited where the server says nothing`() async throws {
    let tokens = try TokenServer()
    tokens.behaviour.deviceInterval = nil
    #expect(try await login(tokens).naps == [5])
  }

  @Test func `a code that ran out and a person who says no end it`() async throws {
    let tokens = try TokenServer()
    tokens.behaviour.deviceErrors = ["authorization_pending", "expired_token"]
    #expect(try await login(tokens).0 == .failure(.codeExpired))
    tokens.behaviour.deviceErrors = ["access_denied"]
    #expect(
      try await login(tokens).0 == .failure(.refused(OAuthRefusal(code: "access_denied"))))
  }

  @Test func `a server that is down for a moment ends nothing`() async throws {
    let tokens = try TokenServer()
    tokens.behaviour.answer = .init(503)
    let server = AuthorizationServer(client: client(of: tokens))
    let naps = try await offPool {
      var naps: [Int64] = []
      _ = try DeviceLogin(
        server: server,
        sleep: { seconds in
          naps.append(seconds)
          if naps.count == 3 { tokens.behaviour.answer = nil }
        }
      ).run { _ in }
      return naps
    }
    #expect(naps == [1, 2, 4])
  }

  @Test func `a provider without device codes is told`() async throws {
    let server = AuthorizationServer(client: OAuthClient(provider: .google, id: "x"))
    let error = try await offPool {
      problem { () throws(OAuthError) in try DeviceLogin(server: server).run { _ in } }
    }
    #expect(error == .noDeviceFlow(provider: "Google"))
  }
}
