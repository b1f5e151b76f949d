import Settings

/// The TOML lines of one account, as `mirror init` writes them.
package struct AccountTables: Sendable {
  private let draft: AccountDraft

  package init(_ draft: AccountDraft) { self.draft = draft }

  /// Ends with a line feed, begins with the account's header.
  package var text: String {
    let prefix = "accounts.\(TOMLText.key(draft.account))"
    var tables = [table("[\(prefix)]", accountKeys)]
    tables.append(table("[\(prefix).imap]", imapKeys))
    if let smtp = draft.smtp { tables.append(table("[\(prefix).smtp]", smtpKeys(smtp))) }
    if case .oauth(let settings) = draft.credential {
      tables.append(table("[\(prefix).oauth]", oauthKeys(settings)))
    }
    var sync: [(String, String)] = []
    if let folders = draft.folders { sync.append(("folders", TOMLText.list(folders))) }
    if let window = draft.window { sync.append(("window", TOMLText.string(window))) }
    if !sync.isEmpty { tables.append(table("[\(prefix).sync]", sync)) }
    return tables.joined(separator: "\n")
  }

  private var accountKeys: [(String, String)] {
    var keys = [("email", TOMLText.string(draft.email))]
    if let name = draft.realName, !name.isEmpty { keys.append(("name", TOMLText.string(name))) }
    return keys
  }

  private var imapKeys: [(String, String)] {
    var keys = server(draft.imap, .imap)
    if draft.imap.user != draft.email { keys.append(("user", TOMLText.string(draft.imap.user))) }
    switch draft.credential {
    case .command(let argv): keys.append(("password-command", TOMLText.list(argv)))
    case .shell(let text): keys.append(("password-command", TOMLText.string(text)))
    case .file(let path): keys.append(("password-file", TOMLText.string(path)))
    case .oauth: keys.append(("auth", TOMLText.string(draft.auth.rawValue)))
    case nil: break
    }
    return keys
  }

  private func oauthKeys(_ settings: OAuthSettings) -> [(String, String)] {
    var keys = [
      ("provider", TOMLText.string(settings.provider.rawValue)),
      ("client-id", TOMLText.string(settings.clientID)),
    ]
    // It tells the program, not the person; Google and Yahoo give one to programs on anybody's machine.
    settings.clientSecret?.withBytes { bytes in
      keys.append(("client-secret", TOMLText.string(String(decoding: bytes, as: UTF8.self))))
    }
    let addresses = [
      ("authorization-url", settings.authorizationURL), ("token-url", settings.tokenURL),
      ("device-url", settings.deviceURL), ("ca-file", settings.caFile),
    ]
    for case (let key, let value?) in addresses { keys.append((key, TOMLText.string(value))) }
    if let scopes = settings.scopes { keys.append(("scopes", TOMLText.list(scopes))) }
    return keys
  }

  /// User and password default to imap's.
  private func smtpKeys(_ smtp: ServerOffer) -> [(String, String)] {
    var keys = server(smtp, .smtp)
    if smtp.user != draft.imap.user { keys.append(("user", TOMLText.string(smtp.user))) }
    return keys
  }

  private func server(_ offer: ServerOffer, _ kind: ServerOffer.Kind) -> [(String, String)] {
    var keys = [("host", TOMLText.string(offer.host))]
    if offer.port != ServerOffer.usualPort(kind, offer.tls) {
      keys.append(("port", "\(offer.port)"))
    }
    if offer.tls != .implicit { keys.append(("tls", TOMLText.string(offer.tls.rawValue))) }
    if let caFile = draft.caFile { keys.append(("ca-file", TOMLText.string(caFile))) }
    return keys
  }

  private func table(_ header: String, _ keys: [(String, String)]) -> String {
    ([header] + keys.map { "\($0) = \($1)" }).joined(separator: "\n") + "\n"
  }
}

/// Values as TOML spells them.
package enum TOMLText {
  package static func string(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  package static func list(_ texts: [String]) -> String {
    "[" + texts.map(string).joined(separator: ", ") + "]"
  }

  /// Bare where TOML allows that.
  package static func key(_ key: String) -> String {
    let isBare =
      !key.isEmpty
      && key.utf8.allSatisfy {
        ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A)
          || $0 == 0x2D || $0 == 0x5F
      }
    return isBare ? key : string(key)
  }
}
