import Foundation
import MailTestKit
import Testing

/// An account whose server takes access tokens alone, the server that gives them, and the program.
final class TokenScenario {
  let tokens: TokenServer
  let dovecot: DovecotServer
  let client: IMAPTestClient
  let proxy: TCPProxy
  let mirror: MirrorProgram
  let user: String
  private let directory: TemporaryDirectory

  enum Way { case plain, overTLS }

  init(
    _ mechanism: String = "xoauth2", _ way: Way = .plain, connections: Int = 4,
    smtp: String = "", oauth: String = ""
  ) throws {
    user = DovecotServer.newUser("token")
    var behaviour = TokenServer.Behaviour()
    behaviour.user = user
    tokens = try TokenServer(behaviour)
    directory = try TemporaryDirectory("oauth")
    dovecot = try DovecotServer(.tokens(of: tokens, in: directory.path))
    client = try dovecot.client(user)
    proxy = try TCPProxy(to: way == .plain ? dovecot.port : dovecot.tlsPort)
    mirror = try MirrorProgram(AccountSettings(dovecot, user: user))
    let server =
      way == .plain
      ? "host = \"127.0.0.1\"\ntls = \"none\""
      : "host = \"localhost\"\nca-file = \"\(dovecot.authority)\""
    try writeFile(
      mirror.configuration,
      """
      root = "\(mirror.root)"

      [accounts.personal]
      email = "\(user)@example.org"

      [accounts.personal.imap]
      \(server)
      port = \(proxy.port)
      user = "\(user)"
      auth = "\(mechanism)"
      connections = \(connections)

      \(smtp)

      [accounts.personal.oauth]
      provider = "custom"
      client-id = "mirror-test"
      client-secret = "client-secret-0123456789"
      authorization-url = "\(tokens.url("/authorize"))"
      token-url = "\(tokens.url("/token"))"
      device-url = "\(tokens.url("/device"))"
      revocation-url = "\(tokens.url("/revoke"))"
      scopes = ["mail"]
      \(oauth)

      [accounts.other.imap]
      host = "127.0.0.1"
      tls = "none"
      password = "pw"
      user = "other"

      """)
  }

  /// Signs in as a person at a terminal does, and does the browser's part.
  @discardableResult
  func signIn(location: SourceLocation = #_sourceLocation) throws -> Outcome {
    let child = try mirror.start("auth", "login", "personal", "--no-browser")
    let url = try address(shownBy: child)
    #expect(try TokenServer.browse(url).status == 200, sourceLocation: location)
    let outcome = try child.wait(limit: 60)
    #expect(outcome.ending == .exited(0), "\(outcome.summary)", sourceLocation: location)
    return outcome
  }

  /// The address that the program prints for the person to open.
  func address(shownBy child: Child) throws -> String {
    let end = monotonicSeconds() + 60
    while monotonicSeconds() < end {
      let lines = child.errorsSoFar.split(separator: "\n")
      if let line = lines.first(where: { $0.hasPrefix("  http") }),
        child.errorsSoFar.contains("Waiting")
      {
        return line.trimmingCharacters(in: .whitespaces)
      }
      pause(0.02)
    }
    throw KitError("no address in \(child.errorsSoFar)")
  }

  /// The account that signs in, alone: nobody serves the other.
  func pull(_ arguments: String...) throws -> Outcome {
    try mirror.run(["pull", "--no-index", "personal"] + arguments)
  }

  func fill(_ count: Int) throws {
    var generator = MailGenerator(seed: 7, profile: .list, count: count)
    try client.append(generator.messages(count), to: "INBOX")
  }

  func expectMirrored(location: SourceLocation = #_sourceLocation) throws {
    let oracle = MaildirOracle()
    let problems = try oracle.differences(mirror.tree(), client.state())
    #expect(problems == [], sourceLocation: location)
  }

  func authState(_ arguments: String...) throws -> [[String: Any]] {
    let outcome = try mirror.run(["auth", "status", "--format", "json"] + arguments)
    let json = try JSONSerialization.jsonObject(with: Data(outcome.output))
    return json as? [[String: Any]] ?? []
  }

  /// Expects that nothing secret stands in what a run said.
  func expectDiscreet(_ outcome: Outcome, location: SourceLocation = #_sourceLocation) {
    let said = outcome.outputText + outcome.errorText
    for secret in tokens.secrets + ["client-secret-0123456789", "code-"] {
      #expect(!said.contains(secret), sourceLocation: location)
      let base64 = Data(secret.utf8).base64EncodedString().prefix(12)
      #expect(!said.contains(base64), sourceLocation: location)
    }
  }

  /// How often somebody tried to log in to the mail server.
  var logIns: Int { proxy.commands.count { $0.contains(" AUTHENTICATE ") } }
}
