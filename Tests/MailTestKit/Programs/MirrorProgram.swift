import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One `[accounts.NAME]` of a test's configuration.
package struct AccountSettings: Sendable {
  package var name = "personal"
  package var host = "127.0.0.1"
  package var port: UInt16
  /// implicit, starttls or none
  package var tls = "none"
  package var authority: String?
  package var user: String
  package var password = "pw"
  /// Instead of the password.
  package var passwordCommand: String?
  package var connections = 4
  /// More keys of `[accounts.NAME.imap]`, as TOML lines.
  package var imap = ""
  /// Keys of `[accounts.NAME.sync]`, as TOML lines.
  package var sync = ""
  /// Keys of `[accounts.NAME.watch]`, as TOML lines.
  package var watch = ""

  package init(port: UInt16, user: String) {
    self.port = port
    self.user = user
  }

  /// Plain on loopback, so that the wire can be read.
  package init(_ server: DovecotServer, user: String) {
    self.init(port: server.port, user: user)
  }

  package init(overTLS server: DovecotServer, user: String) {
    self.init(port: server.tlsPort, user: user)
    host = "localhost"
    tls = "implicit"
    authority = server.authority
  }

  package var toml: String {
    """
    [accounts.\(name)]
    email = "\(user)@example.org"

    [accounts.\(name).imap]
    host = "\(host)"
    port = \(port)
    tls = "\(tls)"
    \(authority.map { "ca-file = \"\($0)\"" } ?? "")
    user = "\(user)"
    \(passwordCommand.map { "password-command = \"\($0)\"" } ?? "password = \"\(password)\"")
    connections = \(connections)
    \(imap)

    [accounts.\(name).sync]
    \(sync)

    [accounts.\(name).watch]
    \(watch)

    """
  }
}

/// The built `mirror` with a configuration, a tree and a home of its own.
package final class MirrorProgram: Sendable {
  private let directory: TemporaryDirectory
  /// The root of the tree.
  package let root: String
  private let settings: Locked<[AccountSettings]>

  /// Beside the running tests, or `MIRROR_BIN`; nil where nobody has built it.
  package static let binary: String? = {
    if let named = ProcessInfo.processInfo.environment["MIRROR_BIN"] { return named }
    var places: [String] = []
    if let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
      places.append(own)
    }
    places += CommandLine.arguments
    for place in places {
      var path = place
      while let slash = path.lastIndex(of: "/"), slash != path.startIndex {
        path = String(path[..<slash])
        if access(path + "/mirror", X_OK) == 0, !isDirectory(path + "/mirror") {
          return path + "/mirror"
        }
      }
    }
    return nil
  }()

  /// - Parameter root: elsewhere than in the temporary directory.
  package init(_ accounts: AccountSettings..., root: String? = nil) throws {
    directory = try TemporaryDirectory("mirror")
    self.root = root ?? directory.path + "/Mail"
    settings = Locked(accounts)
    try writeConfiguration()
  }

  package var home: String { directory.path }
  package var configuration: String { directory.path + "/config.toml" }

  /// The directory of the first account.
  package var account: String { root + "/" + (settings.value.first?.name ?? "personal") }

  /// Changes the first account's settings and writes the configuration anew.
  package func configure(_ change: (inout AccountSettings) -> Void) throws {
    settings.change { change(&$0[0]) }
    try writeConfiguration()
  }

  private func writeConfiguration() throws {
    let text = "root = \"\(root)\"\n\n" + settings.value.map(\.toml).joined(separator: "\n")
    try writeFile(configuration, text)
  }

  /// The environment that the program runs in: short pauses between retries, no other configuration.
  package var environment: [String: String] {
    [
      "HOME": directory.path,
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "MIRROR_RETRY_SECONDS": "0.05,0.1,0.2", "MIRROR_CONFIG": configuration, "LC_ALL": "C.UTF-8",
      "TZ": "UTC", "SWIFT_BACKTRACE": "enable=no",
    ]
  }

  package func command(_ arguments: [String]) throws -> [String] {
    guard let binary = Self.binary else { throw KitError("mirror is not built; set MIRROR_BIN") }
    return [binary] + arguments
  }

  package func start(_ arguments: String...) throws -> Child {
    try Child(command(arguments), environment: environment)
  }

  /// Runs the program to its end. Output never goes to a terminal.
  @discardableResult
  package func run(_ arguments: [String], limit: Double = 300, more: [String: String] = [:]) throws
    -> Outcome
  {
    try Child(
      command(arguments), environment: environment.merging(more) { $1 }
    ).wait(limit: limit)
  }

  @discardableResult
  package func pull(_ arguments: String..., limit: Double = 300) throws -> Outcome {
    try run(["pull", "--no-index"] + arguments, limit: limit)
  }

  package func tree() throws -> MaildirTree { try MaildirTree(account) }

  /// Peak resident memory of a run in KiB, as a small parent sees it.
  ///
  /// A child's own figure begins with what its parent held at the fork, so `time` stands between.
  package func peakMemory(_ arguments: [String], limit: Double = 300) throws -> (
    Outcome, kibibytes: Int
  ) {
    let report = directory.path + "/peak"
    let outcome = try MailTestKit.run(
      ["time", "-f", "%M", "-o", report] + command(arguments), environment: environment,
      limit: limit)
    let text = String(decoding: try readFile(report), as: UTF8.self)
    let last = text.split(separator: "\n").last.flatMap { Int($0) }
    guard let last else { throw KitError("no figure in \(text)") }
    return (outcome, last)
  }
}
