import MailCore

/// Why the set-up ends, or would end where nobody can be asked.
enum SetupProblem: Error {
  case address(String, EmailAddress.Mistake)
  case accountName(String, fault: String)
  case storeMissing(SecretStore)
  /// Nothing on the command line answers a question.
  case missing(String)
  /// Only unprotected DNS names this server.
  case unvouched(ServerOffer, among: Findings)
  /// Nothing is to be found.
  case noServers(String)
  /// A client id was given, and nothing tells whose.
  case clientIDInVain(host: String)
  case noSuchSignIn(SignIn, ways: [SignIn])
  /// By the incoming server, in its words.
  case passwordRefused(ServerOffer?, words: String, hint: String?)
  case tokenRefused(ServerOffer?, words: String)
  case outgoingRefused(host: String, words: String)
  case passwordUnread(SecretFailure)
  case passwordNotKept(SecretFailure)
}

extension SetupProblem: Explained {
  var explanation: Explanation {
    switch self {
    case .address(let text, let mistake):
      Explanation(problem: "“\(text)” is no address. \(mistake.words)", exitStatus: .usage)
    case .accountName(let name, let fault):
      Explanation(problem: "“\(name)” cannot be an account. \(fault)", exitStatus: .usage)
    case .storeMissing(let store):
      Explanation(
        problem: "\(store.program ?? store.rawValue) is not installed.",
        remedy: "Install it, or choose another --password-store.", exitStatus: .usage)
    case .missing(let flag):
      Explanation(
        problem: "\(flag) is missing, and nobody can be asked.",
        remedy: "Give it on the command line, or leave --yes out.", exitStatus: .usage)
    case .noServers(let why):
      Explanation(
        problem: why, remedy: "With a server that you know of, give --imap-host.",
        exitStatus: .usage)
    case .unvouched(let server, let findings):
      Explanation(
        problem: "Nothing but unprotected DNS says that \(server.host) is right.",
        remedy: "If you know it is, name it: --imap-host \(findings.imap?.offer.host ?? "")"
          + (findings.smtp.map { " --smtp-host \($0.offer.host)" } ?? ""),
        exitStatus: .refused)
    case .clientIDInVain(let host):
      Explanation(
        problem: "--client-id is for OAuth2, and nothing is known of that at \(host).",
        remedy: "Name the provider: --oauth google, microsoft, yahoo or custom; or leave it out.",
        exitStatus: .usage)
    case .noSuchSignIn(let way, let ways):
      Explanation(
        problem: "This provider gives no access to mail by --sign-in \(way.rawValue).",
        remedy: "Take \(ways.map(\.rawValue).joined(separator: " or ")).", exitStatus: .usage)
    case .passwordRefused(let server, let words, let hint):
      Explanation(
        problem: Self.refusal(server, words),
        remedy: hint ?? "Check the user's name (--user) and the password.", exitStatus: .refused)
    case .tokenRefused(let server, let words):
      Explanation(
        problem: Self.refusal(server, words),
        remedy:
          "Check the user's name (--user), and that the provider allows IMAP and SMTP for it.",
        exitStatus: .refused)
    case .outgoingRefused(let host, let words):
      Explanation(problem: "\(host) refused the log-in: “\(words)”.", exitStatus: .refused)
    case .passwordUnread(let failure):
      Explanation(problem: failure.words, exitStatus: .refused)
    case .passwordNotKept(let failure):
      Explanation(problem: failure.words, exitStatus: .configuration)
    }
  }

  private static func refusal(_ server: ServerOffer?, _ words: String) -> String {
    let said = words.isEmpty ? "" : ": “\(words)”"
    return "\(server?.host ?? "The server") refused the log-in of \(server?.user ?? "")\(said)."
  }
}
