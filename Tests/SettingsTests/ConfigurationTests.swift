import MailCore
import Settings
import Testing

@Suite struct ConfigurationTests {
  static let whole = """
    root = "~/Mail"

    [accounts.work]
    email = "w@example.com"
    imap = { host = "127.0.0.1", tls = "none", password = "x" }

    [accounts.personal]
    email = "alice@example.org"
    name = "Alice Example"

    [accounts.personal.imap]
    host = "imap.example.org"
    port = 1993
    tls = "starttls"
    ca-file = "$CERTS/company.pem"
    user = "alice"
    auth = "scram-sha-256"
    password-command = ["~/bin/secret", "~", "$HOME"]
    connections = 7
    quirks = ["a", "-b"]

    [accounts.personal.smtp]
    host = "smtp.example.org"
    sent-copy = "append"

    [accounts.personal.oauth]
    provider = "google"
    client-id = "id"

    [accounts.personal.sync]
    folders = ["*", "!Junk"]
    window = "90d"
    deletions = "expunge"
    keywords = "dovecot"
    keywords-header = "X-Label"
    layout = "maildir++"
    separator = ";"
    line-endings = "crlf"
    fsync = false
    """

  @Test func `every key is read, and accounts keep the order of the file`() throws {
    let file = try ConfigurationFile(Self.whole)
    file.environment["CERTS"] = "/etc/ssl"
    let configuration = try file.load()
    #expect(configuration.root == "/home/alice/Mail")
    #expect(configuration.accounts.map(\.name) == ["work", "personal"])
    let account = try #require(configuration.account(named: "personal"))
    #expect(account.email == "alice@example.org")
    #expect(account.realName == "Alice Example")
    #expect(
      account.imap
        == ServerSettings(
          host: "imap.example.org", port: 1993, tls: .starttls, caFile: "/etc/ssl/company.pem",
          user: "alice", auth: .scramSHA256,
          secret: .command(["/home/alice/bin/secret", "~", "$HOME"]), connections: 7,
          quirks: ["a", "-b"]))
    #expect(account.oauth == OAuthSettings(provider: .google, clientID: "id"))
    #expect(account.sync.folders == FolderPatterns(["*", "!Junk"]))
    #expect(account.sync.window == .days(90))
    #expect(account.sync.deletions == .expunge)
    #expect(account.sync.keywords == .dovecot)
    #expect(account.sync.keywordsHeader == "X-Label")
    #expect(account.sync.layout == .maildirPlusPlus)
    #expect(account.sync.separator == ";")
    #expect(account.sync.lineEndings == .crlf)
    #expect(account.sync.fsync == false)
  }

  @Test func `smtp takes user, password and mechanism from imap`() throws {
    let file = try ConfigurationFile(Self.whole.replacing("$CERTS", with: ""))
    let smtp = try #require(try file.load().accounts.last?.smtp)
    #expect(smtp.user == "alice")
    #expect(smtp.secret == .command(["/home/alice/bin/secret", "~", "$HOME"]))
    #expect(smtp.auth == .scramSHA256)
    #expect(smtp.port == 465)
    #expect(smtp.sentCopy == .append)
  }

  @Test func `what is left out has its default`() throws {
    let account = try #require(try ConfigurationFile(minimal()).load().accounts.first)
    #expect(account.sync == SyncSettings())
    #expect(account.sync.folders.texts == ["*"])
    #expect(account.imap.port == 993)
    #expect(account.imap.connections == 4)
    #expect(account.imap.auth == .auto)
    #expect(account.smtp == nil)
  }

  @Test func `the user defaults to the address, the root to Mail at home`() throws {
    let file = try ConfigurationFile(
      """
      [accounts.me]
      email = "me@example.org"
      imap = { host = "localhost", tls = "none", auth = "external" }
      """)
    let configuration = try file.load()
    #expect(configuration.root == "/home/alice/Mail")
    #expect(configuration.accounts.first?.imap.user == "me@example.org")
    #expect(configuration.accounts.first?.imap.secret == SecretSource.none)
  }

  @Test(arguments: [
    ("implicit", 993, 465), ("starttls", 143, 587),
  ]) func `the port follows tls`(tls: String, imap: UInt16, smtp: UInt16) throws {
    let file = try ConfigurationFile(
      minimal(
        """
        tls = "\(tls)"
        [accounts.me.smtp]
        host = "smtp.example.org"
        tls = "\(tls)"
        """))
    let account = try #require(try file.load().accounts.first)
    #expect(account.imap.port == imap)
    #expect(account.smtp?.port == smtp)
  }

  @Test(arguments: ["localhost", "127.0.0.1", "127.8.8.8", "::1", "[::1]", "LOCALHOST"])
  func `plain text is for this machine only`(host: String) throws {
    let text = minimal("tls = \"none\"").replacing("imap.example.org", with: host)
    #expect(try ConfigurationFile(text).load().accounts.first?.imap.tls == TLSMode.none)
  }

  @Test(arguments: ["imap.example.org", "127.0.0.1.example.org", "127.0.0", "128.0.0.1", "::2"])
  func `plain text to another machine is refused`(host: String) throws {
    let text = minimal("tls = \"none\"").replacing("imap.example.org", with: host)
    let problem = try #require(try ConfigurationFile(text).problem())
    #expect(problem.problem.hasPrefix("config.toml:6: “tls”"))
    #expect(problem.status == .configuration)
  }

  @Test func `a command as text goes to the shell`() throws {
    let text = minimal().replacing(
      "[\"pass\", \"show\", \"mail\"]", with: "\"pass show mail | head -n 1\"")
    let account = try #require(try ConfigurationFile(text).load().accounts.first)
    #expect(account.imap.secret == .command(["/bin/sh", "-c", "pass show mail | head -n 1"]))
  }

  @Test(arguments: [
    ("all", Window.all), ("1d", .days(1)), ("5GB", .bytes(5_000_000_000)),
    ("3kB", .bytes(3000)), ("2MiB", .bytes(2 << 20)),
    ("90d, 5GB", Window(days: 90, bytes: 5_000_000_000)),
  ]) func `a window is all, days or a size, or both`(text: String, window: Window) throws {
    let file = try ConfigurationFile(minimal("[accounts.me.sync]\nwindow = \"\(text)\""))
    #expect(try file.load().accounts.first?.sync.window == window)
    #expect(window.text == text)
  }

  @Test(arguments: [
    ("3KB", Window.bytes(3000)), ("3k", .bytes(3000)), ("5gb", .bytes(5_000_000_000)),
    ("2 mib", .bytes(2 << 20)), ("9d, 2Mi", Window(days: 9, bytes: 2 << 20)),
  ]) func `a size's unit is known however it is written`(text: String, window: Window) throws {
    let file = try ConfigurationFile(minimal("[accounts.me.sync]\nwindow = \"\(text)\""))
    #expect(try file.load().accounts.first?.sync.window == window)
  }

  @Test func `on-demand is never or a size, and the cache a size`() throws {
    func sync(_ keys: String) throws -> SyncSettings? {
      try ConfigurationFile(minimal("[accounts.me.sync]\n\(keys)")).load().accounts.first?.sync
    }
    #expect(try sync("")?.onDemand == nil && sync("")?.cache == 500_000_000)
    #expect(try sync("on-demand = \"never\"")?.onDemand == nil)
    #expect(try sync("on-demand = \"1MB\"\ncache = \"2GiB\"")?.onDemand == 1_000_000)
    #expect(try sync("on-demand = \"1MB\"\ncache = \"2GiB\"")?.cache == 2 << 30)
    for keys in ["on-demand = \"always\"", "on-demand = \"0MB\"", "cache = \"never\""] {
      let file = try ConfigurationFile(minimal("[accounts.me.sync]\n\(keys)"))
      #expect(try #require(file.problem()).problem.contains("cannot be"), "\(keys)")
    }
  }

  @Test(arguments: [
    "", "d", "0d", "-1d", "90", "5xb", "9999999999TB", "1.5GB", "٣d", "90 d", "9d,8d", "1GB,2GB",
    "9d,", ",",
    "all, 9d",
  ])
  func `another window is refused`(text: String) throws {
    let file = try ConfigurationFile(minimal("[accounts.me.sync]\nwindow = \"\(text)\""))
    #expect(try #require(file.problem()).problem.hasPrefix("config.toml:7: “window” cannot be"))
  }

  @Test(arguments: [
    ("$MAIL", "/var/mail"), ("${MAIL}/x/", "/var/mail/x"), ("~", "/home/alice"),
    ("/", "/"), ("/a~b", "/a~b"), ("/x/$SUB", "/x/y"),
  ]) func `the root is expanded`(text: String, path: String) throws {
    let file = try ConfigurationFile(minimal().replacing("/mail", with: text))
    file.environment["MAIL"] = "/var/mail"
    file.environment["SUB"] = "y"
    #expect(try file.load().root == path)
  }

  @Test(arguments: ["", "Mail", "$NOWHERE", "~bob/Mail", "/a/$", "/a/${", "/a\\u0007"])
  func `a root that is no absolute path is refused`(text: String) throws {
    let file = try ConfigurationFile(minimal().replacing("/mail", with: text))
    let problem = try #require(file.problem())
    #expect(problem.problem.hasPrefix("config.toml:1: “root”"))
  }

  @Test func `the default path follows the environment`() {
    let home = ["HOME": "/home/a"]
    #expect(Configuration.defaultPath(environment: home) == "/home/a/.config/mirror/config.toml")
    let xdg = home.merging(["XDG_CONFIG_HOME": "/x"]) { $1 }
    #expect(Configuration.defaultPath(environment: xdg) == "/x/mirror/config.toml")
    let own = xdg.merging(["MIRROR_CONFIG": "/m.toml"]) { $1 }
    #expect(Configuration.defaultPath(environment: own) == "/m.toml")
  }

  @Test(arguments: ["root = \"~/Mail\"\n", "root = \"~/Mail\"\n[accounts]\n"])
  func `who needs no accounts may do without`(text: String) throws {
    let file = try ConfigurationFile(text)
    let configuration = try Configuration.load(
      path: file.path, environment: file.environment, needsAccounts: false)
    #expect(configuration.root == "/home/alice/Mail" && configuration.accounts.isEmpty)
    #expect(throws: SettingsError.self) { try file.load() }
  }
}
