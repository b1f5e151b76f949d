import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `mirror forget`: nothing of an account stays here.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct ForgetRunTests: ForgetStage {
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

  @Test func `an account that was never pulled goes, too`() throws {
    let scenario = try Scenario()
    let outcome = try forget(scenario)
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(!exists(scenario.mirror.account))
    let text = try String(contentsOfFile: scenario.mirror.configuration, encoding: .utf8)
    #expect(!text.contains("personal"))
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
}
