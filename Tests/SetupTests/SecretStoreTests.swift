import Foundation
import MailCore
import Testing

@testable import Setup

@Suite struct SecretStoreTests {
  private func plan(_ store: SecretStore, taken: Set<String> = [], isRoot: Bool = false)
    -> SecretStore.Plan
  {
    store.plan(
      account: "work", user: "alice@example.org", directory: "/c", isRoot: isRoot,
      isFree: { !taken.contains($0) })
  }

  @Test func `only what is installed is offered, a file always`() {
    #expect(SecretStore.offered(programs: []) == [.file])
    #expect(SecretStore.offered(programs: ["gpg", "pass"]) == [.pass, .gpg, .file])
  }

  @Test func `an old password is not written over`() {
    #expect(
      plan(.pass, taken: ["mail/alice@example.org"]).credential
        == .command(["pass", "show", "mail/alice@example.org-2"]))
    let files: Set<String> = ["/c/passwords/work", "/c/passwords/work-2"]
    #expect(plan(.file, taken: files).file == "/c/passwords/work-3")
    #expect(plan(.gpg).storing?.contains("--yes") == false)
    #expect(plan(.pass).storing?.contains("--force") == false)
  }

  @Test func `a file is private and read back`() async throws {
    let directory = NSTemporaryDirectory() + "mirror-secret-\(UInt64.random(in: 0...UInt64.max))"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let keeper = SecretKeeper(directory: directory, environment: ["PATH": "/usr/bin:/bin"])
    let secret = Secret(" p\"w\\ü ")
    let credential = try await keeper.keep(secret, in: .file, account: "work", user: "u")
    #expect(credential == .file(directory + "/passwords/work"))
    let attributes = try FileManager.default.attributesOfItem(
      atPath: directory + "/passwords/work")
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    #expect(try await keeper.read(credential) == secret)
    let second = try await keeper.keep(Secret("x"), in: .file, account: "work", user: "u")
    #expect(second == .file(directory + "/passwords/work-2"))
    #expect(try await keeper.read(credential) == secret)
  }

  @Test func `a command of one's own has to print that password`() async throws {
    let keeper = SecretKeeper(directory: "/nowhere", environment: ["PATH": "/usr/bin:/bin"])
    try await keeper.verify(.shell("echo pw"), gives: Secret("pw"))
    await #expect(throws: SecretKeeper.Failure.self) {
      try await keeper.verify(.shell("echo other"), gives: Secret("pw"))
    }
    await #expect(throws: SecretKeeper.Failure.self) {
      try await keeper.verify(.shell("exit 3"), gives: Secret("pw"))
    }
    await #expect(throws: SecretKeeper.Failure.self) {
      try await keeper.keep(
        Secret("pw"), in: .secretTool, account: "a", user: "u")  // not on this machine's PATH
    }
  }

  @Test func `a program that ends without reading is quoted`() async throws {
    let keeper = SecretKeeper(directory: "/nowhere", environment: ["PATH": "/usr/bin:/bin"])
    let script = "exec 0<&-; echo 'You must run: pass init your-gpg-id' >&2; exit 1"
    for _ in 0..<20 {
      await #expect(
        throws: SecretKeeper.Failure(
          words: "/bin/sh failed: You must run: pass init your-gpg-id")
      ) {
        try await keeper.run(["/bin/sh", "-c", script], input: Array("pw\n".utf8))
      }
    }
  }

  @Test func `a program that waits for somebody is stopped, and told`() async throws {
    let keeper = SecretKeeper(
      directory: "/nowhere", environment: ["PATH": "/usr/bin:/bin"], timeLimit: .milliseconds(300))
    let clock = ContinuousClock()
    let start = clock.now
    let background = NSTemporaryDirectory() + "mirror-sleep-\(UInt64.random(in: 0...UInt64.max))"
    defer {
      // Nobody else would end it.
      let text = try? String(contentsOfFile: background, encoding: .utf8)
      if let id = text.flatMap({ pid_t($0.dropLast()) }) { kill(id, SIGKILL) }
      unlink(background)
    }
    for script in ["exec sleep 600", "sleep 600 & echo $! >\(background); exec sleep 600"] {
      do throws(SecretKeeper.Failure) {
        try await keeper.run(["/bin/sh", "-c", script], input: Array("pw\n".utf8))
        Issue.record("it ended")
      } catch {
        #expect(error.words.contains("did not end within"), "\(error.words)")
      }
    }
    #expect(clock.now - start < .seconds(550))
  }
}

extension SecretKeeper {
  /// - Returns: what the configuration has to say.
  func keep(_ secret: Secret, in store: SecretStore, account: String, user: String)
    async throws(Failure) -> AccountDraft.Credential
  {
    let plan = plan(store, account: account, user: user)
    try await keep(secret, in: store, by: plan)
    return plan.credential
  }
}
