import MailCore
import Settings

/// What the command line said already; each is a question less.
package struct SetupGiven: Sendable {
  package var address: String?
  package var realName: String?
  package var account: String?
  package var imap: ServerAnswer?
  package var imapTLS: TLSMode?
  package var smtp: ServerAnswer?
  package var smtpTLS: TLSMode?
  /// The account only receives.
  package var noSMTP = false
  package var user: String?
  package var smtpUser: String?
  package var credential: AccountDraft.Credential?
  /// For accounts that log in by OAuth2.
  package var clientID: String?
  package var clientSecret: Secret?
  package var signIn: SignIn?
  /// Where the password is to be kept, and the password where it came with that.
  package var store: SecretStore?
  package var password: Secret?
  package var caFile: String?
  package var folders: [String]?
  package var window: String?
  /// Without a slash at its end, as the configuration gives it back.
  package var root: String? {
    didSet { root = root.map(Self.withoutSlash) }
  }
  /// An account of this name may be replaced.
  package var replaces = false
  /// Log in to the servers before anything is written.
  package var checks = true
  package var pulls: Bool?

  package init() {}

  static func withoutSlash(_ path: String) -> String {
    let trimmed = path.reversed().drop { $0 == "/" }.reversed()
    return trimmed.isEmpty && path.hasPrefix("/") ? "/" : String(trimmed)
  }
}

/// What there was before.
package struct SetupSurroundings: Sendable {
  /// Names of the accounts that the configuration has.
  package var accounts: [String]
  /// Those of them that can be replaced, as they are.
  package var replaceable: [AccountSettings]
  /// The root that the configuration says; nil where there is none yet.
  package var root: String?
  package var configuration: String
  package var stores: [SecretStore]
  /// Whether a browser of this machine can be opened.
  package var hasBrowser: Bool

  package init(
    accounts: [String] = [], replaceable: [AccountSettings] = [], root: String? = nil,
    configuration: String, stores: [SecretStore] = [.file], hasBrowser: Bool = true
  ) {
    self.accounts = accounts
    self.replaceable = replaceable
    self.root = root
    self.configuration = configuration
    self.stores = stores
    self.hasBrowser = hasBrowser
  }
}
