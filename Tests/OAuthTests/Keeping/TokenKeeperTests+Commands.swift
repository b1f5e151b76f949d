import Foundation
import MailCore
import MailTestKit
import Settings
import Testing

@testable import OAuth

/// Refresh tokens that commands of the person's own keep.
extension TokenKeeperTests {
  private func signIn(_ bench: Bench, _ keeper: TokenKeeper, refreshToken: String?) async throws {
    try await offPool {
      try keeper.signedIn(
        TokenGrant(
          accessToken: Secret("first-access-token"), refreshToken: refreshToken.map { Secret($0) },
          lifetime: 3600))
    }
  }

  @Test func `a new refresh token is in the file before the command is given it`() async throws {
    let bench = try Bench()
    bench.tokens.behaviour.rotates = true
    bench.tokens.admit(refreshToken: "refresh-token-1")
    let seen = bench.directory.path + "/seen"
    let store = bench.directory.path + "/kept"
    let script = "umask 077; cp '\(bench.path)' '\(seen)' 2>&1; cat > '\(store)'"
    let keeper = bench.keeper(
      commands: SecretCommands(load: ["cat", store], store: ["/bin/sh", "-c", script]))
    try await signIn(bench, keeper, refreshToken: "refresh-token-1")
    bench.clock.pass(3600)
    _ = try await bench.token(keeper).get()
    let token = try kept(bench).trimmingCharacters(in: .newlines)
    #expect(token.hasPrefix("refresh-") && token != "refresh-token-1")
    let before = try String(contentsOfFile: seen, encoding: .utf8)
    #expect(before.contains(token))
    #expect(!bench.stored.contains(token))
  }

  @Test func `a token that a command keeps for others is sent nowhere`() async throws {
    let bench = try Bench()
    bench.tokens.admit(refreshToken: "refresh-token-1")
    let commands = commands(bench)
    try await signIn(bench, bench.keeper(commands: commands), refreshToken: "refresh-token-1")
    let elsewhere = try TokenServer()
    for keeper in [
      bench.keeper(user: "somebody", commands: commands),
      bench.keeper(client: client(of: elsewhere), commands: commands),
    ] {
      guard case .failure(let error) = try await bench.token(keeper) else {
        Issue.record("given")
        return
      }
      #expect(error.explanation.problem.contains("Nobody has signed in"))
    }
    // Somebody else signs in, and is granted nothing to renew that with.
    let other = bench.keeper(client: client(of: elsewhere), commands: commands)
    try await signIn(bench, other, refreshToken: nil)
    bench.clock.pass(3600)
    guard case .failure = try await bench.token(other) else {
      Issue.record("given")
      return
    }
    // Signing out with yet other settings leaves nothing, and tells nobody.
    try await signIn(bench, bench.keeper(commands: commands), refreshToken: "refresh-token-1")
    #expect(try await offPool { try other.signOut() } == false)
    #expect(try kept(bench) == "\n")
    #expect(elsewhere.requests.isEmpty)
    #expect(bench.tokens.requests.isEmpty)
  }

  @Test func `signing out takes the token back where the command fails, and says that it failed`()
    async throws
  {
    let bench = try Bench()
    bench.tokens.admit(refreshToken: "refresh-token-1")
    try await signIn(
      bench, bench.keeper(commands: commands(bench)), refreshToken: "refresh-token-1")
    let failing = bench.keeper(
      commands: SecretCommands(
        load: ["cat", bench.directory.path + "/kept"], store: ["false"]))
    let error = try await offPool { problem { () throws(OAuthError) in try failing.signOut() } }
    guard case .command? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(bench.tokens.requests("/revoke").map { $0.form["token"] } == ["refresh-token-1"])
    #expect(!FileManager.default.fileExists(atPath: bench.path))
    // Where the provider cannot be told either, both are said.
    try await signIn(
      bench, bench.keeper(commands: commands(bench)), refreshToken: "refresh-token-1")
    var gone = client(of: bench.tokens)
    gone.provider.revocationURL = "http://127.0.0.1:1/revoke"
    let cutOff = bench.keeper(
      client: gone,
      commands: SecretCommands(
        load: ["cat", bench.directory.path + "/kept"], store: ["false"]))
    let both = try await offPool { problem { () throws(OAuthError) in try cutOff.signOut() } }
    guard case .notTakenBack(_, _, command: .storeFailed?)? = both else {
      Issue.record("\(String(describing: both))")
      return
    }
    #expect(both?.explanation.problem.contains("“false”") == true)
  }

  private func commands(_ bench: Bench) -> SecretCommands {
    let store = bench.directory.path + "/kept"
    return SecretCommands(
      load: ["cat", store], store: ["/bin/sh", "-c", "umask 077; cat > '\(store)'"])
  }

  private func kept(_ bench: Bench) throws -> String {
    try String(contentsOfFile: bench.directory.path + "/kept", encoding: .utf8)
  }

  @Test func `a command keeps the refresh token, and the file holds none`() async throws {
    let bench = try Bench()
    bench.tokens.behaviour.rotates = true
    bench.tokens.admit(refreshToken: "refresh-token-1")
    let keeper = bench.keeper(commands: commands(bench))
    try await offPool {
      try keeper.signedIn(
        TokenGrant(
          accessToken: Secret("first-access-token"), refreshToken: Secret("refresh-token-1"),
          lifetime: 3600))
    }
    #expect(try kept(bench) == "refresh-token-1\n")
    #expect(!bench.stored.contains("refresh-token-1"))
    bench.clock.pass(3600)
    _ = try await bench.token(keeper).get()
    let rotated = try kept(bench)
    #expect(rotated != "refresh-token-1\n")
    #expect(bench.tokens.secrets.contains(rotated.trimmingCharacters(in: .newlines)))
    #expect(!bench.stored.contains("refresh-"))
    _ = try await offPool { try keeper.signOut() }
    #expect(try kept(bench) == "\n")
  }

  @Test func `a refresh token that the command does not take is not lost`() async throws {
    let bench = try Bench()
    bench.tokens.behaviour.rotates = true
    bench.tokens.admit(refreshToken: "refresh-token-1")
    let keeper = bench.keeper(commands: commands(bench))
    try await offPool {
      try keeper.signedIn(
        TokenGrant(
          accessToken: Secret("first-access-token"), refreshToken: Secret("refresh-token-1"),
          lifetime: 3600))
    }
    bench.clock.pass(3600)
    let failing = bench.keeper(
      commands: SecretCommands(
        load: ["cat", bench.directory.path + "/kept"], store: ["false"]))
    _ = try await bench.token(failing).get()
    #expect(bench.stored.contains("refresh-"))
    #expect(try failing.status().awaitsCommand == true)
    bench.clock.pass(3600)
    _ = try await bench.token(keeper).get()
    #expect(!bench.stored.contains("refresh-"))
    #expect(try keeper.status().awaitsCommand == false)
    #expect(bench.tokens.refreshes().count == 2)
  }
}
