import MailCore

/// Why an authentication exchange cannot go on. Never holds a part of the credential.
package enum SASLError: Error, Equatable, Sendable {
  case noCommonMechanism(offered: [String], wanted: [String])
  /// The credential cannot be carried by this mechanism.
  case unusableCredential(SASLMechanism, reason: String)
  /// What the server sent is not what the mechanism allows at this point.
  case malformedChallenge(SASLMechanism, reason: String)
  /// The server's nonce does not begin with ours: a replayed or mixed-up exchange.
  case foreignNonce(SASLMechanism)
  case iterationCount(SASLMechanism, Int)
  /// The server does not know our password: someone else answers in its place.
  case wrongServerSignature(SASLMechanism)
  /// Success was announced before the server had proved itself.
  case serverNotVerified(SASLMechanism)
  /// The mechanism's own refusal, already visible and bounded.
  case refused(SASLMechanism, reason: String)
  /// The digest library failed.
  case cryptography(reason: String)
}

extension SASLError: Explained {
  package var explanation: Explanation {
    switch self {
    case .noCommonMechanism(let offered, let wanted):
      let names = offered.isEmpty ? "none" : offered.map(\.visible).joined(separator: ", ")
      return Explanation(
        problem: "The server offers no log-in method that fits (offered: \(names); "
          + "usable: \(wanted.joined(separator: ", "))).",
        remedy:
          "Set `auth` to a method the server offers, or give the kind of credential it wants.",
        exitStatus: .refused)
    case .unusableCredential(let mechanism, let reason):
      return Explanation(
        problem: "The user name or password cannot be used with \(mechanism.rawValue): \(reason).",
        remedy: "Check `user` and what `password-command` prints.", exitStatus: .configuration)
    case .malformedChallenge(let mechanism, let reason):
      return broken("The server's \(mechanism.rawValue) log-in is malformed: \(reason).")
    case .foreignNonce(let mechanism):
      return broken("The server answered the \(mechanism.rawValue) log-in with a nonce not ours.")
    case .iterationCount(let mechanism, let count):
      return broken(
        "The server's \(mechanism.rawValue) log-in asks for \(count) rounds, which is out of bounds."
      )
    case .wrongServerSignature(let mechanism):
      return impostor("The server's \(mechanism.rawValue) signature is wrong")
    case .serverNotVerified(let mechanism):
      return impostor("The server accepted the \(mechanism.rawValue) log-in without its signature")
    case .refused(let mechanism, let reason):
      return Explanation(
        problem: "The server refused the \(mechanism.rawValue) log-in: \(reason).",
        remedy: "Check user name and password.", exitStatus: .refused)
    case .cryptography(let reason):
      return Explanation(
        problem: "The cryptography library failed: \(reason).",
        remedy: "Check the system's OpenSSL configuration.", exitStatus: .configuration)
    }
  }

  private func broken(_ problem: String) -> Explanation {
    Explanation(
      problem: problem, remedy: "Set `auth` to another method.", exitStatus: .refused)
  }

  private func impostor(_ problem: String) -> Explanation {
    Explanation(
      problem: problem + ": it does not know your password, and may not be your server.",
      remedy:
        "Check `host` and `ca-file`; until it is clear, send the password by no other method.",
      exitStatus: .refused)
  }
}
