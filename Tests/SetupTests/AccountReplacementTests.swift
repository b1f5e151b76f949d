import Foundation
import MailCore
import Settings
import Testing

@testable import Setup

/// What `init --replace` leaves of an account's tables, and what it does not.
@Suite struct AccountReplacementTests: AccountDrafts {
  private func replaced(
    _ text: String, _ draft: AccountDraft, account: String = "work", isSameClient: Bool = false
  ) -> String? {
    var configuration = ConfigurationText(Array(text.utf8))
    let isDone = configuration.replace(
      account: account, with: AccountTables(draft), isSameClient: isSameClient)
    #expect(isDone || configuration.bytes == Array(text.utf8))
    #expect(isDone == ConfigurationText(Array(text.utf8)).canReplace(account: account))
    return isDone ? String(decoding: configuration.bytes, as: UTF8.self) : nil
  }

  /// What the settings make of it.
  private func account(_ text: String, _ name: String = "work") throws -> AccountSettings {
    let path = NSTemporaryDirectory() + "mirror-replace-\(UInt64.random(in: 0...UInt64.max))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let settings = try Configuration.load(path: path, environment: ["HOME": "/home/a"])
    return try #require(settings.account(named: name))
  }

  private static let existing = #"""
    # my mail
    root = "~/Mail"   # here

    # about work
    [accounts.work]   # the first one
    email = "old@example.net"
    name = "Old"

    [accounts.work.imap]
    host = "imap.example.net"  # in the cellar
    # why this port
    port = 1993
    password-file = "/secret/old"
    # not too many
    connections = 2
    quirks = [
      # inside of a list
      "a",
    ]

    [accounts.other.imap]
    host = "h" # [accounts.work]
    user = "u"
    password-command = """
    show "x" # no comment [accounts.fake]
    """

    [accounts.work.smtp]
    host = "smtp.example.net"
    sent-copy = "server"
    password-command = "old"

    [accounts.work.sync]
    folders = ["INBOX"]
    layout = "maildir++"
    separator = "!"
    # the last word
    """#

  @Test func `what the set-up has no answer for stays in its place, with its comments`() throws {
    var draft = draft()
    draft.window = "90d"
    #expect(
      replaced(Self.existing, draft) == #"""
        # my mail
        root = "~/Mail"   # here

        # about work
        [accounts.work]   # the first one
        email = "alice@example.org"

        [accounts.work.imap]
        host = "imap.example.org"  # in the cellar
        password-command = ["pass", "show", "mail/alice"]
        # why this port
        # not too many
        connections = 2
        quirks = [
          # inside of a list
          "a",
        ]

        [accounts.other.imap]
        host = "h" # [accounts.work]
        user = "u"
        password-command = """
        show "x" # no comment [accounts.fake]
        """

        [accounts.work.smtp]
        host = "smtp.example.org"
        sent-copy = "server"
        tls = "starttls"

        [accounts.work.sync]
        window = "90d"
        layout = "maildir++"
        separator = "!"
        # the last word
        """#)
  }

  @Test func `the settings read the new answers beside the old keys`() throws {
    let text = try #require(replaced(Self.existing, draft()))
    let account = try account(text)
    #expect(account.imap.host == "imap.example.org" && account.imap.port == 993)
    #expect(account.imap.user == "alice@example.org")
    #expect(account.imap.secret == .command(["pass", "show", "mail/alice"]))
    #expect(account.smtp?.secret == account.imap.secret)
    #expect(account.imap.connections == 2 && account.imap.quirks == ["a"])
    #expect(account.smtp?.sentCopy == .server)
    #expect(account.sync.layout == .maildirPlusPlus && account.sync.separator == "!")
    #expect(account.sync.folders == SyncSettings().folders)
    #expect(try self.account(text, "other").imap.user == "u")
  }

  private static let withOAuth = """
    [accounts.work.imap]
    host = "imap.gmail.com"
    user = "a"
    auth = "xoauth2"
    [accounts.work.oauth]
    provider = "google"
    client-id = "old"
    client-secret = "GOCSPX-old"
    redirect-url = "http://127.0.0.1:8123"
    store-command = ["keep"]
    load-command = ["show"]

