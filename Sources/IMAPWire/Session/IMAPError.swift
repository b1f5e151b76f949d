import MailCore

/// What ends a session, or a command that was needed.
package enum IMAPError: Error, Equatable, Sendable {
  /// The server closed the connection without a word.
  case connectionLost
  /// The server said BYE, with these words.
  case bye(String)
  /// Name or password are wrong, or the account may not log in. Not to be retried.
  /// `hasCode`: a response code says so (RFC 5530), and not words or a bare NO alone.
  case loginRefused(String, hasCode: Bool = false)
  /// Log-in failed for a reason that may pass.
  case loginUnavailable(String)
  /// No way to log in that both sides take.
  case noMechanism(offered: [String])
  /// The password would have gone over an unencrypted connection.
  case plaintextRefused
  case startTLSUnavailable
  /// Bytes came ahead of the TLS handshake: someone may be between us and the server.
  case startTLSInjected
  case preauthenticatedBeforeTLS
  case noSuchMailbox(String)
  /// A command that had to work was answered with NO or BAD.
  case refused(command: String, TaggedResult)
  case throttled(seconds: Int?, String)
  case protocolViolation(String)
  /// The session was used after it had failed.
  case sessionOver

  /// The error that a refusal of `command` makes.
  package init(refusing command: String, _ result: TaggedResult) {
    if let throttle = result.throttle {
      self = .throttled(seconds: throttle.seconds, result.text)
    } else if result.saysNoSuchMailbox {
      self = .noSuchMailbox(result.text)
    } else {
      self = .refused(command: command, result)
    }
  }
}

extension IMAPError: Explained {
  package var explanation: Explanation {
    switch self {
    case .connectionLost:
      Explanation(
        problem: "The server closed the connection.",
        again: "Run the command again; what was done is kept.", exitStatus: .unreachable)
    case .bye(let text):
      Explanation(
        problem: "The server ended the session\(Self.quote(text)).",
        again: "Run the command again later.", exitStatus: .unreachable)
    case .loginRefused(let text, _):
      Explanation(
        problem: "The server refused the log-in\(Self.quote(text)).",
        remedy: "Check user and password; some providers want an app password or OAuth2.",
        exitStatus: .refused)
    case .loginUnavailable(let text):
      Explanation(
        problem: "The server can’t take log-ins at the moment\(Self.quote(text)).",
        again: "Try again later.", exitStatus: .unreachable)
    case .noMechanism(let offered):
      Explanation(
        problem: "The server offers no way to log in that the configuration allows (it offers: "
          + (offered.isEmpty ? "none" : offered.joined(separator: ", ").visible) + ").",
        remedy: "Set `auth` to one that it offers.", exitStatus: .refused)
    case .plaintextRefused:
      Explanation(
        problem: "The connection is not encrypted, so no password was sent.",
        remedy: "Set `tls` to \"implicit\" or \"starttls\"; \"none\" works on this machine only.",
        exitStatus: .configuration)
    case .startTLSUnavailable:
      Explanation(
        problem: "The server does not offer STARTTLS, so no password was sent.",
        remedy: "Try `tls = \"implicit\"` with port 993.", exitStatus: .unreachable)
    case .startTLSInjected:
      Explanation(
        problem:
          "Bytes came ahead of the TLS handshake; someone may be tampering with the connection.",
        remedy: "Try `tls = \"implicit\"` with port 993, or another network.",
        exitStatus: .unreachable)
    case .preauthenticatedBeforeTLS:
      Explanation(
        problem: "The server opened the session before it was encrypted; it was not used.",
        remedy: "Try `tls = \"implicit\"` with port 993.", exitStatus: .unreachable)
    case .noSuchMailbox(let text):
      Explanation(
        problem: "The server knows no such mailbox\(Self.quote(text)).", exitStatus: .inPart)
    case .refused(let command, let result):
      Explanation(
        problem:
          "The server refused \(command) with \(result.status.rawValue)\(Self.quote(result.text)).",
        exitStatus: .inPart)
    case .throttled(let seconds, let text):
      Explanation(
        problem: "The server asks for fewer requests\(Self.quote(text)).",
        again: seconds.map { "Try again in \($0) seconds." } ?? "Try again later.",
        exitStatus: .inPart)
    case .protocolViolation(let what):
      Explanation(
        problem: "The server’s answers can’t be followed: \(what.visible).",
        remedy: "`mirror pull -vv` shows what it sent.", exitStatus: .unreachable)
    case .sessionOver:
      Explanation(problem: "The connection is no longer usable.", exitStatus: .unreachable)
    }
  }

  /// The server's words in quotation marks, visible and at most 300 characters.
  private static func quote(_ text: String) -> String {
    text.isEmpty ? "" : ": “\(String(text.prefix(300)).visible)”"
  }
}
