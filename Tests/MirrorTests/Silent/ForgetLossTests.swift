import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `mirror forget`: nothing is lost by accident.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct ForgetLossTests: ForgetStage {
  @Test func `it is refused for an edit that the state lost sight of`() throws {
    let scenario = try scenario()
    let message = try #require(try scenario.local("m0@"))
    try Reader(scenario.mirror).rewrite(message, message.raw + Array("one more line\n".utf8))
    try FileManager.default.removeItem(atPath: scenario.mirror.account + "/.mirror")
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    let outcome = try forget(scenario)
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(
      outcome.errorText.contains("1 message that holds something else"), "\(outcome.summary)")
    try expectWhole(scenario)
  }

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
    try refuse("1 edited message that no push sends")
    #expect(try scenario.mirror.run(["revert"]).status == 0)
    try refuse("1 edit that `mirror revert` set aside")
    let aside = try forget(scenario)
    #expect(aside.errorText.contains("`mirror undo`"), "\(aside.summary)")
    #expect(!aside.errorText.contains("`mirror push`"), "\(aside.summary)")
    try FileManager.default.removeItem(atPath: scenario.mirror.account + "/.mirror/undo")
    let twin = try #require(try scenario.local("m0@"))
    let twinPath = "\(scenario.mirror.account)/INBOX/new/\(twin.base)"
    try writeFile(twinPath, "Subject: another of its name\n\nx\n")
    try refuse("1 message nowhere but here")
    try FileManager.default.removeItem(atPath: twinPath)
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

  /// A file that no push sends is no reason while the server has its message elsewhere, and one when it no longer has it.
  @Test func `a message that the server moved and then lost keeps it`() throws {
    let scenario = try scenario()
    let uid = try scenario.client.uid(of: "m0", in: "INBOX")
    try scenario.client.move([uid], from: "INBOX", to: "Archive")
    removeTree(scenario.mirror.account + "/.mirror")
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    #expect(try scenario.mirror.tree().count(of: "m0@") == 2)
    let told = try scenario.mirror.run(["forget", "personal", "--dry-run"])
    #expect(told.status == 0, "\(told.summary)")
    try scenario.client.expunge([scenario.client.uid(of: "m0", in: "Archive")], in: "Archive")
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    let outcome = try forget(scenario)
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.errorText.contains("1 message nowhere but here"), "\(outcome.summary)")
    try expectWhole(scenario)
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
    let told = try send.mirror.run(["status"])
    #expect(told.outputText.contains("queue: 1 copy for Sent waiting"), "\(told.summary)")
    let outcome = try send.mirror.run(["forget", "personal", "--yes"])
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.errorText.contains("1 copy for Sent not filed yet"), "\(outcome.summary)")
  }

  @Test func `a run that is at work keeps it`() throws {
    let scenario = try Scenario()
    try scenario.append(["m0", "m1"])
    try scenario.fill(400)
    scenario.proxy.conditions.bytesPerSecond = 20_000
    let run = try scenario.mirror.start("pull", "--no-index")
    let end = Date(timeIntervalSinceNow: 60)
    while scenario.proxy.commands(named: ["FETCH"]).isEmpty, Date() < end {
      Thread.sleep(forTimeInterval: 0.01)
    }
    // It must not be through before both have looked, however slow they are.
    run.signal(SIGSTOP)
    do {
      defer { run.signal(SIGCONT) }
      for arguments in [[], ["--force"]] {
        let refused = try scenario.mirror.run(["forget", "personal", "--yes"] + arguments)
        #expect(refused.status == 75, "\(refused.summary)")
      }
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
    let end = Date(timeIntervalSinceNow: 90)
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
    #expect(refused.errorText.contains("1 link that is no mail"), "\(refused.summary)")
    try expectWhole(scenario)
    let outcome = try forget(scenario, "--force")
    #expect(outcome.status == 0, "\(outcome.summary)")
    try expectGone(scenario)
    #expect(exists(elsewhere + "/cur/1.host:2,S") && exists(elsewhere + "/document"))
  }

  /// A folder on a larger disk.
  @Test func `mail to which a link leads is no loss, and stays`() throws {
    let scenario = try scenario()
    try scenario.append(["a0", "a1"], to: "Archive")
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    let folder = scenario.mirror.account + "/Archive"
    let elsewhere = scenario.mirror.home + "/elsewhere"
    try FileManager.default.moveItem(atPath: folder, toPath: elsewhere)
    try FileManager.default.createSymbolicLink(
      atPath: folder, withDestinationPath: "../../elsewhere")
    #expect(try scenario.mirror.run(["sync"]).status == 0)
    let relative = try forget(scenario)
    #expect(relative.status == 77, "\(relative.summary)")
    #expect(relative.errorText.contains("a relative path"), "\(relative.summary)")
    try expectWhole(scenario)
    try FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: elsewhere)
    func flag(_ before: String, _ after: String) throws {
      let message = try #require(
        try MaildirTree(scenario.mirror.home).messages.first {
          $0.folder == "elsewhere" && contains($0.raw, Array("a0@".utf8))
        })
      #expect(message.flags == before)
      try Reader(account: scenario.mirror.home).setFlags(message, after)
    }
    try flag("", "F")
    let waiting = try forget(scenario)
    #expect(waiting.errorText.contains("lost: 1 change not pushed. "), "\(waiting.summary)")
    try flag("F", "")
    try writeFile(elsewhere + "/cur/17.1_mine.host:2,S", "Subject: mine\n\nonly here\n")
    for words in ["1 message nowhere but here", "`mirror push`"] {
      let unsent = try forget(scenario)
      #expect(unsent.status == 1 && unsent.errorText.contains(words), "\(unsent.summary)")
    }
    try FileManager.default.removeItem(atPath: elsewhere + "/cur/17.1_mine.host:2,S")
    let told = try scenario.mirror.run(["forget", "personal", "--dry-run"])
    #expect(told.status == 0, "\(told.summary)")
    #expect(told.outputText.contains("stays: \(elsewhere)"), "\(told.summary)")
    let outcome = try forget(scenario)
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(outcome.outputText.contains("stays: \(elsewhere)"), "\(outcome.summary)")
    try expectGone(scenario)
    let kept = try MaildirTree(scenario.mirror.home).messages.filter { $0.folder == "elsewhere" }
    #expect(kept.count == 2)
  }

  // MARK: Secrets and words
}
