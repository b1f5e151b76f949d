import Foundation
import MailTestKit
import Testing

/// The set-up in a script: every answer an option, nothing asked.
@Suite(.onBlockingThreads, .enabled(if: InitLab.isPossible)) struct InitScriptTests {
  private func newUser(_ lab: InitLab) -> String { DovecotServer.newUser("u") + "@" + lab.domain }

  @Test func `autoconfig, a password file, and the pull works`() throws {
    let port = try freePort()
    let lab = try InitLab { world, domain, dovecot in
      world.records["\(domain) A"] = ["@"]
      world.smtpPort = port
      world.pages["\(domain)/.well-known/autoconfig/mail/config-v1.1.xml"] = .init(
        body: InitLab.document(dovecot, smtp: port))
    }
    let user = newUser(lab)
    try lab.dovecot.client(user).append(
      SampleMessage(token: "hello", date: 1_600_000_000, flags: []), to: "INBOX")
    let outcome = try lab.set(
      user, "--yes", "--format", "json", "--password-file", lab.passwordFile(), "--root",
      lab.home + "/tree", "--account", "home", "--folders", "INBOX", "--window", "30d")
    #expect(outcome.status == 0, "\(outcome.summary)")
    let document = try InitDocument(outcome)
    #expect(document.imap?.source == "autoconfig" && document.imap?.host == "localhost")
    #expect(document.checked == ["imap", "smtp"])
    #expect(document.written && document.backup == nil)
    #expect(
      lab.servers.requests.contains {
        $0.contains("emailaddress=\(user.replacing("@", with: "%40"))")
      },
      "\(lab.servers.requests)")
    let pull = try lab.run(["pull"])
    #expect(pull.status == 0, "\(pull.summary)")
    #expect(exists(lab.home + "/tree/home/INBOX"))

    // A second account goes into the same file, whose bytes stay.
    let before = lab.configurationText
    let second = try lab.set(
      user, "--yes", "--format", "json", "--password-file", lab.passwordFile(), "--account", "two")
    #expect(second.status == 0, "\(second.summary)")
    let backup = try #require(try InitDocument(second).backup)
    let kept = try readFile(backup)
    #expect(String(decoding: kept, as: UTF8.self) == before)
    #expect(lab.configurationText.hasPrefix(before))
    let third = try lab.set(
      user, "--yes", "--password-file", lab.passwordFile(), "--account", "two")
    #expect(third.status == 78, "\(third.summary)")
    #expect(third.errorText.contains("--replace"))
    let other = try lab.set(
      user, "--yes", "--password-file", lab.passwordFile(), "--account", "x", "--root", "/other")
    #expect(other.status == 64, "\(other.summary)")
  }

  @Test func `SRV records are followed, but not out of the domain without a word`() throws {
    let lab = try InitLab { world, domain, dovecot in
      world.records["_imaps._tcp.\(domain) SRV"] = ["0 1 \(dovecot.tlsPort) localhost"]
      world.records["_submissions._tcp.\(domain) SRV"] = ["0 1 465 smtp.\(domain)"]
    }
    let refused = try lab.set(
      newUser(lab), "--yes", "--format", "json", "--password-file", lab.passwordFile())
    #expect(refused.status == 77, "\(refused.summary)")
    #expect(refused.errorText.contains("--imap-host localhost"))
    let document = try InitDocument(refused)
    #expect(document.imap?.source == "srv" && document.imap?.port == Int(lab.dovecot.tlsPort))
    #expect(document.smtp?.host == "smtp.\(lab.domain)")
    #expect(!document.written && !exists(lab.configuration))
    let told = try lab.set(
      newUser(lab), "--yes", "--password-file", lab.passwordFile(), "--imap-host", "localhost",
      "--imap-port", "\(lab.dovecot.tlsPort)", "--imap-tls", "implicit", "--smtp-host", "none",
      "--user", DovecotServer.newUser())
    #expect(told.status == 0, "\(told.summary)")
  }

  @Test func `MX records lead to a provider of the table`() throws {
    let lab = try InitLab { world, domain, _ in
      world.records["\(domain) MX"] = ["10 mx2.elsewhere.test", "5 aspmx.l.google.com"]
    }
    let outcome = try lab.set(
      "a@" + lab.domain, "--yes", "--dry-run", "--format", "json", "--oauth", "google",
      "--client-id", "my-id")
    #expect(outcome.status == 0, "\(outcome.summary)")
    let document = try InitDocument(outcome)
    #expect(document.imap?.host == "imap.gmail.com" && document.imap?.source == "mx")
    #expect(document.provider == "Gmail")
    #expect(document.would?.contains("client-id = \"my-id\"") == true)
    #expect(!document.written && !exists(lab.home + "/.config"))
    // A host that only jumps in says nothing of where the mailboxes are.
    let backup = try InitLab { world, domain, _ in
      world.records["\(domain) MX"] = ["5 mx.elsewhere.test", "10 aspmx.l.google.com"]
    }
    let unknown = try backup.set(
      "a@" + backup.domain, "--yes", "--dry-run", "--password-command", "echo pw")
    #expect(unknown.status == 64, "\(unknown.summary)")
  }

  @Test func `MX records lead into the database, but not out of the domain without a word`() throws
  {
    let port = try freePort()
    let lab = try InitLab { world, domain, dovecot in
      world.records["\(domain) MX"] = ["5 mx.isp.test"]
      world.records["db.\(domain) A"] = ["@"]
      world.smtpPort = port
      world.pages["db.\(domain)/v1.1/isp.test"] = .init(
        body: InitLab.document(dovecot, smtp: port))
    }
    let outcome = try lab.run([
      "init", newUser(lab), "--ca-file", lab.servers.authority, "--ispdb",
      "https://db.\(lab.domain)/v1.1/", "--yes", "--format", "json", "--password-file",
      try lab.passwordFile(),
    ])
    #expect(outcome.status == 77, "\(outcome.summary)")
    #expect(outcome.errorText.contains("--imap-host localhost"))
    let document = try InitDocument(outcome)
    #expect(document.imap?.source == "mx" && document.imap?.host == "localhost")
    #expect(document.checked == [] && !document.written && !exists(lab.configuration))
  }

  /// A description, and what DNS says of it; `sha256sum` made the digest.
  private static let described = (
    body: #"{"protocols":{"imap":{"host":"imap.described.test"},"#
      + #""smtp":{"host":"smtp.described.test"}},"info":{"provider":{"name":"Described Mail"}}}"#,
    digest: "Exs7Qz7PbDS/oAax8QqeTPziIJ/sEWqodUru8xdDRdQ="
  )

  @Test(arguments: [true, false]) func `a description is believed that DNS vouches for`(
    isVouchedFor: Bool
  ) throws {
    let lab = try InitLab { world, domain, dovecot in
      let host = "ua-auto-config.\(domain)"
      world.names.append(host)
      world.records["\(host) A"] = ["@"]
      world.records["_ua-auto-config.\(domain) TXT"] = [
        "v=UAAC1; a=sha256; d=\(Self.described.digest)"
      ]
      world.pages["\(host)/.well-known/user-agent-configuration.json"] = .init(
        body: Self.described.body + (isVouchedFor ? "" : " "))
      world.records["autoconfig.\(domain) A"] = ["@"]
      world.pages["autoconfig.\(domain)/mail/config-v1.1.xml"] = .init(
        body: InitLab.document(dovecot, smtp: 465))
    }
    let outcome = try lab.set(
      "a@" + lab.domain, "--yes", "--no-check", "--format", "json", "--password-command", "echo pw")
    #expect(outcome.status == 0, "\(outcome.summary)")
    let document = try InitDocument(outcome)
    #expect(document.imap?.source == (isVouchedFor ? "pacc" : "autoconfig"))
    if isVouchedFor {
      #expect(document.imap?.host == "imap.described.test" && document.imap?.port == 993)
      #expect(document.smtp?.host == "smtp.described.test" && document.smtp?.port == 465)
      #expect(document.provider == "Described Mail")
    }
  }

  @Test func `usual names are asked, and need a certificate of their own`() throws {
    let lab = try InitLab { world, domain, _ in
      world.records["imap.\(domain) A"] = ["@"]
      world.hasIMAP = true
    }
    let outcome = try lab.set(
      "a@" + lab.domain, "--yes", "--no-check", "--smtp-host", "none", "--format", "json",
      "--password-command", "echo pw")
    #expect(outcome.status == 0, "\(outcome.summary)")
    let document = try InitDocument(outcome)
    #expect(document.imap?.source == "guess" && document.imap?.host == "imap.\(lab.domain)")
    let untrusted = try lab.run([
      "init", "b@" + lab.domain, "--yes", "--no-check", "--ispdb", "none", "--account", "b",
      "--password-command", "echo pw",
    ])
    #expect(untrusted.status == 64, "\(untrusted.summary)")
  }

  @Test func `a database of the ISPDB's form is asked for the domain alone`() throws {
    let port = try freePort()
    let lab = try InitLab { world, domain, dovecot in
      world.records["db.\(domain) A"] = ["@"]
      world.smtpPort = port
      world.pages["db.\(domain)/v1.1/\(domain)"] = .init(
        body: InitLab.document(dovecot, smtp: port))
    }
    let outcome = try lab.run([
      "init", newUser(lab), "--ca-file", lab.servers.authority, "--ispdb",
      "https://db.\(lab.domain)/v1.1/", "--yes", "--format", "json", "--password-file",
      try lab.passwordFile(),
    ])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try InitDocument(outcome).imap?.source == "ispdb")
    #expect(
      lab.servers.requests.contains { $0.hasPrefix("GET db.\(lab.domain)/v1.1/\(lab.domain) ") })
  }

  @Test func `an international domain is asked for by its A-label`() throws {
    let label = "xn--bcher-kva"
    let port = try freePort()
    let lab = try InitLab { world, domain, dovecot in
      world.records["autoconfig.\(label).\(domain) A"] = ["@"]
      world.names.append("autoconfig.\(label).\(domain)")
      world.smtpPort = port
      world.pages["autoconfig.\(label).\(domain)/mail/config-v1.1.xml"] = .init(
        body: InitLab.document(dovecot, smtp: port))
    }
    let outcome = try lab.set(
      "a@Bücher.\(lab.domain)", "--yes", "--no-check", "--format", "json", "--password-command",
      "echo pw")
    #expect(outcome.status == 0, "\(outcome.summary)")
    let document = try InitDocument(outcome)
    #expect(document.email == "a@bücher.\(lab.domain)")
    #expect(document.imap?.source == "autoconfig")
  }

  @Test func `the table needs no network, and nothing else is asked offline`() throws {
    let lab = try InitLab()
    let known = try lab.set(
      "a@fastmail.com", "--offline", "--yes", "--password-command", "echo pw", "--name", "A B",
      "--format", "json")
    #expect(known.status == 0, "\(known.summary)")
    #expect(try InitDocument(known).imap?.source == "table")
    #expect(lab.configurationText.contains("host = \"imap.fastmail.com\""))
    let unknown = try lab.set(
      "a@" + lab.domain, "--offline", "--yes", "--password-command", "echo pw")
    #expect(unknown.status == 64, "\(unknown.summary)")
    #expect(unknown.errorText.contains("--imap-host"))
    #expect(lab.servers.requests == [])
  }

  @Test func `a wrong password in a script ends it at once`() throws {
    let lab = try InitLab()
    let outcome = try lab.set(
      newUser(lab), "--yes", "--password-file", lab.passwordFile("wrong"), "--imap-host",
      "localhost:\(lab.dovecot.tlsPort)", "--imap-tls", "implicit", "--smtp-host", "none",
      "--user", DovecotServer.newUser())
    #expect(outcome.status == 77, "\(outcome.summary)")
    #expect(outcome.errorText.contains("refused the log-in"))
    #expect(!outcome.errorText.contains("wrong\n"))
    #expect(!exists(lab.configuration))
  }

  @Test func `a password is handed over, and kept where the script says`() throws {
    let lab = try InitLab()
    let server = [
      "--imap-host", "localhost:\(lab.dovecot.tlsPort)", "--imap-tls", "implicit", "--smtp-host",
      "none", "--user", DovecotServer.newUser(), "--ca-file", lab.servers.authority, "--ispdb",
      "none",
    ]
    func set(_ input: String, _ store: String) throws -> Outcome {
      let feeding = ["sh", "-c", "printf %s \"$0\" | \"$@\"", input]
      let command = [try #require(MirrorProgram.binary), "init", newUser(lab), "--yes"]
      return try MailTestKit.run(
        feeding + command + server + ["--password-store", store], environment: lab.environment)
    }
    let nothing = try set("", "file")
    #expect(nothing.status == 64, "\(nothing.summary)")
    #expect(nothing.errorText.contains("standard input"))
    let missing = try set(DovecotServer.password, "keychain")
    #expect(missing.status == 64, "\(missing.summary)")
    let wrong = try set("wrong\n", "file")
    #expect(wrong.status == 77, "\(wrong.summary)")
    #expect(!exists(lab.configuration) && !exists(lab.home + "/.config/mirror/passwords"))
    let fine = try set(DovecotServer.password + "\nmore", "file")
    #expect(fine.status == 0, "\(fine.summary)")
    let kept = lab.home + "/.config/mirror/passwords/personal"
    #expect(lab.mode(kept) == 0o600)
    #expect(try readFile(kept) == Array((DovecotServer.password + "\n").utf8))
    #expect(try lab.run(["pull", "--no-index"]).status == 0)
  }

  @Test func `no password is kept for a configuration that cannot be written`() throws {
    let lab = try InitLab()
    // Accounts in an inline table take no further one.
    let imap = "{ host = 'h', user = 'u', password-command = 'x' }"
    let before = "accounts = { a = { imap = \(imap) } }\n"
    try makeDirectory(lab.home + "/.config/mirror")
    try writeFile(lab.configuration, before, mode: 0o600)
    let feeding = ["sh", "-c", "printf pw | \"$@\"", "sh"]
    let outcome = try MailTestKit.run(
      feeding + [
        try #require(MirrorProgram.binary), "init", "a@fastmail.com", "--offline", "--yes",
        "--name", "A", "--account", "b", "--password-store", "file",
      ], environment: lab.environment)
    #expect(outcome.status == 78, "\(outcome.summary)")
    #expect(!exists(lab.home + "/.config/mirror/passwords"))
    #expect(lab.configurationText == before)
    // That it cannot be replaced is told before any server is looked for.
    let torn = try lab.set(
      "a@" + lab.domain, "--yes", "--replace", "--account", "a", "--password-command", "echo pw")
    #expect(torn.status == 78 && torn.errorText.contains("tables of its own"), "\(torn.summary)")
    #expect(lab.servers.requests == [])
  }

  @Test func `a root with a slash behind it is the same root`() throws {
    let lab = try InitLab()
    for (account, root) in [("one", "/tree"), ("two", "/tree/")] {
      let outcome = try lab.set(
        "a@fastmail.com", "--offline", "--yes", "--name", "A", "--password-command", "echo pw",
        "--account", account, "--root", lab.home + root)
      #expect(outcome.status == 0, "\(outcome.summary)")
    }
  }

  @Test func `a client secret comes from a file that nobody else reads`() throws {
    let lab = try InitLab()
    let secret = try lab.passwordFile("GOCSPX-private")
    let arguments = [
      "a@gmail.com", "--offline", "--yes", "--name", "A", "--oauth", "google", "--client-id", "me",
      "--client-secret-file", "secret", "--format", "json",
    ]
    func set(_ more: String...) throws -> Outcome {
      try MailTestKit.run(
        [try #require(MirrorProgram.binary), "init"] + arguments + more,
        environment: lab.environment, directory: lab.home)
    }
    chmod(secret, 0o644)
    let open = try set()
    #expect(open.status == 77, "\(open.summary)")
    #expect(open.errorText.contains(secret) && !open.errorText.contains("GOCSPX"))
    #expect(!exists(lab.configuration))
    chmod(secret, 0o600)
    let dry = try set("--dry-run")
    #expect(dry.status == 0 && !dry.outputText.contains("GOCSPX"), "\(dry.summary)")
    let written = try set()
    #expect(written.status == 0 && !written.outputText.contains("GOCSPX"), "\(written.summary)")
    #expect(lab.configurationText.contains("client-secret = \"GOCSPX-private\""))
    #expect(lab.mode(lab.configuration) == 0o600)
  }

  @Test func `what cannot be is told, each with its status`() throws {
    let lab = try InitLab { world, domain, _ in world.records["\(domain) TXT"] = [] }
    let cases: [([String], Int32, String)] = [
      (["alice", "--yes"], 64, "domain"), (["alice@", "--yes"], 64, "domain"),
      (["a@exa mple.org", "--yes"], 64, "domain"), (["--yes"], 64, "address"),
      (["a@\(lab.domain)"], 64, "no terminal"),
      (["a@nowhere.\(lab.domain)", "--yes"], 64, "--imap-host"),
      (["a@gmail.com", "--yes", "--offline", "--account", "../x"], 64, "cannot be an account"),
      (["a@gmail.com", "--yes", "--offline", "--window", "soon"], 64, "--window"),
      (["a@gmail.com", "--yes", "--offline"], 64, "--password"),
      (["a@gmail.com", "--yes", "--ispdb", "http://x/"], 64, "https"),
      (["a@gmail.com", "--yes", "--client-secret-file", "/x"], 64, "--client-id"),
      (["a@gmx.de", "--yes", "--offline", "--client-id", "x"], 64, "--oauth"),
      (["a@x.org", "--yes", "--imap-host", "h", "--imap-tls", "none"], 64, "this machine"),
    ]
    for (arguments, status, words) in cases {
      let outcome = try lab.run(
        ["init"] + arguments + (arguments.contains("--ispdb") ? [] : ["--ispdb", "none"]))
      #expect(outcome.status == status, "\(arguments): \(outcome.summary)")
      #expect(outcome.errorText.contains(words), "\(arguments): \(outcome.summary)")
      #expect(!exists(lab.configuration))
    }
  }
}
