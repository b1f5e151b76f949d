import Settings

/// The TOML lines of one account, as `mirror init` writes them.
package struct AccountTables: Sendable {
  private let draft: AccountDraft

  package init(_ draft: AccountDraft) { self.draft = draft }

  /// One table: the keys that the set-up has an answer for, and their values as TOML spells them.
  struct Table: Sendable, Equatable {
    /// Below the account's: `imap`; empty for the account's own.
    var name: String
    var keys: [Key]

    struct Key: Sendable, Equatable {
      var name: String
      var value: String
    }

    /// `[accounts.work.imap]`
    static func header(_ account: String, _ name: String) -> String {
      "[accounts.\(TOMLText.key(account))\(name.isEmpty ? "" : "." + name)]"
    }
  }

  var account: String { draft.account }

  /// Ends with a line feed, begins with the account's header.
  package var text: String { tables.map(text).joined(separator: "\n") }

  /// In the order that they are written in.
  var tables: [Table] {
    var tables = [Table(name: "", keys: accountKeys), Table(name: "imap", keys: imapKeys)]
    if let smtp = draft.smtp { tables.append(Table(name: "smtp", keys: smtpKeys(smtp))) }
    if case .oauth(let settings) = draft.credential {
      tables.append(Table(name: "oauth", keys: oauthKeys(settings)))
    }
    var sync: [Table.Key] = []
    if let folders = draft.folders {
      sync.append(Table.Key(name: "folders", value: TOMLText.list(folders)))
    }
    if let window = draft.window {
      sync.append(Table.Key(name: "window", value: TOMLText.string(window)))
    }
    if !sync.isEmpty { tables.append(Table(name: "sync", keys: sync)) }
    return tables
  }

  /// Ends with a line feed.
  func text(of table: Table) -> String {
    let lines = table.keys.map { "\($0.name) = \($0.value)" }
    return ([Table.header(account, table.name)] + lines).joined(separator: "\n") + "\n"
  }

  /// The keys that the set-up answers for in a table of an account that it replaces: what it does not write again goes,
  /// above all the credential of another kind. Every other key is the person's own.
  ///
  /// - Parameter isSameClient: else what belongs to the old program must not meet tokens of the new one.
  static func answered(in table: String, isSameClient: Bool) -> Set<String> {
    switch table {
    case "": ["email", "name"]
    case "imap", "smtp":
      [
        "host", "port", "tls", "ca-file", "user", "auth", "password", "password-command",
        "password-file",
      ]
    case "oauth":
      ([
        "provider", "client-id", "client-secret", "authorization-url", "token-url", "device-url",
        "ca-file", "scopes",
      ] as Set).union(isSameClient ? [] : OAuthSettings.keysOfClient)
    case "sync": ["folders", "window"]
    default: []
    }
  }

  private var accountKeys: [Table.Key] {
    var keys = [Table.Key(name: "email", value: TOMLText.string(draft.email))]
    if let name = draft.realName, !name.isEmpty { keys.add("name", TOMLText.string(name)) }
    return keys
  }

  private var imapKeys: [Table.Key] {
    var keys = server(draft.imap, .imap)
    if draft.imap.user != draft.email { keys.add("user", TOMLText.string(draft.imap.user)) }
    switch draft.credential {
    case .command(let argv): keys.add("password-command", TOMLText.list(argv))
    case .shell(let text): keys.add("password-command", TOMLText.string(text))
    case .file(let path): keys.add("password-file", TOMLText.string(path))
    case .oauth: keys.add("auth", TOMLText.string(draft.auth.rawValue))
    case nil: break
    }
    return keys
  }

  private func oauthKeys(_ settings: OAuthSettings) -> [Table.Key] {
    var keys: [Table.Key] = []
    keys.add("provider", TOMLText.string(settings.provider.rawValue))
    keys.add("client-id", TOMLText.string(settings.clientID))
    // It tells the program, not the person; Google and Yahoo give one to programs on anybody's machine.
    settings.clientSecret?.withBytes { bytes in
      keys.add("client-secret", TOMLText.string(String(decoding: bytes, as: UTF8.self)))
    }
    let addresses = [
      ("authorization-url", settings.authorizationURL), ("token-url", settings.tokenURL),
      ("device-url", settings.deviceURL), ("ca-file", settings.caFile),
    ]
    for case (let key, let value?) in addresses { keys.add(key, TOMLText.string(value)) }
    if let scopes = settings.scopes { keys.add("scopes", TOMLText.list(scopes)) }
    return keys
  }

  /// User and password default to imap's.
  private func smtpKeys(_ smtp: ServerOffer) -> [Table.Key] {
    var keys = server(smtp, .smtp)
    if smtp.user != draft.imap.user { keys.add("user", TOMLText.string(smtp.user)) }
    return keys
  }

  private func server(_ offer: ServerOffer, _ kind: ServerOffer.Kind) -> [Table.Key] {
    var keys = [Table.Key(name: "host", value: TOMLText.string(offer.host))]
    if offer.port != ServerOffer.usualPort(kind, offer.tls) {
      keys.add("port", "\(offer.port)")
    }
    if offer.tls != .implicit { keys.add("tls", TOMLText.string(offer.tls.rawValue)) }
    if let caFile = draft.caFile { keys.add("ca-file", TOMLText.string(caFile)) }
    return keys
  }
}

extension [AccountTables.Table.Key] {
  fileprivate mutating func add(_ name: String, _ value: String) {
    append(AccountTables.Table.Key(name: name, value: value))
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
