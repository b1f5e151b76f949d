import Foundation
import MailCore

/// Reads the `oauth` table of one account.
struct OAuthReader {
  let document: ConfigurationDocument
  let expansion: PathExpansion

  private static let keys = [
    "provider", "client-id", "client-secret", "authorization-url", "token-url", "device-url",
    "revocation-url", "redirect-url", "scopes", "ca-file", "store-command", "load-command",
  ]

  func oauth(in account: ConfigurationSection) throws(SettingsError) -> OAuthSettings? {
    guard let section = try account.section("oauth", known: Self.keys) else { return nil }
    guard let provider: OAuthSettings.Provider = try section.choice("provider") else {
      throw section.missing("provider", "Write provider = \"google\", or another.")
    }
    guard let clientID = try line("client-id", in: section) else {
      throw section.missing(
        "client-id", "The provider gives one to who registers a program; see mirror-auth(1).")
    }
    var oauth = OAuthSettings(provider: provider, clientID: clientID)
    oauth.clientSecret = try clientSecret(in: section)
    oauth.authorizationURL = try address("authorization-url", in: section)
    oauth.tokenURL = try address("token-url", in: section)
    oauth.deviceURL = try address("device-url", in: section)
    oauth.revocationURL = try address("revocation-url", in: section)
    oauth.redirectURL = try redirect(in: section)
    oauth.scopes = try scopes(in: section)
    if let path = try section.string("ca-file") {
      oauth.caFile = try expanded(path, "ca-file", in: section, expansion)
    }
    try readCommands(&oauth, in: section)
    if provider == .custom { try checkCustom(oauth, in: section) }
    return oauth
  }

  private func readCommands(_ oauth: inout OAuthSettings, in section: ConfigurationSection)
    throws(SettingsError)
  {
    let commands = CommandReader(expansion: expansion)
    for (key, other) in [("store-command", "load-command"), ("load-command", "store-command")]
    where section.has(key) && !section.has(other) {
      throw section.missing(other, "Where “\(key)” stands, “\(other)” has to stand, too.")
    }
    guard section.has("store-command") else { return }
    oauth.storeCommand = try commands.command("store-command", in: section)
    oauth.loadCommand = try commands.command("load-command", in: section)
  }

  /// Nobody can know these of a provider that is not in our table.
  private func checkCustom(_ oauth: OAuthSettings, in section: ConfigurationSection)
    throws(SettingsError)
  {
    if oauth.tokenURL == nil {
      throw section.missing("token-url", "A custom provider has no address but what stands here.")
    }
    if oauth.authorizationURL == nil, oauth.deviceURL == nil {
      throw section.missing(
        "authorization-url", "Write it, or device-url: one of them is needed to sign in.")
    }
    if oauth.scopes == nil {
      throw section.missing(
        "scopes", "Write the list that the provider names for IMAP and SMTP, or [].")
    }
  }

  private func clientSecret(in section: ConfigurationSection) throws(SettingsError) -> Secret? {
    guard let text = try line("client-secret", in: section) else { return nil }
    guard document.mode & 0o044 == 0 else {
      throw .exposed(section.place("client-secret"), mode: document.mode)
    }
    return Secret(text)
  }

  /// Secrets go there: encrypted, unless it is this machine.
  private func address(_ key: String, in section: ConfigurationSection) throws(SettingsError)
    -> String?
  {
    guard let text = try line(key, in: section) else { return nil }
    guard let parts = URLComponents(string: text), let host = parts.encodedHost, !host.isEmpty,
      parts.user == nil, parts.password == nil, parts.fragment == nil
    else {
      throw section.bad(key, "is no address", "Write \"https://…\".")
    }
    let isSafe =
      parts.scheme == "https" || (parts.scheme == "http" && ServerReader.isLoopback(bare(host)))
    guard isSafe else {
      throw section.bad(
        key, "is not encrypted", "Write \"https://…\"; http is for this machine only.")
    }
    return text
  }

  private func redirect(in section: ConfigurationSection) throws(SettingsError) -> String? {
    let key = "redirect-url"
    guard let text = try line(key, in: section), text != "oob" else {
      return try section.string(key)
    }
    guard let parts = URLComponents(string: text), let host = parts.encodedHost, !host.isEmpty,
      parts.scheme == "https" || (parts.scheme == "http" && ServerReader.isLoopback(bare(host))),
      parts.query == nil, parts.fragment == nil, parts.user == nil,
      parts.port.map({ (1...65535).contains($0) }) ?? true
    else {
      throw section.bad(
        key, "is no address for the browser's answer",
        "Write \"http://127.0.0.1\" or \"http://localhost\", with port and path as registered; "
          + "\"https://…\" or \"oob\" where you will copy the answer by hand.")
    }
    return text
  }

  private func bare(_ host: String) -> String {
    host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }

  /// scope-token, RFC 6749 §3.3.
  private func scopes(in section: ConfigurationSection) throws(SettingsError) -> [String]? {
    guard let scopes = try section.strings("scopes") else { return nil }
    for scope in scopes {
      let isToken = scope.utf8.allSatisfy {
        $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
      }
      guard isToken, !scope.isEmpty else {
        throw section.bad("scopes", "holds “\(scope)”", "Write each scope as a text of its own.")
      }
    }
    return scopes
  }

  private func line(_ key: String, in section: ConfigurationSection) throws(SettingsError)
    -> String?
  {
    guard let text = try section.string(key) else { return nil }
    return try checkedLine(text, key, in: section)
  }
}
