import Foundation
import MailCore
import Settings
import Testing

@Suite struct ConfigurationErrorTests {
  @Test(arguments: [
    ("hots = \"x\"", 6, "hots", "Did you mean “host”"),
    ("ca_file = \"/x\"", 6, "ca_file", "Did you mean “ca-file”"),
    ("[accounts.me.snyc]\nfsync = true", 6, "snyc", "Did you mean “sync”"),
    ("[accounts.me.sync]\n\nkeyword-header = 1", 8, "keyword-header", "“keywords-header”"),
    ("[acounts.x]", 6, "acounts", "“accounts”"),
    (
      "[accounts.me.oauth]\nprovider = \"google\"\nclientid = \"x\"", 8, "clientid",
      "Did you mean “client-id”"
    ),
    ("sent-copy = \"append\"", 6, "sent-copy", "Known here: host"),
    ("zzz = [\n1,\n2]", 6, "zzz", "Known here"),
  ]) func `an unknown key is named with its line and the nearest known one`(
    extra: String, line: Int, key: String, hint: String
  ) throws {
    let problem = try #require(try ConfigurationFile(minimal(extra)).problem())
    #expect(problem.problem == "config.toml:\(line): unknown key “\(key)”.")
    #expect(problem.remedy.contains(hint))
    #expect(problem.status == .configuration)
  }

  @Test(arguments: [
    ("port = \"993\"", "“port” must be a whole number, but it is a text"),
    ("port = 993.0", "“port” must be a whole number, but it is a number with a fraction"),
    ("connections = true", "“connections” must be a whole number, but it is true or false"),
    ("tls = 1", "“tls” must be a text, but it is a whole number"),
    ("quirks = \"a\"", "“quirks” must be a list of texts, but it is a text"),
    ("quirks = [1]", "“quirks” must be a list of texts, but it is a list with a whole number"),
    ("ca-file = 2024-01-01", "“ca-file” must be a text, but it is a date or time"),
  ]) func `a wrong type is told with the line`(extra: String, words: String) throws {
    let problem = try #require(try ConfigurationFile(minimal(extra)).problem())
    #expect(problem.problem == "config.toml:6: \(words).")
    #expect(problem.status == .configuration)
  }

  @Test(arguments: [
    ("fsync = \"yes\"", "“fsync” must be true or false"),
    ("folders = \"*\"", "“folders” must be a list of texts"),
    ("folders = []", "“folders” is empty"),
    ("folders = [\"!\"]", "“folders” holds an empty pattern"),
    ("deletions = \"trsh\"", "“deletions” cannot be \"trsh\""),
    ("keywords = \"maildir\"", "“keywords” cannot be"),
    ("layout = \"flat\"", "“layout” cannot be"),
    ("separator = \",\"", "“separator” cannot be"),
    ("separator = \"::\"", "“separator” cannot be"),
    ("line-endings = \"cr\"", "“line-endings” cannot be"),
    ("keywords-header = \"Subject\"", "“keywords-header” cannot be"),
    ("keywords-header = \"X-A:\"", "“keywords-header” cannot be"),
    ("keywords-header = \"X- A\"", "“keywords-header” cannot be"),
  ]) func `a bad value of sync is told with the line`(extra: String, words: String) throws {
    let file = try ConfigurationFile(minimal("[accounts.me.sync]\n\(extra)"))
    let problem = try #require(file.problem())
    #expect(problem.problem.hasPrefix("config.toml:7: \(words)"))
    #expect(!problem.remedy.isEmpty)
  }

  @Test(arguments: [
    ("port = 0", "“port” must lie between 1 and 65535"),
    ("port = 65536", "“port” must lie between"),
    ("connections = 0", "“connections” must lie between 1 and 32"),
    ("auth = \"digest-md5\"", "“auth” cannot be"),
    ("ca-file = \"company.pem\"", "“ca-file” is not an absolute path"),
    ("password-file = \"/x\"", "“password-file” stands beside “password-command”"),
    ("password = \"\"", "“password-command” stands beside “password”"),
  ]) func `a bad value of a server is told with the line`(extra: String, words: String) throws {
    let problem = try #require(try ConfigurationFile(minimal(extra)).problem())
    let line = words.hasPrefix("“password-command”") ? 5 : 6
    #expect(problem.problem.hasPrefix("config.toml:\(line): \(words)"))
  }

