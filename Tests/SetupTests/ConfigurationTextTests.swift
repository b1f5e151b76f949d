import MailCore
import Settings
import Testing

@testable import Setup

@Suite struct ConfigurationTextTests: AccountDrafts {
  private static let existing = """
    # my mail
    root = "~/Mail"   # here

    [accounts.personal]   # the old one
    email = "a@example.net"

    [accounts.personal.imap]
    host = "imap.example.net"
    # why this port
    port = 1993
    password-command = '''
    pass show "x" # not a comment [accounts.fake]
    '''

    # about work
    [accounts."work".imap]
    host = "h" # [accounts.other]
    quirks = [
      # inside of a list
      "a",
    ]
    # the last word
    """

  @Test func `what is only shown tells no client secret`() {
    var draft = draft()
    draft.credential = .oauth(
      OAuthSettings(provider: .google, clientID: "my-id", clientSecret: Secret("GOCSPX-secret")))
    #expect(AccountTables(draft).text.contains("GOCSPX-secret"))
    let shown = AccountTables(draft.withoutSecret).text
    #expect(!shown.contains("GOCSPX"))
    #expect(shown.contains("client-secret = \"…\""))
    draft.credential = .oauth(OAuthSettings(provider: .google, clientID: "my-id"))
    #expect(draft.withoutSecret == draft)
  }

  @Test func `an account is put at the end, and every byte before it stays`() {
    for text in [Self.existing, Self.existing + "\n", "root = \"/x\""] {
      var configuration = ConfigurationText(Array(text.utf8))
      configuration.append(AccountTables(draft("new")))
      let result = String(decoding: configuration.bytes, as: UTF8.self)
      #expect(result.hasPrefix(text))
      #expect(result.contains("\n\n[accounts.new]\nemail = \"alice@example.org\"\n"))
    }
  }

  @Test func `line ends go on as they were`() {
    var configuration = ConfigurationText(Array("root = \"/x\"\r\n".utf8))
    configuration.append(AccountTables(draft()))
    let text = String(decoding: configuration.bytes, as: UTF8.self)
    #expect(!text.replacing("\r\n", with: "").contains("\n"))
  }

  @Test func `the tables say only what is not usual`() {
    var draft = draft("my \"mail\"")
    draft.realName = "Alice \"A\" \\ Example"
    draft.folders = ["*", "!Junk"]
    draft.window = "90d"
    #expect(
      AccountTables(draft).text == #"""
        [accounts."my \"mail\""]
        email = "alice@example.org"
        name = "Alice \"A\" \\ Example"

        [accounts."my \"mail\"".imap]
        host = "imap.example.org"
        password-command = ["pass", "show", "mail/alice"]

        [accounts."my \"mail\"".smtp]
        host = "smtp.example.org"
        tls = "starttls"

        [accounts."my \"mail\"".sync]
        folders = ["*", "!Junk"]
        window = "90d"

        """#)
  }

  @Test func `OAuth2 gets its own table, and no password`() {
    var draft = draft()
    draft.credential = .oauth(OAuthSettings(provider: .google, clientID: "id.apps"))
    draft.smtp?.user = "other"
    draft.imap.port = 1993
    draft.caFile = "/ca.pem"
    let text = AccountTables(draft).text
    #expect(
      text.contains("[accounts.work.oauth]\nprovider = \"google\"\nclient-id = \"id.apps\"\n"))
    #expect(text.contains("port = 1993\nca-file = \"/ca.pem\"\nauth = \"xoauth2\"\n"))
    #expect(text.contains("user = \"other\""))
    #expect(!text.contains("password"))
  }

  @Test func `texts are quoted as TOML wants`() {
    #expect(TOMLText.string("a\"b\\c\n\u{7F}ü") == "\"a\\\"b\\\\c\\u000A\\u007Fü\"")
    #expect(TOMLText.key("a-b_9") == "a-b_9")
    #expect(TOMLText.key("a.b") == "\"a.b\"")
    #expect(TOMLText.key("") == "\"\"")
  }
}
