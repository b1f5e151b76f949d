import Foundation
import MailCore
import Settings

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Puts passwords where a ``SecretStore`` keeps them, and reads them back: what cannot be read again is not kept.
package struct SecretKeeper: Sendable {
  let directory: String
  let environment: [String: String]
  /// For a program that keeps a password: it may ask a person for a passphrase, and there may be none.
  private let timeLimit: Duration

  package typealias Failure = SecretFailure

  /// - Parameter directory: of the configuration file.
  package init(
    directory: String, environment: [String: String], timeLimit: Duration = .seconds(60)
  ) {
    self.directory = directory
    self.environment = environment
    self.timeLimit = timeLimit
  }

  /// The programs of all stores that `PATH` has.
  package var programs: Set<String> {
    let directories = (environment["PATH"] ?? "").split(separator: ":")
    return Set(
      SecretStore.allCases.compactMap(\.program).filter { name in
        directories.contains { access("\($0)/\(name)", X_OK) == 0 }
      })
  }

  /// Where it fails, no file is left of the attempt.
  package func keep(_ secret: Secret, in store: SecretStore, by plan: SecretStore.Plan)
    async throws(Failure)
  {
    if let file = plan.file {
      try makeDirectory(of: file)
      guard access(file, F_OK) != 0 else { throw .alreadyThere(file) }
    }
    do throws(Failure) {
      try await put(secret, in: store, by: plan)
      try await verify(plan.credential, gives: secret)
    } catch {
      discard(plan)
      throw error
    }
  }

  /// Unlinks the file that a plan has made.
  package func discard(_ plan: SecretStore.Plan) {
    if let file = plan.file { unlink(file) }
  }

  private func put(_ secret: Secret, in store: SecretStore, by plan: SecretStore.Plan)
    async throws(Failure)
  {
    if let argv = plan.storing {
      var input = Array(plan.prefix.utf8)
      secret.withBytes { bytes in
        // What security reads is a command, so the password is quoted there.
        input +=
          store == .keychain
          ? Array(SecretStore.quoted(String(decoding: bytes, as: UTF8.self)).utf8) : bytes
      }
      input += Array(plan.suffix.utf8)
      try await run(argv, input: input)
      if let file = plan.file { chmod(file, 0o600) }
    } else if let file = plan.file {
      let bytes = secret.withBytes { $0 } + Array(plan.suffix.utf8)
      do throws(WritingError) {
        try ConfigurationFile.create(file, bytes)
      } catch {
        throw .cannotWrite(error)
      }
    }
  }

  /// Reads the password back, and compares.
  package func verify(_ credential: AccountDraft.Credential, gives secret: Secret)
    async throws(Failure)
  {
    guard try await read(credential) == secret else {
      throw .comesBackChanged
    }
  }

  /// The password that a configuration with this would use.
  package func read(_ credential: AccountDraft.Credential) async throws(Failure) -> Secret {
    let source: SecretSource =
      switch credential {
      case .command(let argv): .command(argv)
      case .shell(let text): .command(["/bin/sh", "-c", text])
      case .file(let path): .file(Self.expanded(path, environment))
      case .oauth: .none
      }
    let server = ServerSettings(host: "localhost", port: 1, user: "", secret: source)
    // A pinentry may wait for a person.
    let credentials = Credentials(
      for: server, timeLimit: .seconds(120), environment: environment)
    let result = await onOwnThread { () -> Result<Secret, Failure> in
      do throws(SettingsError) {
        return .success(try credentials.secret())
      } catch {
        return .failure(.cannotRead(error))
      }
    }
    return try result.get()
  }

  private static func expanded(_ path: String, _ environment: [String: String]) -> String {
    guard path.hasPrefix("~/"), let home = environment["HOME"] else { return path }
    return home + path.dropFirst()
  }

  private func isFree(_ name: String, _ store: SecretStore) -> Bool {
    guard store == .pass else { return access(name, F_OK) != 0 }
    let root =
      environment["PASSWORD_STORE_DIR"] ?? (environment["HOME"] ?? "") + "/.password-store"
    return access("\(root)/\(name).gpg", F_OK) != 0
  }

  private func makeDirectory(of file: String) throws(Failure) {
    let directory = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      throw .noDirectory(directory, error)
    }
  }

  func run(_ argv: [String], input: [UInt8]) async throws(Failure) {
    let program = StoringProgram(argv: argv, environment: environment, timeLimit: timeLimit)
    try await program.run(input: input)
  }
}

extension SecretKeeper {
  /// What ``keep(_:in:account:user:)`` would do.
  package func plan(_ store: SecretStore, account: String, user: String) -> SecretStore.Plan {
    store.plan(
      account: account, user: user, directory: directory, isRoot: geteuid() == 0,
      isFree: { isFree($0, store) })
  }
}
