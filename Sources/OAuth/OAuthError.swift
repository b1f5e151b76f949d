import MailCore
import Settings

/// Why there is no token. No case carries one, nor a code or a client secret.
package enum OAuthError: Error, Equatable {
  /// The authorisation server does not answer, or not now.
  case unreachable(host: String, reason: String)
  /// What answers is no authorisation server, or a broken one.
  case malformedAnswer(host: String, reason: String)
  /// Nobody has signed in yet.
  case neverSignedIn(account: String)
  /// The provider refuses to renew the log-in, now or in a run before.
  case loginEnded(account: String)
  case clientRefused(OAuthRefusal)
  case refused(OAuthRefusal)
  case codeExpired
  case browserSilent(seconds: Int)
  case nothingPasted
  case cannotListen(url: String, reason: String)
  case noBrowserFlow(provider: String)
  case noDeviceFlow(provider: String)
  case cannotKeep(path: String, reason: String)
  /// Others than its owner may read the file with the tokens.
  case exposed(path: String)
  /// Another run has been renewing the token for longer than it may take.
  case busy(account: String)
  /// One of the person's own commands failed.
  case command(SettingsError)
  /// Forgotten here, while the provider has not heard of it: why, and what else failed on the way.
  case notTakenBack(account: String, Explanation, command: SettingsError?)
  case cryptography
  case interrupted
}

/// An error of RFC 6749 §5.2 or §4.1.2.1, or RFC 8628 §3.5, in the server's words: visible, bounded, free of what was sent.
package struct OAuthRefusal: Error, Sendable, Equatable {
  package var code: String
  package var words: String?

  /// - Parameter secrets: what was sent: a server that repeats it must not bring it into a log.
  package init(code: String, words: String? = nil, hiding secrets: [Secret] = []) {
    // Before anything is cut off: a part of a secret would not be known as one.
    self.code = String(Self.without(secrets, code).prefix(60)).visible
    // Some providers add lines for their own support.
    let line = words.flatMap { Self.without(secrets, $0).split(whereSeparator: \.isNewline).first }
    self.words = line.map { String($0.prefix(300)).visible }
  }

  private static func without(_ secrets: [Secret], _ text: String) -> String {
    var text = text
    for secret in secrets {
      let plain = secret.withBytes { String(decoding: $0, as: UTF8.self) }
      guard plain.utf8.count >= 8 else { continue }
      let escaped = secret.withBytes { String(decoding: FormText.encode($0), as: UTF8.self) }
      text = text.replacing(plain, with: "…").replacing(escaped, with: "…")
    }
    return text
  }

  /// `invalid_client: no such client`
  var text: String { words.map { "\(code): \($0)" } ?? code }
}

extension OAuthError: Explained {
  package var explanation: Explanation {
    switch self {
    case .unreachable(let host, let reason):
      Explanation(
        problem: "The log-in server \(host) cannot be reached: \(reason).",
        again: "Try again later.", exitStatus: .unreachable)
    case .malformedAnswer(let host, let reason):
      words(
        "\(host) does not answer as a log-in server does: \(reason).",
        "A network that wants a sign-in of its own may answer in its place; "
          + "else check the addresses.",
        .unreachable)
    case .neverSignedIn(let account):
      words(
        "Nobody has signed in to “\(account)” yet.", "Run `mirror auth login \(account)`.",
        .refused)
    case .loginEnded(let account):
      words(
        "The log-in to “\(account)” has ended.", "Run `mirror auth login \(account)`.", .refused)
    case .clientRefused(let refusal):
      words(
        "The provider refuses this program (\(refusal.text)).",
        "Check client-id and client-secret, and that the program is registered for mail.", .refused)
    case .refused(let refusal):
      words("The provider refuses the log-in (\(refusal.text)).", "Sign in again.", .refused)
    case .codeExpired:
      words("The code ran out before it was entered.", "Sign in again.", .refused)
    case .browserSilent(let seconds):
      words(
        "No answer came from the browser within \(seconds) s.",
        "Sign in again; where no browser can reach this machine, with --device.", .refused)
    case .nothingPasted:
      words(
        "That is neither the code nor the address of this log-in.",
        "Sign in again, and copy the whole of what the browser shows.", .refused)
    case .cannotListen(let url, let reason):
      words(
        "The browser’s answer cannot be received at \(url): \(reason).", "Check redirect-url.",
        .configuration)
    case .noBrowserFlow(let provider):
      words(
        "\(provider) has no address to sign in at with a browser.", "Sign in with --device.",
        .usage)
    case .noDeviceFlow(let provider):
      words(
        "\(provider) gives no access to mail by device code.", "Sign in without --device.", .usage)
    case .cannotKeep(let path, let reason):
      words(
        "\(path): tokens cannot be kept there: \(reason).", "Check owner, mode and space.",
        .configuration)
    case .exposed(let path):
      words(
        "\(path): others can read this file, and it holds a token.",
        "chmod 600 '\(path)', and sign in again if others use this machine.", .refused)
    case .busy(let account):
      Explanation(
        problem: "Another run is renewing the token of “\(account)”.", again: "Try again.",
        exitStatus: .busy)
    case .cryptography:
      words(
        "The cryptography library failed.", "Check the system’s OpenSSL configuration.",
        .configuration)
    case .command(let error): error.explanation
    case .notTakenBack(let account, let reason, let command):
      words(
        "“\(account)” is signed out here, but the provider does not know of it: \(reason.problem)"
          + (command.map { " " + $0.explanation.problem } ?? ""),
        "Take the access back on the provider’s own pages, among the programs that may use your "
          + "account. Signing out again cannot do it: the token is gone here.",
        reason.exitStatus)
    case .interrupted: words("Interrupted.", nil, .interrupted)
    }
  }

  /// As the settings' credentials tell it.
  var asSettingsError: SettingsError {
    if case .command(let error) = self { error } else { .noToken(explanation) }
  }

  private func words(_ problem: String, _ remedy: String?, _ status: ExitStatus) -> Explanation {
    Explanation(problem: problem, remedy: remedy, exitStatus: status)
  }
}
