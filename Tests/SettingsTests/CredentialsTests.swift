import Foundation
import MailCore
import Settings
import Testing

@Suite struct CredentialsTests {
  private func server(_ secret: SecretSource, auth: AuthenticationChoice = .auto) -> ServerSettings
  {
    ServerSettings(host: "localhost", port: 993, user: "me", auth: auth, secret: secret)
  }

  private func shell(_ script: String, limit: Duration = .seconds(300)) -> Credentials {
    Credentials(for: server(.command(["/bin/sh", "-c", script])), timeLimit: limit)
  }

  /// Off the cooperative pool, as `secret()` wants it.
  private func read(_ credentials: Credentials) async -> Result<Secret, SettingsError> {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          returning: Result { () throws(SettingsError) in try credentials.secret() })
      }
    }
  }

  private func problem(_ credentials: Credentials) async throws -> Explanation {
    guard case .failure(let error) = await read(credentials) else {
      Issue.record("expected a failure")
      throw CancellationError()
    }
    return error.explanation
  }

  @Test(arguments: [
    "echo hunter2", "printf hunter2", "printf 'hunter2\\r\\n'", "printf 'hunter2\\nlogin: x\\n'",
    "echo hunter2; head -c 1000000 /dev/zero", "echo noise >&2; echo hunter2",
    "head -c 500000 /dev/zero >&2; echo hunter2",
  ]) func `the first line of the output is the secret`(script: String) async throws {
    #expect(try await read(shell(script)).get() == Secret("hunter2"))
  }

  @Test func `a program is found by its name, with its arguments as they are`() async throws {
    let credentials = Credentials(for: server(.command(["printf", "%s", "$HOME *"])))
    #expect(try await read(credentials).get() == Secret("$HOME *"))
  }

  @Test func `a failing command shows its words and never its output`() async throws {
    let words = try await problem(shell("echo hunter2; echo 'no key\u{1B}[31m' >&2; exit 3"))
    #expect(words.problem.contains("status 3"))
    #expect(words.problem.contains("no key"))
    #expect(!words.problem.contains("hunter2"))
    #expect(!words.problem.contains("\u{1B}"))
    #expect(words.exitStatus == .refused)
  }

  @Test(arguments: ["true", "echo", "echo; echo hunter2"])
  func `an empty first line is no password`(script: String) async throws {
    #expect(try await problem(shell(script)).problem.contains("printed nothing"))
  }

  @Test func `a command that hangs is stopped at the limit`() async throws {
    let clock = ContinuousClock()
    let start = clock.now
    let words = try await problem(shell("exec sleep 600", limit: .milliseconds(300)))
    #expect(words.problem.contains("did not end within"))
    #expect(clock.now - start < .seconds(550))
  }

  @Test func `what a command leaves running in the background does not hold us up`() async throws {
    let clock = ContinuousClock()
    let start = clock.now
    let left = NSTemporaryDirectory() + "mirror-sleep-\(UInt64.random(in: 0...UInt64.max))"
    defer {
      // Nobody else would end them.
      let text = (try? String(contentsOfFile: left, encoding: .utf8)) ?? ""
      for id in text.split(separator: "\n").compactMap({ pid_t($0) }) { kill(id, SIGKILL) }
      unlink(left)
    }
    let waiting = shell("sleep 600 & echo $! >>\(left); exec sleep 600", limit: .milliseconds(300))
    let words = try await problem(waiting)
    #expect(words.problem.contains("did not end within"))
    let telling = shell("sleep 120 & echo $! >>\(left); echo hunter2")
    #expect(try await read(telling).get() == Secret("hunter2"))
    #expect(clock.now - start < .seconds(550))
  }

  @Test func `a command that is not there is told so`() async throws {
    for program in ["/nowhere/pass", "no-such-program-here"] {
      let words = try await problem(Credentials(for: server(.command([program]))))
      #expect(words.problem.contains(program))
      #expect(words.problem.contains("was not found"), "\(words.problem)")
    }
  }

  @Test func `an argument of the command is not shown`() async throws {
    let words = try await problem(Credentials(for: server(.command(["false", "hunter2"]))))
    #expect(!words.problem.contains("hunter2"))
    #expect(words.problem.contains("“false”"))
  }

  @Test func `many connections ask, the command runs once`() async throws {
    let count = NSTemporaryDirectory() + "/count-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: count) }
    let credentials = shell("echo x >> '\(count)'; sleep 0.2; wc -l < '\(count)' | tr -d ' '")
    try await withThrowingTaskGroup(of: Secret.self) { group in
      for _ in 0..<8 { group.addTask { try await read(credentials).get() } }
      for try await secret in group { #expect(secret == Secret("1")) }
    }
    credentials.forget()
    #expect(try await read(credentials).get() == Secret("2"))
  }

  @Test func `a password file gives its first line`() async throws {
    let file = try ConfigurationFile("hunter2\r\nnotes\n")
    let credentials = Credentials(for: server(.file(file.path)))
    #expect(try await read(credentials).get() == Secret("hunter2"))
  }

  @Test func `a password file that others read is refused`() async throws {
    let file = try ConfigurationFile("hunter2\n", mode: 0o640)
    let words = try await problem(Credentials(for: server(.file(file.path))))
    #expect(words.remedy?.contains("chmod 600") == true)
    #expect(!words.problem.contains("hunter2"))
    #expect(words.exitStatus == .configuration)
  }

  @Test func `a password file that is missing or empty is told so`() async throws {
    let missing = try await problem(Credentials(for: server(.file("/nowhere/secret"))))
    #expect(missing.problem.contains("no such password file"))
    let empty = try ConfigurationFile("\nhunter2")
    let words = try await problem(Credentials(for: server(.file(empty.path))))
    #expect(words.problem.contains("first line is empty"))
  }

  @Test func `external needs no secret, a token without a command is told`() async throws {
    let external = Credentials(for: server(.none, auth: .external))
    #expect(try await read(external).get().isEmpty)
    let words = try await problem(Credentials(for: server(.none, auth: .xoauth2)))
    #expect(words.exitStatus == .refused)
    #expect(words.remedy?.contains("access token") == true)
  }
}