  @Test(arguments: ["", "imap.example.org:993", "a b", "imaps://x", "a\\nb", "[]"])
  func `a bad host is refused`(host: String) throws {
    let text = minimal().replacing("imap.example.org", with: host)
    let problem = try #require(try ConfigurationFile(text).problem())
    #expect(problem.problem.hasPrefix("config.toml:3: “host”"))
  }

  @Test func `a user with a line end never gets into a command`() throws {
    let text = minimal().replacing("\"me\"", with: "\"me\\r\\nA1 LOGOUT\"")
    let problem = try #require(try ConfigurationFile(text).problem())
    #expect(problem.problem.hasPrefix("config.toml:4: “user” holds a control character"))
  }

  @Test(arguments: [
    ("root = \"/m\"", "the key “accounts” is missing"),
    ("[accounts.me]\nemail = \"a@b\"", "config.toml:1: the key “imap” is missing"),
    ("[accounts.me.imap]\nuser = \"a\"\npassword-file = \"/x\"", "config.toml:1: the key “host”"),
    ("[accounts.me.imap]\nhost = \"a\"\npassword-file = \"/x\"", "config.toml:1: the key “user”"),
    ("[accounts.me.imap]\nhost = \"a\"\nuser = \"b\"", "config.toml:1: the key “password-command”"),
    ("[accounts]\nme = 3", "config.toml:2: “accounts.me” must be a table"),
    ("[[accounts]]\nme = 3", "config.toml:1: “accounts” must be a table"),
  ]) func `a missing key is told at its table`(text: String, words: String) throws {
    let problem = try #require(try ConfigurationFile(text).problem())
    #expect(problem.problem.contains(words))
    #expect(!problem.remedy.isEmpty)
  }