    """

  @Test func `a password takes the place of OAuth2, and the other way round`() throws {
    let text = try #require(replaced(Self.withOAuth, draft()))
    #expect(!text.contains("oauth") && !text.contains("auth ="))
    let plain = try account(text)
    #expect(plain.oauth == nil && plain.imap.auth == .auto && plain.email == "alice@example.org")
    #expect(plain.imap.secret == .command(["pass", "show", "mail/alice"]))

    var draft = draft()
    draft.smtp = nil
    draft.credential = .oauth(OAuthSettings(provider: .google, clientID: "new"))
    let signed = try #require(replaced(Self.existing, draft))
    #expect(!signed.contains("password-file") && !signed.contains("smtp"))
    let settings = try account(signed)
    #expect(settings.imap.auth == .xoauth2 && settings.imap.secret == .none)
    #expect(settings.oauth?.clientID == "new" && settings.smtp == nil)
    #expect(settings.imap.connections == 2)
  }

  @Test func `one's own commands and redirect stay with the client id, and go with another`() throws
  {
    var draft = draft()
    draft.credential = .oauth(OAuthSettings(provider: .google, clientID: "old"))
    let same = try account(try #require(replaced(Self.withOAuth, draft, isSameClient: true)))
    #expect(same.oauth?.clientID == "old" && same.oauth?.clientSecret == nil)
    #expect(same.oauth?.storeCommand == ["keep"] && same.oauth?.loadCommand == ["show"])
    #expect(same.oauth?.redirectURL == "http://127.0.0.1:8123")
    draft.credential = .oauth(OAuthSettings(provider: .microsoft, clientID: "new"))
    let other = try account(try #require(replaced(Self.withOAuth, draft)))
    #expect(other.oauth == OAuthSettings(provider: .microsoft, clientID: "new"))
  }

  @Test func `the same program is known by provider, address and client id`() {
    var draft = draft()
    #expect(!draft.isClient(of: OAuthSettings(provider: .google, clientID: "a")))
    draft.credential = .oauth(OAuthSettings(provider: .google, clientID: "a"))
    #expect(draft.isClient(of: OAuthSettings(provider: .google, clientID: "a")))
    #expect(!draft.isClient(of: OAuthSettings(provider: .google, clientID: "b")))
    #expect(!draft.isClient(of: OAuthSettings(provider: .microsoft, clientID: "a")))
    var custom = OAuthSettings(provider: .custom, clientID: "b")
    custom.tokenURL = "https://id.example.org/token"
    draft.credential = .oauth(custom)
    #expect(draft.isClient(of: custom))
    custom.tokenURL = "https://id.example.net/token"
    #expect(!draft.isClient(of: custom))
  }

  @Test func `twice the same changes nothing, and a name may change its case`() throws {
    let once = try #require(replaced(Self.existing, draft()))
    #expect(replaced(once, draft()) == once)
    let renamed = try #require(replaced(once, draft("Work")))
    #expect(
      renamed
        == once.replacing("[accounts.work", with: "[accounts.Work")
        .replacing("# [accounts.Work]", with: "# [accounts.work]"))
    #expect(try account(renamed, "Work").sync.separator == "!")
  }

  @Test func `line ends stay as they were`() throws {
    let text = Self.existing.replacing("\n", with: "\r\n") + "\r\n"
    let result = try #require(replaced(text, draft()))
    #expect(!result.replacing("\r\n", with: "").contains("\n"))
    #expect(
      try account(result).sync.separator == "!")
  }

  @Test func `a last line that does not end gets no half of a line end`() throws {
    let text = "[accounts.work.imap]\r\nuser = \"u\"\r\nhost = \"h\""
    let result = try #require(replaced(text, draft()))
    #expect(!result.replacing("\r\n", with: "").contains { $0.isNewline })
    #expect(try account(result).imap.host == "imap.example.org")
    let torn = "root = \"/m\"\r\n[accounts.work]\r\nsync.layout = \"maildir++\""
    #expect(replaced(torn, draft()) == nil)
  }

  @Test func `a byte order mark hides no table, and stays`() throws {
    let text = "\u{FEFF}[accounts.work.imap]\nhost = \"h\"\nuser = \"u\"\nconnections = 2\n"
    let result = try #require(replaced(text, draft()))
    #expect(result.utf8.starts(with: "\u{FEFF}".utf8))
    #expect(result.contains("host = \"imap.example.org\"") && result.contains("connections = 2"))
  }

  @Test(arguments: [
    "accounts = { work = { email = \"x@y\" } }\n", "accounts.work.email = \"x@y\"\n",
    "[accounts]\nwork.email = \"x@y\"\n[accounts.work.imap]\nhost = \"h\"\n",
    "[accounts.work]\nsync.layout = \"maildir++\"\n",
    "[accounts.work]\nimap = { host = \"h\", user = \"u\", password-command = \"x\" }\n",
    "[accounts.fake]\n",
  ])
  func `an account in another form is not torn apart`(text: String) {
    #expect(replaced(text, draft()) == nil)
  }

  @Test func `an account is taken out, and every other byte stays`() {
    let text = """
      root = "~/Mail"

      # about work
      [accounts.work]
      email = "a@example.net"
      [accounts.work.imap]  # here
      host = "imap.example.net"

      # about home
      [accounts.home]
      email = "b@example.net"

      [accounts.work.sync]
      window = "90d"
      # the end
      """
    var configuration = ConfigurationText(Array(text.utf8))
    let isGone = configuration.remove(account: "work")
    #expect(isGone)
    #expect(
      String(decoding: configuration.bytes, as: UTF8.self) == """
        root = "~/Mail"

        # about home
        [accounts.home]
        email = "b@example.net"
        # the end
        """)
    let before = configuration
    let isGoneAgain = configuration.remove(account: "work")
    #expect(!isGoneAgain && configuration == before)
    var inline = ConfigurationText(Array("[accounts]\nwork = { email = \"a@b.c\" }\n".utf8))
    let isInlineGone = inline.remove(account: "work")
    #expect(!isInlineGone)
  }
}
