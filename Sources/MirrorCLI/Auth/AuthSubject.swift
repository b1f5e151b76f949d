import Foundation
import MailCore
import OAuth
import Settings

/// The account that `mirror auth` was told to work on.
struct AuthSubject: Sendable {
  let account: AccountSettings
  let keeper: TokenKeeper

  /// - Throws: ``SelectionError`` for a name that no account has, ``AuthProblem`` for one without OAuth2.
  init(_ name: String, in session: MirrorSession) throws {
    let accounts = session.configuration.accounts
    guard let account = session.configuration.account(named: name) else {
      let names = accounts.map(\.name)
      throw SelectionError.unknownAccount(
        name, nearest: nearestWord(to: name, among: names), known: names)
    }
    guard account.oauth != nil else { throw AuthProblem.noTable(account: name) }
    guard let keeper = session.tokens(account) else { throw AuthProblem.noHome }
    self.account = account
    self.keeper = keeper
  }

  /// What the provider's form is filled in with.
  var user: String? {
    [account.imap.user, account.email ?? ""].first { $0.contains("@") }
  }

  /// Words for a log-in that nothing will use; nil where all is well.
  var unused: String? {
    let users = [account.imap] + (account.smtp.map { [$0] } ?? [])
    guard !users.contains(where: { $0.auth.takesToken && $0.secret == .none }) else { return nil }
    return "Nothing uses this log-in yet: write auth = \"xoauth2\" in "
      + "[accounts.\(account.name).imap], and no password there."
  }
}

/// Why `mirror auth` cannot work on an account.
enum AuthProblem: Error, Equatable {
  case noTable(account: String)
  case noHome
}

extension AuthProblem: Explained {
  var explanation: Explanation {
    switch self {
    case .noTable(let account):
      Explanation(
        problem: "“\(account)” does not sign in with OAuth2.",
        remedy: "Write [accounts.\(account).oauth] with provider and client-id; "
          + "see mirror-auth(1).",
        exitStatus: .configuration)
    case .noHome:
      Explanation(
        problem: "There is no home directory to keep tokens in.",
        remedy: "Set HOME or XDG_STATE_HOME.", exitStatus: .configuration)
    }
  }
}
