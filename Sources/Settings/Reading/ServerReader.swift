import MailCore

/// Reads the `imap` and `smtp` tables of one account.
struct ServerReader {
  let document: ConfigurationDocument
  let expansion: PathExpansion
  let knownQuirks: [String]?
  let email: String?

  private static let keys = [
    "host", "port", "tls", "ca-file", "user", "auth", "password", "password-command",
    "password-file", "connections", "quirks",
  ]

  func imap(in account: ConfigurationSection) throws(SettingsError) -> ServerSettings {
    guard let section = try account.section("imap", known: Self.keys) else {
      throw account.missing(
        "imap", "Write [\(account.path.joined(separator: ".")).imap] with host and user.")
    }
    let ports: [TLSMode: UInt16] = [.implicit: 993, .starttls: 143, .none: 143]
    let auth: AuthenticationChoice = try section.choice("auth") ?? .auto
    guard let user = try line("user", in: section) ?? email else {
      throw section.missing("user", "Write user = \"…\", or the account's email.")
    }
    guard let secret = try secret(in: section) ?? absentSecret(auth) else {
      throw section.missing(
        "password-command",
        account.has("oauth")
          ? "For OAuth2 write auth = \"xoauth2\"; else password-command = [\"pass\", \"show\", \"…\"]."
          : "Write password-command = [\"pass\", \"show\", \"…\"], or password-file.")
    }
    return try server(in: section, ports: ports, auth: auth, user: user, secret: secret)
  }

  /// User, password and mechanism default to imap's, each on its own.
  func smtp(in account: ConfigurationSection, imap: ServerSettings) throws(SettingsError)
    -> ServerSettings?
  {
    let keys = Self.keys + ["sent-copy"]
    guard let section = try account.section("smtp", known: keys) else { return nil }
    let ports: [TLSMode: UInt16] = [.implicit: 465, .starttls: 587, .none: 587]
    let auth: AuthenticationChoice = try section.choice("auth") ?? imap.auth
    let user = try line("user", in: section) ?? imap.user
    let secret = try secret(in: section) ?? imap.secret
    var smtp = try server(in: section, ports: ports, auth: auth, user: user, secret: secret)
    smtp.sentCopy = try section.choice("sent-copy") ?? .auto
    return smtp
  }

  /// What stands for a password where none is configured; nil where one is needed.
  private func absentSecret(_ auth: AuthenticationChoice) -> SecretSource? {
    auth == .external || auth.takesToken ? SecretSource.none : nil
  }

  private func server(
    in section: ConfigurationSection, ports: [TLSMode: UInt16], auth: AuthenticationChoice,
    user: String, secret: SecretSource
  ) throws(SettingsError) -> ServerSettings {
    let host = try host(in: section)
    let tls: TLSMode = try section.choice("tls") ?? .implicit
    if tls == .none, !Self.isLoopback(host) {
      throw section.bad(
        "tls", "is \"none\", which only a server on this machine may have",
        "Write tls = \"implicit\" or \"starttls\"; plain text is for localhost, 127.0.0.1 and ::1.")
    }
    let port = try section.integer("port", in: 1...65535).map(UInt16.init) ?? ports[tls] ?? 993
    return ServerSettings(
      host: host, port: port, tls: tls, caFile: try path("ca-file", in: section), user: user,
      auth: auth, secret: secret, connections: try section.integer("connections", in: 1...32) ?? 4,
      quirks: try quirks(in: section))
  }

  private func host(in section: ConfigurationSection) throws(SettingsError) -> String {
    guard var host = try line("host", in: section) else {
      throw section.missing("host", "Write host = \"imap.example.org\".")
    }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    let colons = host.count { $0 == ":" }
    if colons == 1 {
      throw section.bad("host", "holds a colon", "Write the port as port = …, on its own line.")
    }
    let allowed = host.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "/") }
    guard allowed, !host.isEmpty, host.utf8.count <= 255 else {
      throw section.bad("host", "is no host name", "Write host = \"imap.example.org\".")
    }
    return host
  }

  /// By name only, before anything is resolved; the connection checks the peer's address again.
  static func isLoopback(_ host: String) -> Bool {
    let host = host.lowercased()
    if host == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  private func quirks(in section: ConfigurationSection) throws(SettingsError) -> [String] {
    let names = try section.strings("quirks") ?? []
    guard let knownQuirks else { return names }
    for name in names {
      let bare = name.hasPrefix("-") ? String(name.dropFirst()) : name
      guard !knownQuirks.contains(bare) else { continue }
      let hint = nearestWord(to: bare, among: knownQuirks).map { "Did you mean \"\($0)\"? " } ?? ""
      throw section.bad(
        "quirks", "has no quirk called \"\(bare)\"",
        hint + "Known: \(knownQuirks.joined(separator: ", ")).")
    }
    return names
  }

  private func secret(in section: ConfigurationSection) throws(SettingsError) -> SecretSource? {
    let keys = ["password", "password-command", "password-file"].filter(section.has)
    guard let key = keys.first else { return nil }
    if keys.count > 1 {
      throw section.bad(keys[1], "stands beside “\(key)”", "Keep one of the two.")
    }
    switch key {
    case "password": return .password(try password(in: section))
    case "password-file":
      return try path(key, in: section).map { SecretSource.file($0) }
    default: return .command(try CommandReader(expansion: expansion).command(key, in: section))
    }
  }

  private func password(in section: ConfigurationSection) throws(SettingsError) -> Secret {
    let text = try section.string("password") ?? ""
    guard !text.isEmpty else {
      throw section.bad("password", "is empty", "Fill it in, or use password-command.")
    }
    guard document.mode & 0o044 == 0 else {
      throw .exposed(section.place("password"), mode: document.mode)
    }
    return Secret(text)
  }

  private func line(_ key: String, in section: ConfigurationSection) throws(SettingsError)
    -> String?
  {
    guard let text = try section.string(key) else { return nil }
    return try checkedLine(text, key, in: section)
  }

  private func path(_ key: String, in section: ConfigurationSection) throws(SettingsError)
    -> String?
  {
    guard let text = try section.string(key) else { return nil }
    return try expanded(text, key, in: section, expansion)
  }
}
