import Foundation
import MailCore
import MailTestKit
import Settings
import Testing

@testable import OAuth

@Suite struct TokenKeeperTests {
  /// A token server, a directory, and a keeper whose clock the test sets.
  final class Bench: Sendable {
    let tokens: TokenServer
    let directory: TemporaryDirectory
    let clock = TestClock()

    init() throws {
      tokens = try TokenServer()
      directory = try TemporaryDirectory("oauth")
    }

    var path: String { directory.path + "/state/oauth/work" }

    func keeper(
      user: String = "me", client change: OAuthClient? = nil, commands: SecretCommands? = nil,
      isCancelled: @escaping @Sendable () -> Bool = { false }
    ) -> TokenKeeper {
      TokenKeeper(
        account: "work", user: user,
        server: AuthorizationServer(
          client: change ?? client(of: tokens), isCancelled: isCancelled),
        directory: directory.path + "/state/oauth", commands: commands,
        now: { [clock] in clock.now })
    }

    /// Where a new file is written before it takes the old one's place.
    var draft: String { directory.path + "/state/oauth/.work.new" }

    func signIn(_ refreshToken: String = "refresh-token-1", lifetime: Int64 = 3600) async throws {
      tokens.admit(refreshToken: refreshToken)
      let keeper = keeper()
      try await offPool {
        try keeper.signedIn(
          TokenGrant(
            accessToken: Secret("first-access-token"), refreshToken: Secret(refreshToken),
            lifetime: lifetime))
      }
    }

    func token(_ keeper: TokenKeeper? = nil, insteadOf refused: Secret? = nil) async throws
      -> Result<String, SettingsError>
    {
      let keeper = keeper ?? self.keeper()
      return try await offPool {
        Result { () throws(SettingsError) in try keeper.accessToken(insteadOf: refused).text }
      }
    }

    var stored: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
  }

  func mode(_ path: String) throws -> Int {
    try #require(
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  @Test func `a token is kept for its owner's eyes and given until it nearly runs out`()
    async throws
  {
    let bench = try Bench()
    try await bench.signIn()
    #expect(try mode(bench.path) == 0o600)
    #expect(try mode(bench.directory.path + "/state/oauth") == 0o700)
    #expect(try await bench.token().get() == "first-access-token")
    bench.clock.pass(3539)
    #expect(try await bench.token().get() == "first-access-token")
    #expect(bench.tokens.requests.isEmpty)
    bench.clock.pass(1)
    let second = try await bench.token().get()
    #expect(bench.tokens.secrets == [second])
    #expect(try await bench.token().get() == second)
    #expect(bench.tokens.refreshes().map { $0.form["refresh_token"] } == ["refresh-token-1"])
    #expect(try mode(bench.path) == 0o600)
  }

  @Test func `a refresh token that is replaced is used no more`() async throws {
    let bench = try Bench()
    bench.tokens.behaviour.rotates = true
    try await bench.signIn()
    for _ in 0..<4 {
      bench.clock.pass(3600)
      _ = try await bench.token().get()
    }
    let used = bench.tokens.refreshes().compactMap { $0.form["refresh_token"] }
    #expect(used.count == 4)
    #expect(Set(used).count == 4)
    #expect(!bench.stored.contains(used[3]))
  }

  @Test func `a token that the mail server refused is replaced at once, by all who held it once`()
    async throws
  {
    let bench = try Bench()
    try await bench.signIn()
    bench.tokens.behaviour.delay = 0.3
    let first = Secret("first-access-token")
    let given = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<6 { group.addTask { try await bench.token(insteadOf: first).get() } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(given.count == 1)
    #expect(given != ["first-access-token"])
    #expect(bench.tokens.refreshes().count == 1)
  }

  @Test func `a log-in that has ended is asked for no more, until somebody signs in`() async throws
  {
    let bench = try Bench()
    try await bench.signIn()
    bench.tokens.behaviour.refusesRefresh = true
    bench.clock.pass(3600)
    for _ in 0..<3 {
      guard case .failure(let error) = try await bench.token() else {
        Issue.record("given")
        return
      }
      let words = error.explanation
      #expect(words.exitStatus == .refused)
      #expect(words.problem == "The log-in to “work” has ended.")
      #expect(words.remedy == "Run `mirror auth login work`.")
    }
    #expect(bench.tokens.refreshes().count == 1)
    #expect(try bench.keeper().status().state == .needsLogin)
    #expect(!bench.stored.contains("access-"))
    bench.tokens.behaviour.refusesRefresh = false
    try await bench.signIn()
    #expect(try await bench.token().get() == "first-access-token")
    #expect(try bench.keeper().status().state == .signedIn)
  }

  @Test func `a server that is down is no reason to sign in again`() async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.clock.pass(3600)
    bench.tokens.behaviour.answer = .init(503)
    guard case .failure(let error) = try await bench.token() else {
      Issue.record("given")
      return
    }
    #expect(error.explanation.exitStatus == .unreachable)
    bench.tokens.behaviour.answer = nil
    #expect(try await bench.token().get() != "first-access-token")
  }

  @Test func `who never signed in is told so`() async throws {
    let bench = try Bench()
    guard case .failure(let error) = try await bench.token() else {
      Issue.record("given")
      return
    }
    #expect(error.explanation.problem == "Nobody has signed in to “work” yet.")
    #expect(error.explanation.exitStatus == .refused)
    #expect(try bench.keeper().status() == .init(state: .never))
  }

  @Test func `tokens of another user, program or server are sent nowhere`() async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.clock.pass(3600)
    let elsewhere = try TokenServer()
    var other = client(of: bench.tokens)
    other.id = "another-program"
    for keeper in [
      bench.keeper(user: "somebody"), bench.keeper(client: other),
      bench.keeper(client: client(of: elsewhere)),
    ] {
      guard case .failure(let error) = try await bench.token(keeper) else {
        Issue.record("given")
        return
      }
      #expect(error.explanation.problem.contains("Nobody has signed in"))
    }
    #expect(elsewhere.requests.isEmpty)
    #expect(bench.tokens.requests.isEmpty)
  }

