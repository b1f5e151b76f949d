import Foundation
import MailCore

extension Configuration {
  /// Where the configuration is looked for without `--config`: `$MIRROR_CONFIG`, else
  /// `$XDG_CONFIG_HOME/mirror/config.toml`, else `~/.config/mirror/config.toml`.
  package static func defaultPath(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String {
    if let path = environment["MIRROR_CONFIG"], !path.isEmpty { return path }
    if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
      return base + "/mirror/config.toml"
    }
    return (PathExpansion(environment: environment).home ?? "") + "/.config/mirror/config.toml"
  }

  /// Reads and checks the whole file; the first mistake ends it.
  ///
  /// - Parameters:
  ///   - knownQuirks: names that `quirks` may hold; nil accepts any.
  ///   - needsAccounts: whether a file without accounts is a mistake; who only reads mail needs none.
  package static func load(
    path: String, environment: [String: String] = ProcessInfo.processInfo.environment,
    knownQuirks: [String]? = nil, needsAccounts: Bool = true
  ) throws(SettingsError) -> Configuration {
    let document = try ConfigurationDocument(path: path)
    return try ConfigurationReader(
      document: document, expansion: PathExpansion(environment: environment),
      knownQuirks: knownQuirks, needsAccounts: needsAccounts
    ).configuration()
  }
}

/// Reads the document's tables into settings. One method a table, in the order of the manual.
struct ConfigurationReader {
  let document: ConfigurationDocument
  let expansion: PathExpansion
  let knownQuirks: [String]?
  var needsAccounts = true

  func configuration() throws(SettingsError) -> Configuration {
    let top = try ConfigurationSection(
      document.root, of: document, at: [], known: ["root", "accounts"])
    let root = try root(in: top)
    let accounts = try accounts(in: top)
    return Configuration(path: document.path, root: root, accounts: accounts)
  }

  private func root(in top: ConfigurationSection) throws(SettingsError) -> String {
    if let text = try top.string("root") { return try expanded(text, "root", in: top, expansion) }
    guard let home = expansion.home else {
      throw top.missing("root", "Write root = \"/where/your/mail/lies\".")
    }
    return home + "/Mail"
  }

  private func accounts(in top: ConfigurationSection) throws(SettingsError) -> [AccountSettings] {
    guard let tables = try top.table("accounts"), !tables.isEmpty else {
      if !needsAccounts { return [] }
      throw top.missing("accounts", "Write a table [accounts.personal.imap] with host and user.")
    }
    let names = document.locations.children(of: ["accounts"]).filter { tables[$0] != nil }
    let rest = tables.keys.filter { !names.contains($0) }.sorted()
    let section = try ConfigurationSection(
      tables, of: document, at: ["accounts"], known: Array(tables.keys))
    var accounts: [AccountSettings] = []
    var seen: [String: String] = [:]
    for name in names + rest {
      if let fault = AccountName.fault(name) {
        throw section.bad(name, fault, "Choose another name, such as personal or work.")
      }
      if let twin = seen.updateValue(name, forKey: AccountName.key(name)) {
        throw section.bad(
          name, "and the account \"\(twin)\" would share a directory where case does not count",
          "Rename one of the two.")
      }
      accounts.append(try account(name, in: section))
    }
    let all = accounts.map(\.name)
    for place in accounts.indices {
      accounts[place].otherAccounts = all.filter { $0 != accounts[place].name }
    }
    return accounts
  }

  private func account(_ name: String, in accounts: ConfigurationSection)
    throws(SettingsError) -> AccountSettings
  {
    let keys = ["email", "name", "authserv-id", "imap", "smtp", "oauth", "sync", "watch"]
    guard let section = try accounts.section(name, known: keys) else {
      throw accounts.missing(name, "Write [accounts.\(name)].")
    }
    let email = try line("email", in: section)
    if let email, !email.contains("@") {
      throw section.bad("email", "is no address", "Write email = \"you@example.org\".")
    }
    let realName = try line("name", in: section)
    let servers = ServerReader(
      document: document, expansion: expansion, knownQuirks: knownQuirks, email: email)
    let imap = try servers.imap(in: section)
    let smtp = try servers.smtp(in: section, imap: imap)
    let oauth = try OAuthReader(document: document, expansion: expansion).oauth(in: section)
    var account = AccountSettings(
      name: name, email: email, realName: realName, imap: imap, smtp: smtp, oauth: oauth,
      sync: try sync(in: section), watch: try watch(in: section))
    account.authorityName = try line("authserv-id", in: section)
    return account
  }

  /// A text without control characters: it may end up in a command to a server.
  func line(_ key: String, in section: ConfigurationSection) throws(SettingsError) -> String? {
    guard let text = try section.string(key) else { return nil }
    return try checkedLine(text, key, in: section)
  }
}

/// Refuses empty texts and control characters.
func checkedLine(_ text: String, _ key: String, in section: ConfigurationSection)
  throws(SettingsError) -> String
{
  guard !text.isEmpty else { throw section.bad(key, "is empty", "Fill it in, or leave it out.") }
  guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
    throw section.bad(key, "holds a control character", "Remove it.")
  }
  return text
}

/// An absolute path, with the section's error where it is none.
func expanded(
  _ text: String, _ key: String, in section: ConfigurationSection, _ expansion: PathExpansion
) throws(SettingsError) -> String {
  do throws(PathExpansion.Failure) {
    return try expansion.absolute(text)
  } catch {
    throw section.bad(key, error.words, "Write an absolute path, or one that begins with ~/.")
  }
}
