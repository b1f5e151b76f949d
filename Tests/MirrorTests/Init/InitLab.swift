import Foundation
import MailTestKit
import Testing

/// One person's machine before the set-up: an empty home, no configuration, and a world that the test made.
final class InitLab: Sendable {
  let directory: TemporaryDirectory
  let servers: DomainServers
  let dovecot: DovecotServer
  let domain: String

  static let isPossible = Machine.hasDovecot && DomainServers.isPossible

  /// - Parameter make: fills the world; gets the domain and the Dovecot that is shared by all tests.
  init(_ make: (inout DomainServers.World, String, DovecotServer) -> Void = { _, _, _ in }) throws {
    directory = try TemporaryDirectory("init")
    dovecot = try DovecotServer.shared()
    domain = "d\(UInt32.random(in: 0...UInt32.max)).test"
    var world = DomainServers.World()
    world.names = [domain, "autoconfig.\(domain)", "db.\(domain)", "elsewhere.\(domain)"]
    world.smtpPassword = DovecotServer.password
    make(&world, domain, dovecot)
    servers = try DomainServers(world)
  }

  var home: String { directory.path }
  var configuration: String { home + "/.config/mirror/config.toml" }
  var configurationText: String {
    String(decoding: (try? readFile(configuration)) ?? [], as: UTF8.self)
  }

  /// With the program on the PATH, as it is once it is installed.
  var environment: [String: String] {
    let programs = MirrorProgram.binary.map { $0[..<($0.lastIndex(of: "/") ?? $0.startIndex)] }
    return [
      "HOME": home, "PATH": "\(programs ?? "/nowhere"):/usr/bin:/bin", "LC_ALL": "C.UTF-8",
      "TZ": "UTC",
      "MIRROR_DNS": servers.nameServer, "MIRROR_RETRY_SECONDS": "0.05,0.1,0.2",
      "SWIFT_BACKTRACE": "enable=no",
    ]
  }

  private func command(_ arguments: [String]) throws -> [String] {
    [try #require(MirrorProgram.binary)] + arguments
  }

  @discardableResult
  func run(_ arguments: [String]) throws -> Outcome {
    try MailTestKit.run(command(arguments), environment: environment, limit: 120)
  }

  /// `mirror init` with the test's authority, and no database of the real world.
  func set(_ arguments: String...) throws -> Outcome {
    try run(["init", "--ca-file", servers.authority, "--ispdb", "none"] + arguments)
  }

  /// The same in a terminal.
  func screen(_ arguments: String...) throws -> TerminalScreen {
    try TerminalScreen(
      command(["init", "--ca-file", servers.authority, "--ispdb", "none"] + arguments),
      environment: environment)
  }

  func passwordFile(_ password: String = DovecotServer.password) throws -> String {
    let path = home + "/secret"
    try writeFile(path, password + "\n", mode: 0o600)
    return path
  }

  func mode(_ path: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.posixPermissions] as? NSNumber)?.intValue
  }

  /// An autoconfig document that leads to the Dovecot and to the world's own outgoing server.
  static func document(_ dovecot: DovecotServer, smtp: UInt16) -> String {
    """
    <?xml version="1.0"?><clientConfig version="1.1"><emailProvider id="x">
    <displayName>The Test &amp; Co</displayName>
    <incomingServer type="imap"><hostname>localhost</hostname><port>\(dovecot.tlsPort)</port>
    <socketType>SSL</socketType><username>%EMAILADDRESS%</username>
    <authentication>password-cleartext</authentication></incomingServer>
    <outgoingServer type="smtp"><hostname>localhost</hostname><port>\(smtp)</port>
    <socketType>SSL</socketType><username>%EMAILADDRESS%</username>
    <authentication>password-cleartext</authentication></outgoingServer>
    </emailProvider></clientConfig>
    """
  }
}

/// What `--format json` prints.
struct InitDocument: Decodable {
  struct Server: Decodable {
    var host: String
    var port: Int
    var tls: String
    var user: String
    var source: String
  }
  var email: String?
  var account: String?
  var provider: String?
  var imap: Server?
  var smtp: Server?
  var checked: [String]
  var notes: [String]
  var written: Bool
  var backup: String?
  var would: String?

  init(_ outcome: Outcome) throws {
    self = try JSONDecoder().decode(InitDocument.self, from: Data(outcome.output))
  }
}