  @Test func `a file that others read is refused, and links are not followed`() async throws {
    let bench = try Bench()
    try await bench.signIn()
    chmod(bench.path, 0o640)
    guard case .failure(let error) = try await bench.token() else {
      Issue.record("given")
      return
    }
    #expect(error.explanation.remedy?.contains("chmod 600") == true)
    let target = bench.directory.path + "/target"
    try FileManager.default.moveItem(atPath: bench.path, toPath: target)
    chmod(target, 0o600)
    symlink(target, bench.path)
    guard case .failure = try await bench.token() else {
      Issue.record("given through a link")
      return
    }
  }

  @Test func `a file that was cut short asks for a new log-in`() async throws {
    let bench = try Bench()
    try await bench.signIn()
    truncate(bench.path, 40)
    #expect(try bench.keeper().status().state == .never)
    try await bench.signIn()
    #expect(try bench.keeper().status().state == .signedIn)
  }

  @Test func `a clock that was turned back brings a new token, not an old one`() async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.clock.pass(-86_400)
    #expect(try await bench.token().get() != "first-access-token")
  }

  @Test func `signing out forgets the token here and there`() async throws {
    let bench = try Bench()
    try await bench.signIn()
    let keeper = bench.keeper()
    #expect(try await offPool { try keeper.signOut() })
    #expect(bench.tokens.requests("/revoke").map { $0.form["token"] } == ["refresh-token-1"])
    #expect(!FileManager.default.fileExists(atPath: bench.path))
    #expect(try keeper.status().state == .never)
    #expect(try await offPool { try keeper.signOut() } == false)
  }

  @Test func `a provider that cannot be told is not said to have taken the token back`()
    async throws
  {
    let bench = try Bench()
    try await bench.signIn()
    var gone = client(of: bench.tokens)
    gone.provider.revocationURL = "http://127.0.0.1:1/revoke"
    let keeper = bench.keeper(client: gone)
    let error = try await offPool { problem { () throws(OAuthError) in try keeper.signOut() } }
    guard case .notTakenBack("work", let reason, command: nil)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.problem.contains("127.0.0.1"))
    let words = try #require(error?.explanation)
    #expect(words.exitStatus == .unreachable)
    #expect(words.problem.contains("signed out here, but the provider does not know"))
    #expect(words.remedy?.contains("provider’s own pages") == true)
    #expect(try keeper.status().state == .never)
  }
}
