import Foundation
import MailTestKit
import Testing

/// The whole way of somebody who has never seen the program, as README tells it.
@Suite(
  .onBlockingThreads, .triedAgain,
  .enabled(
    if: InitLab.isPossible && TerminalScreen.isPossible && PostfixServer.isInstalled
      && findProgram("neomutt") != nil))
struct NewcomerTests {
  @Test func `from the quickstart to an answer that was sent, once`() throws {
    let person = try Newcomer()
    try person.triesTheQuickstart()
    let lines = try person.setsUp()
    try person.reads(with: lines)
    try person.pushes()
    // With a configuration the quickstart pulls that.
    let again = try person.quickstart()
    #expect(again.status == 0, "\(again.summary)")
    #expect(again.outputText.contains("Again any time:"), "\(again.summary)")
    #expect(try person.tree.messages.count == 4)
  }
}

/// An empty home, three unread letters on a server, and somebody to answer.
private struct Newcomer {
  let lab: InitLab
  let postfix: PostfixServer
  let address: String
  let alice: String
  let carol: String

  private static let server = Result { try PostfixServer() }

  init() throws {
    let postfix = try Self.server.get()
    let alice = DovecotServer.newUser("alice")
    let carol = DovecotServer.newUser("carol")
    lab = try InitLab { world, domain, _ in
      world.records["autoconfig.\(domain) A"] = ["@"]
      world.pages["autoconfig.\(domain)/mail/config-v1.1.xml"] = .init(
        body: InitLab.document(postfix.dovecot, smtp: postfix.tlsPort))
    }
    (self.postfix, self.alice, self.carol) = (postfix, alice, carol)
    address = "\(alice)@\(lab.domain)"
    try server(alice).append(
      ["apple", "banana", "cherry"].enumerated().map { number, token in
        SampleMessage(
          bytes: crlf(
            """
            From: Carol Example <\(carol)@example.org>
            To: \(address)
            Subject: About \(token)
            Date: Sun, 13 Sep 2020 12:26:4\(number) +0000
            Message-ID: <\(token)@example.org>
            MIME-Version: 1.0
            Content-Type: text/plain; charset=utf-8

            The text of \(token).

            """), date: 1_600_000_000 + Int64(number))
      })
  }

  func server(_ user: String) throws -> IMAPTestClient { try postfix.dovecot.client(user) }
  var tree: MaildirTree { get throws { try MaildirTree(lab.home + "/Mail/personal") } }

  // MARK: A first look

  /// `contrib/quickstart` with the programs that are tested: what stands for `swift` builds nothing and says where they
  /// lie.
  func quickstart() throws -> Outcome {
    let demo = try TemporaryDirectory("q")
    let binary = try #require(MirrorProgram.binary)
    let programs = binary.split(separator: "/").dropLast().joined(separator: "/")
    try makeDirectory(lab.home + "/bin")
    try writeFile(
      lab.home + "/bin/swift",
      "#!/bin/sh\ncase \"$*\" in *--show-bin-path) echo '/\(programs)' ;; esac\n", mode: 0o755)
    defer {
      _ = try? run(["python3", "\(ReaderBed.contrib)/lib/demo.py", "stop", demo.path], limit: 20)
    }
    return try run(
      ["\(ReaderBed.contrib)/quickstart"],
      environment: [
        "HOME": lab.home, "MIRROR_DEMO": demo.path, "LC_ALL": "C.UTF-8", "TZ": "UTC",
        "PATH": "\(lab.home)/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        "SWIFT_BACKTRACE": "enable=no",
      ], limit: 600)
  }

  func triesTheQuickstart() throws {
    let outcome = try quickstart()
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(outcome.outputText.contains("     60  demo/INBOX\n"), "\(outcome.summary)")
    #expect(outcome.outputText.contains("neomutt -f "), "\(outcome.summary)")
    #expect(outcome.outputText.contains("/mirror init "), "\(outcome.summary)")
    #expect(!exists(lab.configuration), "the demonstration leaves no trace in the home directory")
  }

  // MARK: Set-up

