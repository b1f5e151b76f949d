import MailCore
import Settings

/// How the log-ins went.
package struct CheckResult: Sendable, Equatable {
  package var imap: LoginOutcome
  package var folders: [FolderInfo] = []
  /// The mechanism by which the server accepted the access token; nil for passwords.
  package var auth: AuthenticationChoice?
  /// Nil where there is no outgoing server, or where the incoming one failed first.
  package var smtp: LoginOutcome?
}

/// How a log-in went.
package enum LoginOutcome: Sendable, Equatable {
  case fine
  /// The server refused name or password; its words.
  case refused(String)
  /// It did not come to that.
  case failed(Explanation)

  static func failed(_ error: any Error) -> LoginOutcome {
    .failed(
      (error as? any Explained)?.explanation
        ?? Explanation(problem: "It failed: \(type(of: error)).", exitStatus: .unreachable))
  }
}
