import Foundation
import MailCore
import Settings
import Testing

@Suite struct AccessTokenTests {
  /// Gives `token-1`, then `token-2` in place of that, and so on.
  private final class Counter: AccessTokenSource, @unchecked Sendable {  // behind `lock`
    let account = "work"
    let grant = "1"
    private let lock = NSLock()
    private var number = 1
    private var refusals: [Secret] = []

    func accessToken(insteadOf refused: Secret?) throws(SettingsError) -> Secret {
      lock.withLock {
        if let refused, refused == Secret("token-\(number)") {
          number += 1
          refusals.append(refused)
        }
        return Secret("token-\(number)")
      }
    }

    var given: Int { lock.withLock { number } }
  }

  private struct Refusal: Error {}
  private struct Lost: Error {}

  private func server(
    _ secret: SecretSource = .none, auth: AuthenticationChoice = .xoauth2
  ) -> ServerSettings {
    ServerSettings(host: "localhost", port: 993, user: "me", auth: auth, secret: secret)
  }

  /// Logs in to a server that takes what `takes` says.
  private func logIn(_ credentials: Credentials, takes: (Secret) throws -> Bool) throws -> Secret {
    try credentials.loggedIn(
      isRefusal: { $0 is Refusal },
      open: { used in
        let secret = try credentials.secret()
        used(secret)
        guard try takes(secret) else { throw Refusal() }
        return secret
      })
  }

  @Test func `a token that ran out is replaced and the log-in goes on, as often as it takes`()
    throws
  {
    let tokens = Counter()
    let credentials = Credentials(for: server(), tokens: tokens)
    for number in 1...5 {
      let secret = try logIn(credentials) { $0 == Secret("token-\(number)") }
      #expect(secret == Secret("token-\(number)"))
    }
    #expect(tokens.given == 5)
  }

  @Test func `a server that refuses fresh tokens is asked twice, and then no more`() throws {
    let tokens = Counter()
    let credentials = Credentials(for: server(), tokens: tokens)
    var attempts = 0
    for _ in 0..<4 {
      let error = #expect(throws: SettingsError.self) {
        try logIn(credentials) { _ in
          attempts += 1
          return false
        }
      }
      #expect(error?.explanation.exitStatus == .refused)
      #expect(error?.explanation.remedy?.contains("mirror auth login work") == true)
    }
    #expect(attempts == 2)
    #expect(tokens.given == 2)
  }

  @Test func `connections that held the same token agree on one other`() throws {
    let tokens = Counter()
    let credentials = Credentials(for: server(), tokens: tokens)
    // The second learns of the refusal while the first is still at work.
    let outer = try logIn(credentials) { first in
      guard first == Secret("token-1") else { return true }
      let inner = try logIn(credentials) { $0 != Secret("token-1") }
      #expect(inner == Secret("token-2"))
      return false
    }
    #expect(outer == Secret("token-2"))
    #expect(tokens.given == 2)
  }

  @Test func `other failures are told as they are`() throws {
    let tokens = Counter()
    let credentials = Credentials(for: server(), tokens: tokens)
    #expect(throws: Lost.self) { try logIn(credentials) { _ in throw Lost() } }
    #expect(tokens.given == 1)
  }

  @Test func `a refused password is tried once`() {
    var attempts = 0
    let credentials = Credentials(for: server(.password(Secret("pw")), auth: .plain))
    #expect(throws: Refusal.self) {
      try logIn(credentials) { _ in
        attempts += 1
        return false
      }
    }
    #expect(attempts == 1)
  }

  @Test func `a password that is configured comes before any token`() throws {
    let tokens = Counter()
    for secret in [SecretSource.password(Secret("own-token"))] {
      let credentials = Credentials(for: server(secret), tokens: tokens)
      #expect(try credentials.secret() == Secret("own-token"))
    }
    let plain = Credentials(for: server(.password(Secret("pw")), auth: .auto), tokens: tokens)
    #expect(try plain.secret() == Secret("pw"))
  }

  @Test func `a command that prints tokens is run again after a refusal`() async throws {
    let count = NSTemporaryDirectory() + "/tokens-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: count) }
    let script = "echo x >> '\(count)'; echo token-$(wc -l < '\(count)' | tr -d ' ')"
    let credentials = Credentials(for: server(.command(["/bin/sh", "-c", script])))
    let secret: Secret = try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result { try logIn(credentials) { $0 == Secret("token-2") } })
      }
    }
    #expect(secret == Secret("token-2"))
  }

  @Test func `a command that prints the same token again is not believed for ever`() async throws {
    let credentials = Credentials(for: server(.command(["echo", "token-1"])))
    let attempts: Int = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var attempts = 0
        _ = try? logIn(credentials) { _ in
          attempts += 1
          return false
        }
        continuation.resume(returning: attempts)
      }
    }
    #expect(attempts == 1)
  }

  @Test func `a command keeps a secret that it alone sees`() async throws {
    let path = NSTemporaryDirectory() + "/kept-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: path) }
    func keep(_ store: [String]) async -> Result<Void, SettingsError> {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          let commands = SecretCommands(load: ["cat", path], store: store)
          continuation.resume(
            returning: Result { () throws(SettingsError) in try commands.keep(Secret("hunter2")) })
        }
      }
    }
    try await keep(["/bin/sh", "-c", "cat > '\(path)'"]).get()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "hunter2\n")
    guard
      case .failure(let error) = await keep([
        "/bin/sh", "-c", "cat > /dev/null; echo locked >&2; exit 4",
      ])
    else {
      Issue.record("kept")
      return
    }
    #expect(error.explanation.problem.contains("status 4"))
    #expect(error.explanation.problem.contains("locked"))
    #expect(!error.explanation.problem.contains("hunter2"))
    // A command that reads nothing gets no chance to kill us with SIGPIPE.
    _ = await keep(["true"])
  }
}
