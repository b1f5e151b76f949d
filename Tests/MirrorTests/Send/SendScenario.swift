import Foundation
import MailTestKit

/// A user with a queue, and a Postfix that delivers into a Dovecot.
struct SendScenario {
  let postfix: PostfixServer
  let mirror: MirrorProgram
  let user: String

  private static let shared = Result { try PostfixServer() }
  static let isPossible = MirrorProgram.binary != nil && PostfixServer.isInstalled

  enum Encryption { case plain, startTLS, implicit }

  init(_ encryption: Encryption = .plain, user: String? = nil, smtp: String = "") throws {
    postfix = try Self.shared.get()
    self.user = user ?? "u\(UInt32.random(in: 0...UInt32.max))"
    let authority = postfix.dovecot.authority
    let server =
      switch encryption {
      case .plain: "host = \"127.0.0.1\"\nport = \(postfix.port)\ntls = \"none\""
      case .startTLS:
        "host = \"localhost\"\nport = \(postfix.port)\ntls = \"starttls\"\nca-file = \"\(authority)\""
      case .implicit:
        "host = \"localhost\"\nport = \(postfix.tlsPort)\ntls = \"implicit\"\nca-file = \"\(authority)\""
      }
    var settings = AccountSettings(postfix.dovecot, user: self.user)
    settings.imap = "\n[accounts.personal.smtp]\n\(server)\n\(smtp)\n"
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