  @Test func `a missing file says what to write`() {
    #expect {
      _ = try Configuration.load(path: "/nowhere/config.toml", environment: [:])
    } throws: { error in
      guard let words = (error as? SettingsError)?.explanation else { return false }
      return words.exitStatus == .configuration && words.problem.contains("/nowhere/config.toml")
        && words.remedy?.contains("password-command") == true
    }
  }

  @Test func `a directory and a huge file are no configuration`() throws {
    #expect(throws: SettingsError.self) {
      try Configuration.load(path: NSTemporaryDirectory(), environment: [:])
    }
    let huge = try ConfigurationFile(String(repeating: "#\n", count: 1 << 20))
    #expect(try #require(huge.problem()).problem.contains("larger than"))
  }

  @Test func `text that is not UTF-8 is refused`() throws {
    let file = try ConfigurationFile("")
    try Data([0x72, 0xFF, 0xFE]).write(to: URL(fileURLWithPath: file.path))
    #expect(try #require(file.problem()).problem.contains("not UTF-8"))
  }

  @Test(arguments: ["# \u{0}\n", "port = 1 # \\u0000", "ca-file = \"/a\\U00000000b\""])
  func `a NUL never cuts the configuration short`(extra: String) throws {
    let problem = try #require(try ConfigurationFile(minimal(extra)).problem())
    #expect(problem.problem == "config.toml:6: not valid TOML: a NUL character stands in it.")
  }

  @Test(arguments: ["quirks = [}", "quirks = [ \"a\", } ]", "quirks = [ # [\n }"])
  func `a list that a brace ends is an error, no crash`(extra: String) throws {
    let problem = try #require(try ConfigurationFile(minimal(extra)).problem())
    #expect(problem.problem.hasSuffix("not valid TOML: a list ends with ], not with }."))
  }

  @Test(arguments: ["[.x]", "[", "[[", "[ =]", "[\n]", "[]", "[[]]", "[é]", "[ \u{A0}x]"])
  func `a header without a name is an error, no crash`(extra: String) throws {
    let problem = try #require(try ConfigurationFile(minimal(extra)).problem())
    #expect(problem.problem == "config.toml:6: not valid TOML: a table's [header] holds no name.")
  }

  @Test(arguments: [
    ("a b c", 6), ("connections = ", 6), ("connections = 3\nconnections = 4", 7),
    ("quirks = [\"a\"", 6),
  ]) func `a mistake in the syntax is told with the line`(extra: String, line: Int) throws {
    let problem = try #require(try ConfigurationFile(minimal(extra)).problem())
    #expect(problem.problem.hasPrefix("config.toml:"), "\(problem.problem)")
    #expect(problem.problem.contains("not valid TOML"))
    if line == 7 { #expect(problem.problem.hasPrefix("config.toml:7:")) }
  }

  @Test(arguments: [
    "password = hunter2", "password = \"hunter2", "password = 'hunter2\nx = 1",
    "password = \"hunter2\" extra", "password = \"hunter2\\q\"", "password = thunter2",
    "password = fhunter2", "password hunter2 = 3", "password = 2hunter2", "password = inhunter2",
    "password = \"\"\"hunter2", "password = [\"hunter2\"]", "password = { hunter2 = 1 }",
    "password = {\n hunter2 = 1 }", "password =\nhunter2", "user = hunter2",
    "user = \"a\" \"hunter2\"",
  ]) func `an error never repeats the password`(line: String) throws {
    let text = minimal().replacing("password-command = [\"pass\", \"show\", \"mail\"]", with: line)
    let problem = try #require(try ConfigurationFile(text).problem())
    #expect(!problem.problem.contains("hunter2"), "\(problem.problem)")
    #expect(!problem.remedy.contains("hunter2"))
  }

  @Test func `a dump of the settings does not show the password`() throws {
    let text = minimal().replacing(
      "password-command = [\"pass\", \"show\", \"mail\"]", with: "password = \"hunter2\"")
    let configuration = try ConfigurationFile(text).load()
    var dumped = ""
    dump(configuration, to: &dumped)
    #expect(!dumped.contains("hunter2"))
    #expect(!"\(configuration)".contains("hunter2"))
  }

  @Test(arguments: [0o644, 0o640, 0o604])
  func `a password in a file that others can read is refused`(mode: Int) throws {
    let text = minimal().replacing(
      "password-command = [\"pass\", \"show\", \"mail\"]", with: "password = \"hunter2\"")
    let problem = try #require(try ConfigurationFile(text, mode: mode).problem())
    #expect(problem.problem.hasPrefix("config.toml:5: holds a secret"))
    #expect(problem.problem.contains(String(mode, radix: 8)))
    #expect(problem.remedy.contains("chmod 600"))
    #expect(problem.status == .configuration)
    #expect(try ConfigurationFile(text, mode: 0o600).problem() == nil)
    #expect(try ConfigurationFile(minimal(), mode: mode).problem() == nil)
  }

  @Test(arguments: [
    "a/b", ".x", "cur", "NEW", "tmp", "-v", "a:b", "a;b", "a!b", "a,b", "a*", "a%b", " a",
    "a\\u001b",
    "a\\nb", "", "..",
  ]) func `an account's name must do as a directory`(name: String) throws {
    let text = minimal().replacing("accounts.me", with: "accounts.\"\(name)\"")
    let problem = try #require(try ConfigurationFile(text).problem())
    #expect(problem.problem.hasPrefix("config.toml:2: "), "\(problem.problem)")
    #expect(problem.problem == problem.problem.visible)
  }

  @Test(arguments: ["alice@example.org", "Büro", "a b", "x.y", "1"])
  func `other names are welcome`(name: String) throws {
    let text = minimal().replacing("accounts.me", with: "accounts.\"\(name)\"")
    #expect(try ConfigurationFile(text).load().accounts.map(\.name) == [name])
  }

  @Test(arguments: [("Work", "work"), ("b\u{FC}ro", "bu\u{308}ro")])
  func `two names for one directory are refused`(one: String, two: String) throws {
    let server = "imap = { host = \"a\", user = \"b\", password-file = \"/p\" }"
    let file = try ConfigurationFile(
      "[accounts.\"\(one)\"]\n\(server)\n[accounts.\"\(two)\"]\n\(server)\n")
    let problem = try #require(file.problem())
    #expect(problem.problem.hasPrefix("config.toml:"))
    #expect(problem.remedy.contains("Rename one of the two"))
  }

  @Test func `quirks are checked where their names are known`() throws {
    let file = try ConfigurationFile(minimal("quirks = [\"bare-line-feed\", \"-no-mov\"]"))
    let problem = try #require(file.problem(knownQuirks: ["bare-line-feed", "no-move"]))
    #expect(problem.problem == "config.toml:6: “quirks” has no quirk called \"no-mov\".")
    #expect(problem.remedy.contains("no-move"))
    #expect(file.problem(knownQuirks: ["bare-line-feed", "no-mov"]) == nil)
  }

  @Test func `a key in an inline table has its line`() throws {
    let file = try ConfigurationFile(
      "[accounts.me]\n\nimap = { host = \"a\", user = \"b\", prot = 3, password-file = \"/p\" }")
    #expect(try #require(file.problem()).problem == "config.toml:3: unknown key “prot”.")
  }
}
