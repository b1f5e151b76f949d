import MailCore

/// One `[accounts.NAME]` table: a person's mail at one provider.
package struct AccountSettings: Sendable, Equatable {
  /// The account's directory below the root, and what commands and reports call it. See ``AccountName``.
  package var name: String
  package var email: String?
  /// The `name` key: the person's name, as it stands in `From:`.
  package var realName: String?
  /// The name under which the provider says who sent a message (RFC 8601); nil: learned from the mail.
  package var authorityName: String?
  package var imap: ServerSettings
  package var smtp: ServerSettings?
  package var oauth: OAuthSettings?
  package var sync: SyncSettings
  package var watch: WatchSettings
  /// Names of the other accounts of the tree.
  package var otherAccounts: [String] = []

  package init(
    name: String, email: String? = nil, realName: String? = nil, imap: ServerSettings,
    smtp: ServerSettings? = nil, oauth: OAuthSettings? = nil, sync: SyncSettings = SyncSettings(),
    watch: WatchSettings = WatchSettings()
  ) {
    self.name = name
    self.email = email
    self.realName = realName
    self.imap = imap
    self.smtp = smtp
    self.oauth = oauth
    self.sync = sync
    self.watch = watch
  }
}
