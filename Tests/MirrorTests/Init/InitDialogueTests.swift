import Foundation
import MailTestKit
import Testing

/// The set-up as a person does it: in a terminal of 80 columns, at its prompts.
@Suite(
  .onBlockingThreads, .triedAgain, .enabled(if: InitLab.isPossible && TerminalScreen.isPossible))
struct InitDialogueTests {
  private func lab() throws -> InitLab {
    // The outgoing server's port is only known once the world stands, so it is fixed beforehand.
    let port = try freePort()
    return try InitLab { world, domain, dovecot in
      world.records["autoconfig.\(domain) A"] = ["@"]
      world.smtpPort = port
      world.pages["autoconfig.\(domain)/mail/config-v1.1.xml"] = .init(
        body: InitLab.document(dovecot, smtp: port))
    }
  }

  private func expectReadable(_ screen: TerminalScreen, _ lab: InitLab) throws {
    // Lines to copy are never broken, nor is what all commands say at their end; a temporary path is long.
    for line in try screen.lines
    where !line.contains("ExecStart=") && !line.contains(lab.home) && !line.hasPrefix("mirror: ") {
      #expect(line.count <= 80, "\(line)")
    }
    let text = try screen.text
    #expect(!text.contains("wrong-password"), "a password was shown:\n\(text)")
  }

  @Test func `from an address to mail, with one wrong password on the way`() throws {
    let lab = try lab()
    let user = DovecotServer.newUser("alice") + "@" + lab.domain
    let client = try lab.dovecot.client(user)
    var generator = MailGenerator(seed: 7, profile: .list, count: 12)
    try client.append(generator.messages(12), to: "INBOX")
    try client.append(generator.messages(3), to: "Junk")
    let screen = try lab.screen()
    try screen.answer("Your e-mail address:", "nobody")
    try screen.answer("Your e-mail address:", user)
    #expect(try screen.text.contains("An address has a domain behind its @"))
    try screen.answer("Use these servers? [Y/n]", "")
    let found = try screen.text
    #expect(found.contains("Found The Test & Co, from \(lab.domain) itself, by autoconfig"))
    #expect(found.contains("incoming (IMAP)  localhost, port \(lab.dovecot.tlsPort), TLS"))
    try screen.answer("Your name", "Alice Example")
    try screen.answer("Password for \(user):", "wrong-password")
    try screen.answer("Password for \(user):", DovecotServer.password)
    #expect(try screen.text.contains("localhost refused the log-in"))
    try screen.expect("Which shall be mirrored?")
    let listed = try screen.lines
    let number = try #require(
      listed.first { $0.contains("Junk") }?.split(separator: " ").first.map(String.init))
    #expect(listed.contains { $0.contains(#/ Junk +3  +[0-9.]+ k?B  junk$/#) })
    #expect(listed.contains { $0.contains(#/ INBOX +12  +[0-9.]+ [kM]?B$/#) })
    try screen.type("-" + number)
    try screen.answer("How far back?", "")
    try screen.answer("A short name for this account [personal]:", "")
    try screen.answer("Where shall the mail lie? [~/Mail]", "")
    try screen.expect("Which? [1]")
    let file = try #require(
      try screen.lines.last { $0.contains("a file that only you can read") }?
        .split(separator: " ").first.map(String.init))
    try screen.type(file)
    try screen.answer("Pull the mail now? [Y/n]", "")
    #expect(try screen.status() == 0)
    try expectReadable(screen, lab)

    let text = try screen.text
    #expect(text.contains("neomutt, in ~/.config/neomutt/neomuttrc:"))
    #expect(text.contains("personal: 12 new"), "\(text)")
    #expect(lab.mode(lab.configuration) == 0o600)
    #expect(lab.mode(lab.home + "/.config/mirror/passwords/personal") == 0o600)
    #expect(!lab.configurationText.contains("\"\(DovecotServer.password)\""))
    #expect(lab.configurationText.contains("folders = [\"*\", \"!Junk\"]"))
    #expect(try MaildirTree(lab.home + "/Mail/personal").messages.count == 12)
    // What was written is good for every later day.
    let again = try lab.run(["pull"])
    #expect(again.status == 0, "\(again.summary)")
    #expect(lab.servers.requests.contains("SMTP \(user) yes"))
  }

  @Test func `three wrong passwords end it with 77, and nothing is written`() throws {
    let lab = try lab()
    let user = DovecotServer.newUser("bob") + "@" + lab.domain
    let screen = try lab.screen(user, "--name", "Bob")
    try screen.answer("Use these servers? [Y/n]", "y")
    for _ in 1...2 { try screen.answer("Password for", "wrong-password") }
    try screen.answer("Which? [1]", "2")
    try screen.answer("User name there", "")
    try screen.answer("Password for", "wrong-password")
    #expect(try screen.status() == 77)
    try expectReadable(screen, lab)
    #expect(!exists(lab.configuration))
    #expect(!exists(lab.home + "/.config/mirror/passwords"))
  }

  @Test(arguments: ["C-c", "C-d"])
  func `broken off at the password, the terminal is as it was`(key: String) throws {
    let lab = try lab()
    let screen = try lab.screen("a@" + lab.domain, "--name", "A")
    try screen.answer("Use these servers? [Y/n]", "y")
    try screen.expect("Password for")
    try screen.press(key)
    #expect(try screen.status() == 130)
    #expect(!exists(lab.configuration))
    // Echo is on again: what is typed now can be seen.
    try screen.type("visible again")
    #expect(try eventually { try screen.text.contains("visible again") })
  }

  @Test func `an outgoing server that refuses is left out on request`() throws {
    let port = try freePort()
    let lab = try InitLab { world, domain, dovecot in
      world.records["autoconfig.\(domain) A"] = ["@"]
      world.smtpPort = port
      world.smtpPassword = "another"
      world.pages["autoconfig.\(domain)/mail/config-v1.1.xml"] = .init(
        body: InitLab.document(dovecot, smtp: port))
    }
    let user = DovecotServer.newUser("carol") + "@" + lab.domain
    let screen = try lab.screen(user, "--name", "C", "--folders", "INBOX", "--no-pull")
    try screen.answer("Use these servers? [Y/n]", "y")
    try screen.answer("Password for", DovecotServer.password)
    try screen.answer("Which?", "3")
    try screen.answer("How far back?", "90d")
    try screen.answer("A short name", "carol")
    try screen.answer("Where shall the mail lie?", lab.home + "/tree")
    try screen.expect("Which? [1]")
    let text = try screen.text
    #expect(text.contains("535") || text.contains("not you"), "\(text)")
    let own = try #require(
      try screen.lines.last { $0.contains("a command of your own") }?.split(separator: " ").first)
    try screen.type(String(own))
    try screen.answer("The command, as in a shell:", "echo not-that-one")
    try screen.answer("Which? [1]", String(own))
    try screen.answer("The command, as in a shell:", "echo pw")
    #expect(try screen.status() == 0)
    try expectReadable(screen, lab)
    #expect(lab.configurationText.contains("password-command = \"echo pw\""))
    #expect(!lab.configurationText.contains("smtp"))
    #expect(lab.configurationText.contains("window = \"90d\""))
  }
}
