import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `mirror forget`: nothing of an account stays here, and nothing is lost by accident.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct ForgetRunTests {
  private func scenario() throws -> Scenario {
    let scenario = try Scenario()
    try scenario.client.create("Trash")
    try scenario.append(["m0", "m1"])
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    return scenario
  }

  private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  private func forget(_ scenario: Scenario, _ more: String...) throws -> Outcome {
    try scenario.mirror.run(["forget", "personal", "--yes"] + more)
  }

  private func expectGone(_ scenario: Scenario, location: SourceLocation = #_sourceLocation) throws
  {
    #expect(!exists(scenario.mirror.account), sourceLocation: location)
    #expect(!exists(scenario.mirror.root + "/.mirror/forgotten"), sourceLocation: location)
    let text = try String(contentsOfFile: scenario.mirror.configuration, encoding: .utf8)
    #expect(!text.contains("personal") && text.contains("root ="), sourceLocation: location)
    let there = try scenario.client.messages(in: "INBOX").count
    #expect(there == 2, "the server keeps its mail", sourceLocation: location)
    let trees = scenario.mirror.home + "/.local/state/mirror/trees"
    let kept = (try? FileManager.default.contentsOfDirectory(atPath: trees)) ?? []
    #expect(kept.isEmpty, sourceLocation: location)
    let found = try scenario.mirror.run(
      ["search", "*", "--root", scenario.mirror.root, "--format", "ids"])
    #expect(found.outputText == "", "\(found.summary)", sourceLocation: location)
  }

  /// Nothing happened: the tree is in its place, with its mail, and the configuration has it.
  private func expectWhole(_ scenario: Scenario, location: SourceLocation = #_sourceLocation) throws
  {
    #expect(!exists(scenario.mirror.root + "/.mirror/forgotten"), sourceLocation: location)
    #expect(exists(scenario.mirror.account + "/.mirror/state.db"), sourceLocation: location)
    let text = try String(contentsOfFile: scenario.mirror.configuration, encoding: .utf8)
    #expect(text.contains("[accounts.personal.imap]"), sourceLocation: location)
    #expect(try scenario.local("m1@") != nil, sourceLocation: location)
  }

  private func deliver(_ token: String, _ scenario: Scenario, to folder: String = "INBOX") throws {
    try Reader(scenario.mirror).deliver(
      SampleMessage(token: token).bytes.filter { $0 != 13 }, name: "17.1_\(token).host",
      to: folder)
  }

  @Test func `an account goes, with its tree, its rows and its tables`() throws {
    let scenario = try scenario()
    let unasked = try scenario.mirror.run(["forget", "personal"])
    #expect(unasked.status == 64, "\(unasked.summary)")
    try expectWhole(scenario)
    let told = try scenario.mirror.run(["forget", "personal", "--dry-run"])
    #expect(told.status == 0, "\(told.summary)")
    #expect(told.outputText.contains("would be removed, with 2 messages"), "\(told.summary)")
    try expectWhole(scenario)
    let outcome = try forget(scenario, "--format", "json")
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(outcome.outputText.contains("\"messages\" : 2"), "\(outcome.summary)")
    try expectGone(scenario)
    #expect(try forget(scenario).status == 64)
    // The same account anew begins from nothing.
    try scenario.mirror.configure { _ in }
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    try scenario.expectMirrored()
  }

  @Test(.enabled(if: geteuid() == 0)) func `a disk inside of the tree is not emptied`() throws {
    let scenario = try scenario()
    let disk = scenario.mirror.account + "/My Disk"
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
    try #require(mount("tmpfs", disk, "tmpfs", 0, nil) == 0)
    defer { umount(disk) }
    try writeFile(disk + "/thesis", "years of work")
    let outcome = try forget(scenario, "--force")
    #expect(outcome.status == 77, "\(outcome.summary)")
    #expect(exists(disk + "/thesis"))
    try expectWhole(scenario)
  }

  // MARK: What would be lost

  @Test func `it is refused while something waits or exists only here`() throws {
    let scenario = try scenario()
    let reader = Reader(scenario.mirror)
    func refuse(_ words: String, location: SourceLocation = #_sourceLocation) throws {
      let outcome = try forget(scenario)
      #expect(outcome.status == 1, "\(outcome.summary)", sourceLocation: location)
      #expect(outcome.errorText.contains(words), "\(outcome.summary)", sourceLocation: location)
      try expectWhole(scenario, location: location)
      let told = try scenario.mirror.run(["forget", "personal", "--dry-run"])
      #expect(told.status == 1 && told.outputText.contains(words), sourceLocation: location)
    }
    try reader.setFlags(#require(try scenario.local("m0@")), "F")
    try refuse("1 change not pushed")
    try reader.setFlags(#require(try scenario.local("m0@")), "")
    try reader.move(#require(try scenario.local("m0@")), to: "Trash")
    try refuse("1 change not pushed")
    try scenario.push()
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    try reader.remove(#require(try scenario.local("m0@")))
    try refuse("1 change not pushed")
    #expect(try scenario.mirror.run(["revert"]).status == 0)
    let message = try #require(try scenario.local("m0@"))
    try reader.rewrite(message, message.raw + Array("one more line\n".utf8))
    try refuse("1 message nowhere but here")
    #expect(try scenario.mirror.run(["revert"]).status == 0)
    try deliver("mine", scenario)
    try refuse("1 message nowhere but here")
    try reader.remove(#require(try scenario.local("mine@")))
    let hidden = scenario.mirror.account + "/.keep"
    for part in ["cur", "new", "tmp"] {
      try FileManager.default.createDirectory(
        atPath: "\(hidden)/\(part)", withIntermediateDirectories: true)
    }
    try writeFile(hidden + "/cur/1.host:2,S", "Subject: kept\n\naside\n")
    try refuse("1 message nowhere but here")
    try FileManager.default.removeItem(atPath: hidden)
    try writeFile(scenario.mirror.account + "/notes.txt", "not mail")
    try refuse("1 file that is no mail (notes.txt)")
    try FileManager.default.removeItem(atPath: scenario.mirror.account + "/notes.txt")
    try FileManager.default.removeItem(atPath: scenario.mirror.account + "/.mirror/state.db")
    let adopted = try forget(scenario)
    #expect(adopted.status == 1, "a state that is gone: \(adopted.summary)")
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    let outcome = try forget(scenario)
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(!exists(scenario.mirror.account))
  }

  @Test func `an account that was never pulled goes, too`() throws {
    let scenario = try Scenario()
    let outcome = try forget(scenario)
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(!exists(scenario.mirror.account))
    let text = try String(contentsOfFile: scenario.mirror.configuration, encoding: .utf8)
    #expect(!text.contains("personal"))
  }

  private func queue(_ scenario: Scenario) throws -> Outcome {
    let path = scenario.mirror.home + "/letter"
    try writeFile(path, "To: bob@example.org\nSubject: hello\n\nhi\n")
    return try MailTestKit.run(
      ["sh", "-c", "exec \"$0\" sendmail -t < \(path)"] + scenario.mirror.command([]),
      environment: scenario.mirror.environment)
  }

  private func addServer(_ scenario: Scenario) throws {
    try scenario.mirror.configure {
      $0.imap = "\n[accounts.personal.smtp]\nhost = \"127.0.0.1\"\nport = 9\ntls = \"none\"\n"
    }
  }

  @Test func `a message that waits to be sent keeps it`() throws {
    let scenario = try scenario()
    try addServer(scenario)
    #expect(try queue(scenario).status == 0)
    let outcome = try forget(scenario)
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.errorText.contains("1 message not sent"), "\(outcome.summary)")
  }

  @Test(.enabled(if: SendScenario.isPossible))
  func `a copy for Sent that waits keeps it`() throws {
    let send = try SendScenario(smtp: "sent-copy = \"append\"")
    try send.server.dovecot.client(send.user).append(
      [SampleMessage(token: "m0")], to: "INBOX")
    #expect(try send.mirror.run(["pull"]).status == 0)
    #expect(try send.sendmail("Subject: hello\n\nhi\n", "bob@example.org").status == 0)
    // IMAP is not there while it is sent.
    try send.mirror.configure { $0.port = 9 }
    _ = try send.push()
    #expect(try send.outbox().isEmpty, "it was sent")
    let outcome = try send.mirror.run(["forget", "personal", "--yes"])
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.errorText.contains("1 copy for Sent not filed yet"), "\(outcome.summary)")
  }

  @Test func `forced, it goes all the same, files with several links, too`() throws {
    let scenario = try scenario()
    try Reader(scenario.mirror).remove(#require(try scenario.local("m0@")))
    let message = try #require(try scenario.local("m1@"))
    for copy in ["INBOX/cur/1.link:2,S", "Trash/cur/2.link:2,S", "Trash/cur/3.link:2,S"] {
      try FileManager.default.linkItem(
        atPath: "\(scenario.mirror.account)/\(message.path)",
        toPath: "\(scenario.mirror.account)/\(copy)")
    }
    let outcome = try forget(scenario, "--force")
    #expect(outcome.status == 0, "\(outcome.summary)")
    try expectGone(scenario)
  }

  // MARK: What comes meanwhile

  /// At a terminal, between the question and the answer.
  @Test(
    .enabled(if: findProgram("script") != nil),
    arguments: [([], "1 message nowhere but here"), (["--force"], "2 messages nowhere but here")])
  func `what comes between the question and the answer is found`(
    arguments: [String], words: String
  ) throws {
    let scenario = try scenario()
    if !arguments.isEmpty { try deliver("early", scenario) }
    let home = scenario.mirror.home
    let command = try scenario.mirror.command(["forget", "personal"] + arguments)
      .joined(separator: " ")
    let child = try Child(
      [
        "sh", "-c",
        "(while [ ! -e \(home)/go ]; do sleep 0.05; done; echo y; sleep 1) "
          + "| script -qefc '\(command)' \(home)/typed",
      ], environment: scenario.mirror.environment)
    let end = Date(timeIntervalSinceNow: 60)
    func shown() -> String {
      String(
        decoding: FileManager.default.contents(atPath: home + "/typed") ?? Data(), as: UTF8.self)
    }
    while !shown().contains("[y/N]"), Date() < end { Thread.sleep(forTimeInterval: 0.05) }
    #expect(shown().contains("its \(arguments.isEmpty ? 2 : 3) messages"), "\(shown())")
    try deliver("late", scenario)
    try writeFile(home + "/go", "")
    let outcome = try child.wait(limit: 60)
    #expect(outcome.ending == .exited(1), "\(outcome.summary)")
    #expect(shown().contains(words) && shown().contains("All is as it was"), "\(shown())")
    try expectWhole(scenario)
    #expect(try scenario.local("late@") != nil)
  }

  @Test(.enabled(if: FaultRun.isPossible, "no strace"))
  func `what comes until the tree is aside is found, and all goes back`() throws {
    let scenario = try scenario()
    var fault = FaultRun(scenario.mirror)
    fault.arguments = ["forget", "personal", "--yes"]
    let block = scenario.mirror.root + "/.mirror/forgotten/personal/tree/.mirror"
    let outcome = try fault.hold("renameat2", 2) {
      exists(block)
    } _: {
      try deliver("late", scenario)
      try Reader(scenario.mirror).setFlags(#require(try scenario.local("m0@")), "F")
    }
    #expect(outcome.ending == .exited(1), "\(outcome.summary)")
    #expect(outcome.errorText.contains("1 message nowhere but here"), "\(outcome.summary)")
    #expect(outcome.errorText.contains("1 change not pushed"), "\(outcome.summary)")
    try expectWhole(scenario)
    #expect(try scenario.local("late@") != nil && scenario.local("m0@")?.flags == "F")
    #expect(try scenario.mirror.run(["sync"]).status == 0)
    try scenario.expectMirrored()
  }

  /// As a program does that had the folder open before: behind the last look.
  @Test(.enabled(if: FaultRun.isPossible, "no strace"))
  func `what comes behind the last look stays, and is told`() throws {
    let scenario = try scenario()
    var fault = FaultRun(scenario.mirror)
    fault.arguments = ["forget", "personal", "--yes"]
    let limbo = scenario.mirror.root + "/.mirror/forgotten/personal"
    let late = limbo + "/tree/INBOX/new/1.late.host"
    let outcome = try fault.hold("renameat", 2) {
      exists(limbo + "/decided.new")
    } _: {
      try writeFile(late, "Subject: late\n\nlate\n")
      #expect(!exists(scenario.mirror.account + "/.mirror/state.db"))
      let pull = try scenario.mirror.run(["pull"])
      #expect(pull.status != 0 && pull.errorText.contains("mirror forget"), "\(pull.summary)")
      #expect(try queue(scenario).status != 0, "no message is queued into nowhere")
    }
    #expect(outcome.ending == .exited(1), "\(outcome.summary)")
    #expect(outcome.errorText.contains(late), "\(outcome.summary)")
    #expect(exists(late))
    #expect(!exists(scenario.mirror.account))
    let again = try forget(scenario)
    #expect(again.status == 1 && again.errorText.contains(late), "\(again.summary)")
    try FileManager.default.removeItem(atPath: late)
    #expect(try forget(scenario).status == 0)
    try expectGone(scenario)
  }

  @Test func `a run that is at work keeps it`() throws {
    let scenario = try Scenario()
    try scenario.append(["m0", "m1"])
    try scenario.fill(2000)
    scenario.proxy.conditions.bytesPerSecond = 200_000
    let run = try scenario.mirror.start("pull", "--no-index")
    let end = Date(timeIntervalSinceNow: 60)
    while (try? scenario.mirror.tree().messages.count) ?? 0 < 50, Date() < end {
      Thread.sleep(forTimeInterval: 0.05)
    }
    for arguments in [[], ["--force"]] {
      let refused = try scenario.mirror.run(["forget", "personal", "--yes"] + arguments)
      #expect(refused.status == 75, "\(refused.summary)")
    }
    scenario.proxy.conditions.bytesPerSecond = 0
    #expect(try run.wait(limit: 120).ending == .exited(0))
    try expectWhole(scenario)
  }

  @Test func `a watch keeps it`() throws {
    let scenario = try scenario()
    let watch = try scenario.mirror.start("watch")
    defer {
      watch.signal(15)
      _ = try? watch.wait(limit: 20)
    }
    let end = Date(timeIntervalSinceNow: 30)
    var outcome = try forget(scenario, "--dry-run")
    repeat {
      Thread.sleep(forTimeInterval: 0.2)
      outcome = try scenario.mirror.run(["status"])
    } while !outcome.outputText.contains("watched") && Date() < end
    let refused = try forget(scenario)
    #expect(refused.status == 75, "\(refused.summary)")
    try expectWhole(scenario)
  }

  // MARK: Other places

  @Test(arguments: [
    "..", ".", "../other", "personal/../../other", "a/b", "/etc", "", "cur", ".mirror",
  ])
  func `no name leads out of the root`(name: String) throws {
    let scenario = try scenario()
    let other = scenario.mirror.home + "/other"
    try FileManager.default.createDirectory(
      atPath: other + "/INBOX/cur", withIntermediateDirectories: true)
    try writeFile(other + "/INBOX/cur/1.host", "Subject: x\n\nx\n")
    // What an interrupted removal of such a name would have left.
    let limbo = scenario.mirror.root + "/.mirror/forgotten"
    try FileManager.default.createDirectory(atPath: limbo, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: limbo + "/q", withDestinationPath: "../../../other")
    let outcome = try scenario.mirror.run(["forget", name, "--yes", "--force"])
    #expect(outcome.status == 64, "\(name): \(outcome.summary)")
    let linked = try scenario.mirror.run(["forget", "q", "--yes", "--force"])
    #expect(linked.status != 0, "\(linked.summary)")
    #expect(exists(other + "/INBOX/cur/1.host"))
    try FileManager.default.removeItem(atPath: limbo)
    try expectWhole(scenario)
  }

  @Test func `a tree that is a link is left, and told`() throws {
    let scenario = try scenario()
    let elsewhere = scenario.mirror.home + "/elsewhere"
    try FileManager.default.moveItem(atPath: scenario.mirror.account, toPath: elsewhere)
    try FileManager.default.createSymbolicLink(
      atPath: scenario.mirror.account, withDestinationPath: elsewhere)
    for arguments in [[], ["--force"]] {
      let outcome = try scenario.mirror.run(["forget", "personal", "--yes"] + arguments)
      #expect(outcome.status == 77, "\(outcome.summary)")
      #expect(outcome.errorText.contains("a symbolic link"), "\(outcome.summary)")
      try expectWhole(scenario)
    }
  }

  @Test func `links in the tree are told, and never followed`() throws {
    let scenario = try scenario()
    let elsewhere = scenario.mirror.home + "/elsewhere"
    for part in ["cur", "new", "tmp"] {
      try FileManager.default.createDirectory(
        atPath: "\(elsewhere)/\(part)", withIntermediateDirectories: true)
    }
    try writeFile(elsewhere + "/cur/1.host:2,S", "Subject: mine\n\nmine\n")
    try writeFile(elsewhere + "/document", "mine")
    let account = scenario.mirror.account
    for (link, target) in [
      ("Linked", elsewhere), ("INBOX/cur/2.host:2,S", elsewhere + "/document"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: account + "/" + link, withDestinationPath: target)
    }
    let refused = try forget(scenario)
    #expect(refused.status == 1, "\(refused.summary)")
    #expect(refused.errorText.contains("2 links that are no mail"), "\(refused.summary)")
    try expectWhole(scenario)
    let outcome = try forget(scenario, "--force")
    #expect(outcome.status == 0, "\(outcome.summary)")
    try expectGone(scenario)
    #expect(exists(elsewhere + "/cur/1.host:2,S") && exists(elsewhere + "/document"))
  }

  // MARK: Secrets and words

  @Test func `no password of it is left, nor a word of its mail in the index`() throws {
    let server = try DovecotServer.shared()
    var one = AccountSettings(server, user: DovecotServer.newUser())
    var other = AccountSettings(server, user: DovecotServer.newUser())
    one.name = "work"
    other.name = "home"
    let clients = try [server.client(one.user), server.client(other.user)]
    for (client, word) in zip(clients, ["zanzibarquartz", "ordinarypebble"]) {
      try client.append(
        (0..<30).map { number in
          let text =
            "From: \(word)\(number) <\(word)\(number)@example.net>\r\nTo: x@example.org\r\n"
            + "Subject: about \(word) \(number)\r\nMessage-ID: <\(number).\(word)@example.net>\r\n"
            + "Date: Fri, 21 Nov 2025 10:00:00 +0000\r\n\r\nThe body tells of \(word).\r\n"
          return SampleMessage(bytes: Array(text.utf8), date: 1_700_000_000 + Int64(number))
        }, to: "INBOX")
    }
    let mirror = try MirrorProgram(one, other)
    let stored = mirror.home + "/passwords"
    try FileManager.default.createDirectory(atPath: stored, withIntermediateDirectories: true)
    func secret(_ path: String) throws {
      try writeFile(path, "pw\n")
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
    try secret(stored + "/work")
    try secret(mirror.home + "/own")
    let text = try String(contentsOfFile: mirror.configuration, encoding: .utf8)
    let withFiles = text.replacing(
      "password = \"pw\"", with: "password-file = \"\(stored)/work\"", maxReplacements: 1
    ).replacing(
      "[accounts.work.sync]",
      with: "[accounts.work.smtp]\nhost = \"127.0.0.1\"\nport = 9\ntls = \"none\"\n"
        + "password-file = \"\(mirror.home)/own\"\n\n[accounts.work.sync]")
    try writeFile(mirror.configuration, withFiles)
    for copy in [".bak-20250101T000000Z", ".bak-20250101T000000Z-2", ".new-17"] {
      try writeFile(mirror.configuration + copy, text)
    }
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: mirror.configuration)
    #expect(try mirror.run(["pull"]).status == 0)
    #expect(try mirror.run(["flag", "+seen", "account:work subject:3"]).status == 0)
    #expect(try mirror.run(["push"]).status == 0)
    let outcome = try mirror.run(["forget", "work", "--yes"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(outcome.outputText.contains("\(mirror.home)/own, which is your own"), "its own file")
    #expect(!exists(stored + "/work") && exists(mirror.home + "/own"))
    #expect(!exists(mirror.configuration + ".new-17"))
    // Nothing of it in any file that is left, in the tree or beside it.
    let all = try #require(FileManager.default.enumerator(atPath: mirror.home)).compactMap {
      $0 as? String
    }
    for name in all {
      let path = mirror.home + "/" + name
      guard let bytes = FileManager.default.contents(atPath: path) else { continue }
      for word in ["zanzibarquartz", "accounts.work", one.user] {
        #expect(!contains([UInt8](bytes), Array(word.utf8)), "\(word) in \(name)")
      }
    }
    let kept = try String(
      contentsOfFile: mirror.configuration + ".bak-20250101T000000Z", encoding: .utf8)
    #expect(kept.contains("[accounts.home.imap]") && kept.contains("password = \"pw\""))
    let found = try mirror.run(["search", "ordinarypebble", "--format", "ids"])
    #expect(found.outputText.split(separator: "\n").count == 30, "\(found.summary)")
    #expect(try mirror.run(["pull"]).status == 0)
  }

  // MARK: Kills

  @Test(
    .enabled(if: FaultRun.isPossible, "no strace"),
    arguments: [
      "rename", "renameat", "renameat2", "unlinkat", "unlink", "rmdir", "openat", "mkdirat",
      "fdatasync", "fsync", "write", "pwrite64", "flock", "ftruncate",
    ])
  func `killed anywhere, nothing happened or another call ends it`(call: String) throws {
    for number in [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128] {
      let scenario = try scenario()
      var fault = FaultRun(scenario.mirror)
      fault.arguments = ["forget", "personal", "--yes"]
      let killed = try fault.kill(at: call, number)
      let when = "\(call) \(number): \(killed.ending)"
      // Whatever runs in between: no deletion reaches the server, and what is half gone is told.
      let isWhole = exists(scenario.mirror.account + "/.mirror/state.db")
      for command in [["push", "--allow-mass-delete"], ["pull"], ["status"]] {
        let outcome = try scenario.mirror.run(command)
        let text = try String(contentsOfFile: scenario.mirror.configuration, encoding: .utf8)
        guard killed.ending != .exited(0), !isWhole, text.contains("personal") else { continue }
        #expect(
          (outcome.errorText + outcome.outputText).contains("mirror forget"),
          "\(when): \(command): \(outcome.summary)")
      }
      #expect(try scenario.client.messages(in: "INBOX").count == 2, "\(when)")
      if isWhole { #expect(try scenario.local("m1@") != nil, "\(when)") }
      let again = try forget(scenario)
      let isDone = killed.ending == .exited(0) || again.status == 64
      #expect(again.status == 0 || isDone && again.status == 64, "\(when): \(again.summary)")
      _ = try scenario.mirror.run(["index", "--root", scenario.mirror.root])
      try expectGone(scenario)
      if killed.ending == .exited(0) { break }
    }
  }

  /// Killed before its last step, and set up anew since: that is another account, with changes of its own.
  @Test func `an account of the name that came since is looked at as any`() throws {
    let scenario = try scenario()
    #expect(try forget(scenario).status == 0)
    let limbo = scenario.mirror.root + "/.mirror/forgotten/personal"
    try FileManager.default.createDirectory(atPath: limbo, withIntermediateDirectories: true)
    try writeFile(limbo + "/decided", "1\n")
    try writeFile(limbo + "/unconfigured", "")
    try scenario.mirror.configure { _ in }
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    try Reader(scenario.mirror).setFlags(#require(try scenario.local("m0@")), "F")
    let refused = try forget(scenario)
    #expect(refused.status == 1, "\(refused.summary)")
    #expect(refused.errorText.contains("1 change not pushed"), "\(refused.summary)")
    try expectWhole(scenario)
    try scenario.push()
    #expect(try forget(scenario).status == 0)
    try expectGone(scenario)
  }

  @Test(
    .enabled(if: FaultRun.isPossible, "no strace"),
    arguments: ["renameat2", "renameat", "unlinkat", "fdatasync", "mkdirat"],
    ["EIO", "ENOSPC", "EACCES"])
  func `a call that fails leaves it whole, or to be ended by another`(call: String, error: String)
    throws
  {
    for number in [1, 2, 4, 8, 16] {
      let scenario = try scenario()
      var fault = FaultRun(scenario.mirror)
      fault.arguments = ["forget", "personal", "--yes"]
      let failed = try fault.fail(call, with: error, from: number, only: true)
      _ = try scenario.mirror.run(["push", "--allow-mass-delete"])
      let when = "\(call) \(number) \(error): \(failed.summary)"
      #expect(try scenario.client.messages(in: "INBOX").count == 2, "\(when)")
      let again = try forget(scenario)
      #expect([0, 64].contains(again.status), "\(when): \(again.summary)")
      try expectGone(scenario)
      if failed.ending == .exited(0) { break }
    }
  }
}
