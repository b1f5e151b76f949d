import MailCore

/// Everything that the configuration file says, checked and with all defaults filled in.
///
/// Passwords that stand in a file or come from a command are not read here: see ``Credentials``.
package struct Configuration: Sendable, Equatable {
  /// The file that was read, as the errors name it.
  package var path: String
  /// The mail tree, absolute; `~` and variables are expanded. It need not exist yet.
  package var root: String
  /// In the order of the file; their names differ even without case. At least one, unless it was
  /// loaded without need of any.
  package var accounts: [AccountSettings]

  package init(path: String, root: String, accounts: [AccountSettings]) {
    self.path = path
    self.root = root
    self.accounts = accounts
  }

  /// By account: the names under which the providers say who sent a message, as far as they were written down.
  package var authorities: [String: String] {
    Dictionary(
      accounts.compactMap { account in account.authorityName.map { (account.name, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The account with exactly this name.
  package func account(named name: String) -> AccountSettings? {
    accounts.first { $0.name == name }
  }
}