  /// `mirror init` at its prompts, up to the first pull; returns what it printed for neomutt.
  func setsUp() throws -> [String] {
    let screen = try lab.screen(address)
    try screen.answer("Use these servers? [Y/n]", "")
    try screen.answer("Your name", "Alice Example")
    try screen.answer("Password for \(address):", DovecotServer.password)
    try screen.answer("Which shall be mirrored?", "")
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
    let lines = try screen.lines
    #expect(lines.contains { $0.hasPrefix("personal: 3 new") }, "\(lines)")
    let head = try #require(lines.firstIndex { $0.hasPrefix("neomutt, in ~/.config/neomutt/") })
    return lines[(head + 1)...].prefix { $0.hasPrefix("  ") }.map { String($0.dropFirst(2)) }
  }

  // MARK: Reading

  private var environment: [String: String] {
    let programs = MirrorProgram.binary?.split(separator: "/").dropLast().joined(separator: "/")
    return lab.environment.merging([
      "PATH": "\(lab.home)/bin:/\(programs ?? ""):/usr/local/bin:/usr/bin:/bin",
      "EDITOR": "answer", "VISUAL": "answer", "LANG": "C.UTF-8",
    ]) { $1 }
  }

  /// neomutt as a person starts it, with the set-up of `contrib` and under it the lines that `init` printed.
  func reads(with lines: [String]) throws {
    try writeFile(
      lab.home + "/bin/answer", "#!/bin/sh\necho 'This is my answer.' >>\"$1\"\n", mode: 0o755)
    try makeDirectory(lab.home + "/.config/neomutt")
    let settings = ["source \"\(ReaderBed.contrib)/readers/neomutt/neomuttrc\""] + lines
    try writeFile(
      lab.home + "/.config/neomutt/neomuttrc", settings.joined(separator: "\n") + "\n")
    let screen = try TerminalScreen(
      ["neomutt"], environment: environment, columns: 110, rows: 40)
    try screen.wait(for: "About cherry")
    try screen.press("Enter")
    try screen.wait(for: "The text of apple.")
    try screen.press("q")
    try screen.wait(for: "About cherry")
    try screen.press(["F", "$"])
    try expect("FS", screen)
    try answers(on: screen)
    try screen.press("$")
    try expect("FRS", screen)
    try screen.press("q")
    #expect(try screen.status() == 0)
    #expect(try tree["Sent"].isEmpty, "the push files the copy")
  }

  private func answers(on screen: TerminalScreen) throws {
    try screen.press(["1", "Enter", "r"])
    try screen.wait(for: "To: Carol")
    try screen.press("Enter")
    try screen.wait(for: "Subject: Re: About apple")
    try screen.press("Enter")
    try screen.wait(for: "Include message")
    try screen.press("y")
    try screen.wait(for: "y:Send")
    try screen.press("y")
    try screen.wait(for: "Mail sent")
  }

  private func expect(_ flags: String, _ screen: TerminalScreen) throws {
    let found = try eventually { try tree.message(with: "apple", in: "INBOX")?.flags == flags }
    guard found else { throw KitError("apple has not the flags \(flags):\n\(try screen.text)") }
  }

  // MARK: Back to the server

  func pushes() throws {
    let pushed = try lab.run(["push"])
    #expect(pushed.status == 0, "\(pushed.summary)\n\(postfix.log.suffix(2000))")
    #expect(pushed.outputText.contains("1 queued message sent, 0 waiting"), "\(pushed.summary)")
    try expectOnServer()
    // Once more, and nothing is done twice.
    let again = try lab.run(["sync"])
    #expect(again.status == 0, "\(again.summary)")
    try postfix.drain()
    try expectOnServer()
    let sent = try tree["Sent"]
    #expect(sent.count == 1)
    #expect(sent.first.map { text($0.raw).contains("This is my answer.") } == true)
  }

  private func expectOnServer() throws {
    let inbox = try server(alice).messages(in: "INBOX")
    let apple = inbox.first { text($0.bytes).contains("<apple@example.org>") }
    #expect(
      apple?.flags.subtracting(["\\Recent"]) == ["\\Answered", "\\Flagged", "\\Seen"])
    #expect(inbox.count == 3)
    let arrived = try postfix.arrived(for: carol, atLeast: 1).map { text($0.bytes) }
    #expect(arrived.count == 1)
    for words in [
      "This is my answer.", "Subject: Re: About apple", "In-Reply-To: <apple@example.org>",
      "Alice Example <\(address)>",
    ] {
      #expect(arrived.first?.contains(words) == true, "\(words): \(arrived)")
    }
    #expect(try server(alice).messages(in: "Sent").count == 1)
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
