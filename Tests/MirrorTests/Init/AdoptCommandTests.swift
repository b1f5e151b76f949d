import Foundation
import MailTestKit
import Testing

/// Moving in: trees that mbsync and offlineimap made here, tags that notmuch keeps.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot && Mbsync.isInstalled))
struct AdoptCommandTests {
  /// What other programs' files are: their names, contents and times, but for what a hard link changes.
  private struct Held: Equatable {
    var inode: UInt64
    var size: Int64
  }

  private func held(_ directory: String) -> [String: Held] {
    TreeSnapshot(directory).files.mapValues { Held(inode: $0.inode, size: $0.size) }
      .filter { !$0.key.hasPrefix(".mirror") }
  }

  @Test(arguments: [
    "Path ~/old/\nInbox ~/old/INBOX\nSubFolders Verbatim",
    "Path ~/old/\nInbox ~/elsewhere/in\nSubFolders Verbatim",
    "Inbox ~/old\nSubFolders Maildir++", "Path ~/old/\nInbox ~/old/Inbox\nSubFolders Legacy",
    "Path ~/old/\nInbox ~/old/Inbox\nFlatten .",
  ])
  func `a tree of mbsync is linked to where it belongs, and nothing is downloaded`(store: String)
    throws
  {
    let tree = try OldTree()
    try makeDirectory(tree.home + "/elsewhere")
    try makeDirectory(tree.home + "/old")
    try tree.mbsync(store)
    let before = (held(tree.home + "/old"), held(tree.home + "/elsewhere"))
    let outcome = try tree.adopt(0, "--from", "mbsync")
    #expect(
      outcome.outputText.contains("40 messages in 8 folders are linked"), "\(outcome.summary)")
    try tree.expectAdopted()
    #expect(try tree.scenario.mirror.tree().folders.contains("Archive/2024"))
    #expect((held(tree.home + "/old"), held(tree.home + "/elsewhere")) == before)
  }

  @Test(arguments: [
    ("", "Path ~/Mail/personal/\nInbox ~/Mail/personal/INBOX\nSubFolders Verbatim"),
    ("layout = \"maildir++\"", "Inbox ~/Mail/personal\nSubFolders Maildir++"),
  ])
  func `a tree that lies in its place in the account's layout stays`(sync: String, store: String)
    throws
  {
    let tree = try OldTree(sync: sync)
    try makeDirectory(tree.scenario.mirror.root)
    try makeDirectory(tree.scenario.mirror.account)
    // mbsync's names of folders are the server's own.
    try tree.scenario.client.delete("Entw&APw-rfe")
    try tree.mbsync(store)
    let before = held(tree.scenario.mirror.account)
    let outcome = try tree.adopt(0, "--from", "mbsync", tree.scenario.mirror.account)
    #expect(outcome.outputText.contains("stay where they are"), "\(outcome.summary)")
    #expect(held(tree.scenario.mirror.account) == before)
    try tree.expectAdopted()
  }

  @Test func `channels between names that differ are followed, and others said`() throws {
    let tree = try OldTree()
    try makeDirectory(tree.home + "/old")
    try tree.mbsync(
      "Path ~/old/\nInbox ~/old/in\nSubFolders Verbatim",
      channels: [
        "Far :far:\nNear :near:", "Far :far:Archive/2024\nNear :near:past",
        "Far :far:Sent\nNear :near:gone-out",
      ])
    for part in ["cur", "new", "tmp"] {
      if part == "cur" { try makeDirectory(tree.home + "/old/local") }
      try makeDirectory(tree.home + "/old/local/" + part)
    }
    let outcome = try tree.adopt(0, "--from", "mbsync")
    #expect(outcome.errorText.contains("No channel takes it to the server"), "\(outcome.summary)")
    try tree.scenario.client.delete("Entw&APw-rfe")
    try tree.expectAdopted()
    let folders = try tree.scenario.mirror.tree().folders
    #expect(!folders.contains("local"))
  }

  @Test func `a dry run says it all and changes nothing`() throws {
    let tree = try OldTree()
    try makeDirectory(tree.home + "/old")
    try tree.mbsync("Path ~/old/\nInbox ~/old/INBOX\nSubFolders Verbatim")
    let before = TreeSnapshot(tree.home)
    let outcome = try tree.adopt(0, "--from", "mbsync", "--dry-run")
    #expect(outcome.outputText.contains("40 messages in 8 folders would be linked"))
    #expect(outcome.outputText.contains("Archive/2024: 4 messages"), "\(outcome.summary)")
    #expect(before.changes(to: TreeSnapshot(tree.home)) == [])
  }

  @Test func `a second run takes nothing, also of what was deleted since`() throws {
    let tree = try OldTree()
    try makeDirectory(tree.home + "/old")
    try tree.mbsync("Path ~/old/\nInbox ~/old/INBOX\nSubFolders Verbatim")
    try tree.adopt(0, "--from", "mbsync")
    let first = TreeSnapshot(tree.scenario.mirror.account, leavingOut: Scenario.isBookkeeping)
    let again = try tree.adopt(0, "--from", "mbsync")
    #expect(again.outputText.contains("taken over before"), "\(again.summary)")
    let second = TreeSnapshot(tree.scenario.mirror.account, leavingOut: Scenario.isBookkeeping)
    #expect(first.changes(to: second) == [])
    try tree.scenario.pull()
    let one = try #require(try tree.scenario.local("k1@"))
    try Reader(tree.scenario.mirror).remove(one)
    try tree.adopt(0, "--from", "mbsync")
    #expect(try tree.scenario.local("k1@") == nil)
    // Its like somewhere else is another tree, and too late.
    try runSuccessfully(["cp", "-a", tree.home + "/old", tree.home + "/copy"])
    let late = try tree.adopt(1, "--from", "mu", tree.home + "/copy")
    #expect(late.errorText.contains("pulled already"), "\(late.summary)")
    #expect(try tree.scenario.local("k1@") == nil)
  }

  /// Links share an inode: nothing may ever be written into it.
  @Test func `whatever happens here later, the old tree keeps its names and its bytes`() throws {
    let tree = try OldTree()
    let (scenario, reader) = (tree.scenario, Reader(tree.scenario.mirror))
    try makeDirectory(tree.home + "/old")
    try tree.mbsync("Path ~/old/\nInbox ~/old/INBOX\nSubFolders Verbatim")
    let sums = ["sh", "-c", "cd \(tree.home)/old && find . -type f -exec sha256sum {} + | sort"]
    let before = try run(sums).outputText
    try tree.adopt(0, "--from", "mbsync")
    try scenario.pull()
    #expect(scenario.bodyFetches == [])
    // Keywords and flags from there, and from here; a move, a deletion, an edit.
    let there = try scenario.client.uid(of: "k1", in: "INBOX")
    try scenario.client.store([there], "+FLAGS", ["todo", "\\Answered"], in: "INBOX")
    try scenario.pull()
    let one = try #require(try scenario.local("k1@"))
    #expect(one.keywords() == ["todo"])
    try reader.setKeywords(one, ["todo", "later"])
    try reader.setFlags(#require(try scenario.local("k2@")), "S")
    try reader.move(#require(try scenario.local("k3@")), to: "Archive/2024")
    let others = try scenario.mirror.tree()["INBOX"].filter {
      $0.subdirectory == "cur" && !String(decoding: $0.raw, as: UTF8.self).contains(#/<k[123]@/#)
    }
    #expect(others.count > 1)
    for message in others.prefix(2) { try reader.remove(message) }
    let push = try scenario.mirror.run(["push"])
    #expect(push.status == 0 && push.outputText.contains("1 moved"), "\(push.summary)")
    try scenario.pull()
    #expect(before.split(separator: "\n").count >= 40)
    #expect(try run(sums).outputText == before)
  }

  @Test func `another run that holds the account is waited out`() throws {
    let tree = try OldTree()
    try makeDirectory(tree.home + "/old")
    try tree.mbsync("Path ~/old/\nInbox ~/old/INBOX\nSubFolders Verbatim")
    try makeDirectory(tree.scenario.mirror.root)
    try makeDirectory(tree.scenario.mirror.account)
    try makeDirectory(tree.scenario.mirror.account + "/.mirror")
    let lock = tree.scenario.mirror.account + "/.mirror/lock"
    let holder = try Child(["flock", lock, "sh", "-c", "echo held; exec sleep 300"])
    while !holder.outputSoFar.contains("held") { pause(0.01) }
    try tree.adopt(75, "--from", "mbsync")
    #expect(try tree.scenario.mirror.tree().messages.isEmpty)
    kill(-holder.id, SIGKILL)
    holder.signal(SIGKILL)
    _ = try holder.wait()
    try tree.adopt(0, "--from", "mbsync")
  }

  @Test(
    .enabled(if: OldTree.hasOfflineimap, "no offlineimap"), arguments: [".", "/"])
  func `a tree of offlineimap is linked, and nothing is downloaded`(separator: String) throws {
    let tree = try OldTree()
    try tree.offlineimap(into: "~/old", "sep = \(separator)")
    let before = held(tree.home + "/old")
    let outcome = try tree.adopt(0, "--from", "offlineimap")
    #expect(
      outcome.outputText.contains("40 messages in 8 folders are linked"), "\(outcome.summary)")
    try tree.expectAdopted()
    #expect(held(tree.home + "/old") == before)
  }

  @Test(.enabled(if: findProgram("mu") != nil))
  func `mu tells its tree, mbsync how it lies, and without either the names do`() throws {
    let tree = try OldTree()
    try makeDirectory(tree.home + "/old")
    try tree.mbsync("Path ~/old/\nInbox ~/old/Inbox\nFlatten .")
    try runSuccessfully(
      ["mu", "init", "--maildir=\(tree.home)/old"], environment: tree.environment)
    let told = try tree.adopt(0, "--from", "mu", "--dry-run")
    #expect(told.outputText.contains("Archive/2024: 4 messages"), "\(told.summary)")
    unlink(tree.home + "/.mbsyncrc")
    let guessed = try tree.adopt(
      0, "--from", "mu", "--dry-run", "--map", "Archive.2024=Past", "--format", "json")
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(guessed.output)) as? [String: Any])
    let account = try #require((document["accounts"] as? [[String: Any]])?.first)
    #expect(account["mode"] as? String == "linked" && account["dry_run"] as? Bool == true)
    #expect(account["messages"] as? Int == 40 && account["taken"] as? Int == 40)
    let folders = try #require(account["folders"] as? [[String: Any]])
    let mailboxes = folders.compactMap { $0["mailbox"] as? String }
    #expect(Set(mailboxes).isSuperset(of: ["Entwürfe", "INBOX", "Past", "Sent"]))
    #expect(!mailboxes.contains { $0.hasPrefix("Archive.") || $0.hasPrefix("Archive/") })
  }

  @Test(.enabled(if: NotmuchProgram.isInstalled))
  func `tags of notmuch become keywords, here and on the server`() throws {
    let tree = try OldTree()
    try makeDirectory(tree.home + "/old")
    try tree.mbsync("Path ~/old/\nInbox ~/old/INBOX\nSubFolders Verbatim")
    try writeFile(
      tree.home + "/.notmuch-config",
      """
      [database]
      path=\(tree.home)/old
      [user]
      name=a
      primary_email=a@example.org
      [new]
      tags=unread;inbox;

      """)
    func notmuch(_ arguments: String...) throws {
      try runSuccessfully(["notmuch"] + arguments, environment: tree.environment)
    }
    try notmuch("new", "--quiet")
    try notmuch("tag", "+todo", "+lists/swift", "+to do", "id:k1@example.org")
    try notmuch("tag", "+todo", "+attachment", "--", "id:k2@example.org")
    let dry = try tree.adopt(0, "--from", "notmuch", "--dry-run", "--tags")
    #expect(dry.outputText.contains("2 files would get keywords"), "\(dry.summary)")
    let done = try tree.adopt(0, "--from", "notmuch", "--tags")
    #expect(done.outputText.contains("todo: 2 files"), "\(done.summary)")
    #expect(done.outputText.contains("to do: left out of 1 file"), "\(done.summary)")
    try tree.scenario.pull()
    #expect(tree.scenario.bodyFetches == [])
    let one = try #require(try tree.scenario.local("k1@"))
    #expect(one.keywords() == ["todo", "lists/swift"] && one.flags == "FS")
    #expect(try tree.scenario.local("k2@")?.keywords() == ["todo"])
    #expect(try tree.scenario.local("k3@")?.keywords() == [])
    // The old file is as it was.
    let old = try MaildirTree(tree.home + "/old").message(with: "k1@")
    #expect(old?.keywords() == [])
    let push = try tree.scenario.mirror.run(["push"])
    #expect(push.status == 0, "\(push.summary)")
    let uid = try tree.scenario.client.uid(of: "k1", in: "INBOX")
    let message = try tree.scenario.client.messages(in: "INBOX").first { $0.uid == uid }
    let flags = message?.flags.subtracting(["\\Recent"])
    #expect(flags == ["todo", "lists/swift", "\\Flagged", "\\Seen"], "\(push.summary)")
    // The same dump, from a file: there is nothing left to do.
    try notmuch("dump", "--output=\(tree.home)/tags")
    let again = try tree.adopt(0, "--from", "notmuch", "--tags", tree.home + "/tags")
    #expect(again.outputText.contains("0 files got keywords, 2 had them"), "\(again.summary)")
  }

  @Test func `each tree goes to the account of its user, and a stranger's to none`() throws {
    var (one, two) = (
      AccountSettings(port: 143, user: "alice"), AccountSettings(port: 143, user: "bob")
    )
    (one.name, two.name) = ("one", "two")
    let mirror = try MirrorProgram(one, two)
    var text = ""
    for (directory, user) in [("a", "bob"), ("b", "alice"), ("c", "carol")] {
      let tree = mirror.home + "/" + directory
      for path in ["", "/INBOX", "/INBOX/cur", "/INBOX/new", "/INBOX/tmp"] {
        try makeDirectory(tree + path)
      }
      try writeFile(tree + "/INBOX/cur/1.\(user):2,S", "Subject: x\n\nx\n")
      text += """
        IMAPStore far-\(directory)
        Host 127.0.0.1
        User \(user)

        MaildirStore near-\(directory)
        Path ~/\(directory)/
        Inbox ~/\(directory)/INBOX

        Channel \(directory)
        Far :far-\(directory):
        Near :near-\(directory):


        """
    }
    try writeFile(mirror.home + "/.mbsyncrc", text)
    let outcome = try mirror.run(["adopt", "--from", "mbsync", "--copy"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(outcome.errorText.contains("carol at 127.0.0.1"), "\(outcome.summary)")
    #expect(names(in: mirror.root + "/one/INBOX/cur") == ["1.alice:2,S"])
    #expect(names(in: mirror.root + "/two/INBOX/cur") == ["1.bob:2,S"])
  }

  @Test func `what cannot be meant is said, with what to do`() throws {
    let tree = try OldTree()
    let mirror = tree.scenario.mirror
    try tree.adopt(64, "--from", "mbsync")
    try tree.adopt(64, "--from", "mbsync", tree.home + "/nowhere")
    try tree.adopt(64, "--from", "fetchmail", tree.home)
    try tree.adopt(64, "--from", "mbsync", "--map", "nothing", tree.home)
    try makeDirectory(tree.home + "/old")
    try tree.adopt(64, "--from", "mbsync", tree.home + "/old")
    try tree.mbsync("Path ~/old/\nInbox ~/old/Inbox\nSubFolders Verbatim")
    try tree.adopt(64, "--from", "mbsync", "--account", "nobody")
    try tree.adopt(64, "--from", "mbsync", "--tags", tree.home + "/absent")
    try tree.adopt(65, "--from", "mbsync", "--tags", tree.home + "/.mbsyncrc")
    try makeDirectory(mirror.root)
    try runSuccessfully(["mv", tree.home + "/old", mirror.account])
    let misfit = try tree.adopt(78, "--from", "mu", mirror.account)
    #expect(misfit.errorText.contains("/Inbox"), "\(misfit.summary)")
    #expect(!exists(mirror.account + "/.mirror"))
    try mirror.configure { $0.user = "somebody-else" }
    let stranger = try tree.adopt(
      64, "--from", "mbsync", "--their-config", tree.home + "/.mbsyncrc")
    #expect(stranger.errorText.contains("--account"), "\(stranger.summary)")
  }
}
