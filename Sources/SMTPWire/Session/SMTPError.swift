import MailCore

/// What ends a session before or between messages. What becomes of a message is its
/// ``SubmissionOutcome``, never one of these.
package enum SMTPError: Error, Equatable, Sendable {
  case connectionLost
  /// The server does not want to talk, now or ever.
  case turnedAway(Reply)
  /// Name or password are wrong, or the account may not log in. Not to be retried.
  case loginRefused(Reply, said: String?)
  /// Log-in failed for a reason that may pass.
  case loginUnavailable(Reply)
  case noMechanism(offered: [String])
  /// The password would have gone over an unencrypted connection.
  case plaintextRefused
  case startTLSUnavailable
  /// Bytes came ahead of the TLS handshake: someone may be between us and the server.
  case startTLSInjected
  case refused(command: String, Reply)
  case protocolViolation(String)
  /// The session was used after it had ended.
  case sessionOver
}

extension SMTPError: Explained {
  package var explanation: Explanation {
    switch self {
    case .connectionLost:
      Explanation(
        problem: "The mail server closed the connection.",
        again: "Run `mirror push` again later; what is queued stays queued.",
        exitStatus: .unreachable)
    case .turnedAway(let reply):
      Explanation(
        problem: "The mail server turned the connection away: “\(reply.words)”.",
        again: reply.isDeferral ? "Run `mirror push` again later." : nil,
        remedy: reply.isDeferral ? nil : "Check `host` and `port`, or ask the provider.",
        exitStatus: .unreachable)
    case .loginRefused(let reply, let said):
      Explanation(
        problem: "The server for sending refused the log-in: “\(reply.words)”"
          + (said.map { " (\($0.visible))" } ?? "") + ".",
        remedy: "Check user and password; some providers want an app password or OAuth2.",
        exitStatus: .refused)
    case .loginUnavailable(let reply):
      Explanation(
        problem: "The server for sending can’t take log-ins at the moment: “\(reply.words)”.",
        again: "Run `mirror push` again later.", exitStatus: .unreachable)
    case .noMechanism(let offered):
      Explanation(
        problem:
          "The mail server offers no way to log in that the configuration allows (it offers: "
          + (offered.isEmpty ? "none" : offered.joined(separator: ", ").visible) + ").",
        remedy: "Set `auth` to one that it offers.", exitStatus: .refused)
    case .plaintextRefused:
      Explanation(
        problem: "The connection is not encrypted, so no password was sent.",
        remedy: "Set `tls` to \"implicit\" or \"starttls\"; \"none\" works on this machine only.",
        exitStatus: .configuration)
    case .startTLSUnavailable:
      Explanation(
        problem: "The mail server does not offer STARTTLS, so no password was sent.",
        remedy: "Try `tls = \"implicit\"` with port 465.", exitStatus: .unreachable)
    case .startTLSInjected:
      Explanation(
        problem:
          "Bytes came ahead of the TLS handshake; someone may be tampering with the connection.",
        remedy: "Try `tls = \"implicit\"` with port 465, or another network.",
        exitStatus: .unreachable)
    case .refused(let command, let reply):
      Explanation(
        problem: "The mail server refused \(command.visible): “\(reply.words)”.",
        exitStatus: .inPart)
    case .protocolViolation(let what):
      Explanation(
        problem: "The mail server’s replies can’t be followed: \(what.visible).",
        remedy: "`mirror push -vv` shows what it sent.", exitStatus: .unreachable)
    case .sessionOver:
      Explanation(problem: "The connection is no longer usable.", exitStatus: .unreachable)
    }
  }
}
