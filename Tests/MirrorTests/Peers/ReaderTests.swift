import Foundation
import MailTestKit
import Testing

/// Other people's programs read the tree.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct ReaderTests {
  private func pulled() throws -> Scenario {
    let scenario = try Scenario()
    try scenario.fill(60)
    try scenario.client.create("Lists/swift")
    try scenario.fill(15, seed: 2, mailbox: "Lists/swift", profile: .office)
    try scenario.client.store([1, 2, 3], "+FLAGS", ["topic", "$Junk"], in: "INBOX")
    try scenario.pull()
    return scenario
  }

  @Test(.enabled(if: findProgram("notmuch") != nil))
  func `notmuch indexes every message without complaint`() throws {
    let scenario = try pulled()
    let configuration = scenario.mirror.home + "/notmuch"
    try writeFile(
      configuration,
      "[database]\npath=\(scenario.mirror.root)\n[user]\nname=a\nprimary_email=a@example.org\n[new]\ntags=new\nignore=.mirror\n[search]\n[maildir]\nsynchronize_flags=true\n"
    )
    let environment = [
      "NOTMUCH_CONFIG": configuration, "HOME": scenario.mirror.home, "PATH": "/usr/bin:/bin",
    ]
    let outcome = try run(["notmuch", "new"], environment: environment)
    #expect(outcome.status == 0 && outcome.errorText == "", "\(outcome.summary)")
    let count = try run(["notmuch", "count", "--output=files", "*"], environment: environment)
    #expect(count.outputText == "75\n", "\(count.summary)")
    try scenario.append(["after"])
    try scenario.pull()
    try scenario.expectMirrored()
  }

  @Test(.enabled(if: findProgram("mu") != nil)) func `mu indexes every message without complaint`()
    throws
  {
    let scenario = try pulled()
    let home = ["--muhome=\(scenario.mirror.home)/mu"]
    try runSuccessfully(["mu", "init", "--maildir=\(scenario.mirror.root)"] + home)
    let outcome = try run(["mu", "index", "--nocolor"] + home)
    #expect(
      outcome.status == 0 && !outcome.errorText.lowercased().contains("error"), "\(outcome.summary)"
    )
    let found = try run(
      ["mu", "find", "--fields=l", "--include-related=false", "--skip-dups=false", ""] + home)
    #expect(found.outputText.split(separator: "\n").count == 75, "\(found.summary)")
  }

  @Test(.enabled(if: findProgram("neomutt") != nil && findProgram("script") != nil))
  func `neomutt reads every message`() throws {
    let scenario = try pulled()
    let home = scenario.mirror.home
    try writeFile(
      home + "/neomuttrc",
      """
      set folder="\(scenario.mirror.account)" mbox_type=mbox copy=no confirmappend=no confirmcreate=no
      set read_only=yes header_cache="" sleep_time=0 wait_key=no quit=yes tilde
      push "<tag-pattern>~A<enter><tag-prefix><copy-message>\(home)/out.mbox<enter><quit>"

      """)
    let command = "neomutt -n -F \(home)/neomuttrc -f \(scenario.mirror.account)/INBOX"
    let outcome = try run(
      ["script", "-qec", command, "/dev/null"],
      environment: ["HOME": home, "TERM": "xterm", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"],
      limit: 120)
    let copied = String(decoding: (try? readFile(home + "/out.mbox")) ?? [], as: UTF8.self)
    let ids = Set(copied.split(separator: "\n").filter { $0.hasPrefix("Message-ID:") })
    #expect(ids.count == 60, "\(outcome.ending) \(copied.count)")
  }

  @Test func `dovecot serving the tree shows what the origin shows`() throws {
    let scenario = try Scenario()
    try scenario.fill(50)
    try scenario.client.create("Lists/swift")
    try scenario.fill(10, seed: 2, mailbox: "Lists/swift")
    try scenario.append(
      ["all"], flags: ["\\Seen", "\\Flagged", "\\Answered", "\\Draft", "\\Deleted"])
    try scenario.pull()
    // A copy, because dovecot writes files of its own beside the mail.
    let copy = Scratch.base + "/served-\(scenario.user)"
    try runSuccessfully(["cp", "-a", scenario.mirror.account, copy])
    defer { removeTree(copy) }
    removeTree(copy + "/.mirror")
    try runSuccessfully(["chown", "-R", "\(DovecotServer.mailOwner)", copy])
    let server = try DovecotServer(
      .init(mailLocation: "maildir:\(copy):LAYOUT=fs:INBOX=\(copy)/INBOX"))
    let there = try server.client("anybody").state()
    let origin = try scenario.client.state()
    #expect(Set(there.keys) == Set(origin.keys))
    for (mailbox, messages) in origin {
      let served = Set((there[mailbox] ?? []).map(Self.plain))
      #expect(served == Set(messages.map(Self.plain)), "\(mailbox)")
    }
  }

  private static func plain(_ message: ExpectedMessage) -> ExpectedMessage {
    ExpectedMessage(
      bytes: message.bytes, flags: message.flags.subtracting(["\\Recent"]), date: message.date)
  }

  @Test func `keywords in dovecot's own form are letters and a file`() throws {
    let scenario = try Scenario(sync: "keywords = \"dovecot\"")
    try scenario.append(["one", "two"], flags: ["topic", "$Junk", "\\Seen"])
    try scenario.pull()
    let tree = try scenario.mirror.tree()
    #expect(tree["INBOX"].allSatisfy { $0.flags == "Sab" }, "\(tree["INBOX"].map(\.flags))")
    let file = String(
      decoding: try readFile(scenario.mirror.account + "/INBOX/dovecot-keywords"), as: UTF8.self)
    #expect(
      Set(file.split(separator: "\n").map { $0.split(separator: " ")[1] }) == ["topic", "$Junk"])
    try scenario.expectQuiet()
  }

  @Test func `rsync carries a tree and its backup state to another machine`() throws {
    let scenario = try pulled()
    let before = try scenario.mirror.tree().messages
    let account = scenario.mirror.account
    // What rsync would bring: everything but the live database.
    try runSuccessfully(["cp", "-a", account, account + ".other"])
    for end in ["", "-wal", "-shm"] {
      _ = try? FileManager.default.removeItem(atPath: account + ".other/.mirror/state.db\(end)")
    }
    removeTree(account)
    try FileManager.default.moveItem(atPath: account + ".other", toPath: account)
    try scenario.pull()
    #expect(scenario.bodyFetches == [])
    #expect(Set(try scenario.mirror.tree().messages.map(\.inode)).count == before.count)
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }
}
