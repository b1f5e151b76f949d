import Foundation
import MailTestKit
import Testing

/// A user with a queue, and a mail server that delivers into a Dovecot.
struct SendScenario {
  let server: any MailTransferServer
  let mirror: MirrorProgram
  let user: String

  /// Implementations of SMTP that have nothing in common.
  enum Software: CaseIterable {
    case postfix, exim

    fileprivate static let postfixes = Result { try PostfixServer() }
    fileprivate static let exims = Result { try EximServer() }

    /// The one of this test process.
    fileprivate func server() throws -> any MailTransferServer {
      switch self {
      case .postfix: try Self.postfixes.get()
      case .exim: try Self.exims.get()
      }
    }
  }

  static let isPossible = MirrorProgram.binary != nil && PostfixServer.isInstalled
  /// What this machine has; ``SendRequirementTests`` sees to it that CI has all.
  static let installed = Software.allCases.filter {
    switch $0 {
    case .postfix: PostfixServer.isInstalled
    case .exim: EximServer.isInstalled
    }
  }

  enum Encryption: CaseIterable { case plain, startTLS, implicit }

  /// - Parameters:
  ///   - server: another than the shared one.
  ///   - smtp: more lines of the account's settings.
  init(
    _ encryption: Encryption = .plain, on software: Software = .postfix,
    server own: (any MailTransferServer)? = nil, user: String? = nil, smtp: String = ""
  ) throws {
    let server = try own ?? software.server()
    self.server = server
    self.user = user ?? "u\(UInt32.random(in: 0...UInt32.max))"
    let authority = server.dovecot.authority
    let lines =
      switch encryption {
      case .plain: "host = \"127.0.0.1\"\nport = \(server.port)\ntls = \"none\""
      case .startTLS:
        "host = \"localhost\"\nport = \(server.port)\ntls = \"starttls\"\nca-file = \"\(authority)\""
      case .implicit:
        "host = \"localhost\"\nport = \(server.tlsPort)\ntls = \"implicit\"\nca-file = \"\(authority)\""
      }
    var settings = AccountSettings(server.dovecot, user: self.user)
    settings.imap = "\n[accounts.personal.smtp]\n\(lines)\n\(smtp)\n"
    mirror = try MirrorProgram(settings)
  }

  @discardableResult
  func sendmail(_ message: String, _ arguments: String...) throws -> Outcome {
    let file = mirror.home + "/message-\(UInt32.random(in: 0...UInt32.max))"
    try Data(message.utf8).write(to: URL(fileURLWithPath: file))
    return try run(
      ["sh", "-c", "exec \"$@\" < \"$0\"", file] + mirror.command(["sendmail"] + arguments),
      environment: mirror.environment)
  }

  @discardableResult
  func push() throws -> Outcome { try mirror.run(["push"]) }

  func outbox(_ arguments: String...) throws -> [[String: Any]] {
    let outcome = try mirror.run(["outbox", "--format", "json"] + arguments)
    let json = try JSONSerialization.jsonObject(with: Data(outcome.output))
    return json as? [[String: Any]] ?? []
  }

  static func newUser() -> String { "r\(UInt32.random(in: 0...UInt32.max))" }
}

@Suite struct SendRequirementTests {
  @Test(.enabled(if: ProcessInfo.processInfo.environment["MIRROR_TEST_REQUIRE"] != nil))
  func `both mail servers are there`() {
    #expect(SendScenario.isPossible)
    #expect(SendScenario.installed.count == SendScenario.Software.allCases.count)
  }
}
