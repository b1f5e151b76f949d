import Foundation
import MailCore
import Testing

@testable import Setup

/// Passwords on their way into other programs: into their standard input, and nowhere else.
@Suite struct SecretProgramTests {
  /// Programs of the test's own in the place of the real ones. Each writes down its command line, its environment and
  /// its standard input, and gives back what it was given.
  private final class Programs {
    let directory: String
    private static let scripts = [
      "pass": """
      case $1 in
        insert) take >"$dir/kept" ;;
        show) cat "$dir/kept" ;;
      esac
      """,
      "secret-tool": """
      case $1 in
        store) take >"$dir/kept" ;;
        lookup) cat "$dir/kept" ;;
      esac
      """,
      "security": """
      case $1 in
        -i) take | sed 's/.* -w "\\(.*\\)"$/\\1/; s/\\\\\\(.\\)/\\1/g' >"$dir/kept" ;;
        find-generic-password) cat "$dir/kept" ;;
      esac
      """,
      "gpg": """
      for file; do :; done
      case $* in
        *--encrypt*) take | base64 >"$file" ;;
        *--decrypt*) base64 -d "$file" ;;
      esac
      """,
      "systemd-creds": """
      for word; do before=$file file=$word; done
      case $1 in
        encrypt) take | base64 >"$file" ;;
        decrypt) base64 -d "$before" ;;
      esac
      """,
    ]

    init() throws {
      directory = NSTemporaryDirectory() + "mirror-keep-\(UInt64.random(in: 0...UInt64.max))"
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true)
      for (name, script) in Self.scripts { try write(name, script) }
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    func write(_ name: String, _ script: String) throws {
      let head = """
        #!/bin/sh
        dir=$(dirname "$0") file= before=
        { echo "$0 $*"; env; } >>"$dir/seen"
        take() { tee "$dir/stdin"; }

        """
      let path = "\(directory)/\(name)"
      try (head + script + "\n").write(toFile: path, atomically: false, encoding: .utf8)
      chmod(path, 0o755)
    }

    var keeper: SecretKeeper {
      SecretKeeper(
        directory: directory + "/config", environment: ["PATH": directory + ":/usr/bin:/bin"])
    }

    func read(_ name: String) -> String {
      (try? String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)) ?? ""
    }
  }

  @Test(arguments: SecretStore.allCases.filter { $0.program != nil })
  func `the password is in the standard input alone, and comes back as it was`(
    store: SecretStore
  ) async throws {
    let programs = try Programs()
    let keeper = programs.keeper
    let secret = Secret(" p\"w\\ü $HOME '#")
    let credential = try await keeper.keep(secret, in: store, account: "work", user: "a@b.org")
    #expect(try await keeper.read(credential) == secret)
    let (seen, input) = (programs.read("seen"), programs.read("stdin"))
    let program = try #require(store.program)
    #expect(seen.contains("/\(program) "), "\(seen)")
    #expect(!seen.contains("p\"w") && !seen.contains("p\\\"w"), "\(seen)")
    let text = " p\"w\\ü $HOME '#"
    #expect(input.contains(store == .keychain ? SecretStore.quoted(text) : text), "\(input)")
    if let file = keeper.plan(store, account: "other", user: "u").file {
      let path = file.replacing("other", with: "work")
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }
  }

  @Test func `what does not give the password back leaves no file behind`() async throws {
    let programs = try Programs()
    try programs.write(
      "gpg",
      """
      for file; do :; done
      case $* in
        *--encrypt*) take >"$file" ;;
        *--decrypt*) echo another ;;
      esac
      """)
    let keeper = programs.keeper
    let plan = keeper.plan(.gpg, account: "work", user: "u")
    let file = try #require(plan.file)
    await #expect(throws: SecretKeeper.Failure.self) {
      try await keeper.keep(Secret("pw"), in: .gpg, by: plan)
    }
    #expect(programs.read("stdin") == "pw\n")
    #expect(!FileManager.default.fileExists(atPath: file))
    // Somebody else's file is not touched.
    try "mine".write(toFile: file, atomically: false, encoding: .utf8)
    await #expect(throws: SecretKeeper.Failure.self) {
      try await keeper.keep(Secret("pw"), in: .gpg, by: plan)
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
  }

  private static let hasGPG = FileManager.default.isExecutableFile(atPath: "/usr/bin/gpg")

  @Test(.enabled(if: hasGPG)) func `the real gpg encrypts it, and gives it back`() async throws {
    // Short: gpg's agent listens at a socket in there.
    let home = "/tmp/mirror-gpg-\(UInt32.random(in: 0...UInt32.max))"
    defer { try? FileManager.default.removeItem(atPath: home) }
    try FileManager.default.createDirectory(
      atPath: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let environment = ["PATH": "/usr/bin:/bin", "GNUPGHOME": home, "HOME": home]
    let keeper = SecretKeeper(directory: home + "/config", environment: environment)
    let nobody = [UInt8]()
    // Without a key of one's own there is nobody to encrypt to.
    await #expect(throws: SecretKeeper.Failure.self) {
      try await keeper.keep(Secret("pw"), in: .gpg, account: "work", user: "u")
    }
    #expect(!FileManager.default.fileExists(atPath: home + "/config/passwords/work.gpg"))
    try await keeper.run(
      [
        "gpg", "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", "",
        "--quick-generate-key", "test@example.org", "future-default", "default", "never",
      ], input: nobody)
    let secret = Secret("p\"w ü")
    let credential = try await keeper.keep(secret, in: .gpg, account: "work", user: "u")
    #expect(try await keeper.read(credential) == secret)
    let file = home + "/config/passwords/work.gpg"
    let bytes = try #require(FileManager.default.contents(atPath: file))
    #expect(!bytes.isEmpty && bytes.range(of: Data("p\"w".utf8)) == nil)
    try await keeper.run(["gpgconf", "--kill", "all"], input: nobody)
  }
}
