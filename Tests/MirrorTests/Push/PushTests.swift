import Foundation
import MailTestKit
import Testing

/// What a person does in the tree reaches the server, and nothing else does.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct PushTests {
  private func scenario(
    _ count: Int = 6, _ options: DovecotServer.Options = .init(), sync: String = ""
  ) throws -> (Scenario, Reader) {
    let scenario = try Scenario(options, sync: sync)
    try scenario.client.create("Work")
    try scenario.append((0..<count).map { "m\($0)" })
    try scenario.pull()
    return (scenario, Reader(scenario.mirror))
  }

  @Test(arguments: LaterPullTests.ways) func `flags and keywords`(options: DovecotServer.Options)
    throws
  {
    let (scenario, reader) = try scenario(6, options)
    try scenario.client.store([2], "+FLAGS", ["\\Seen", "old"], in: "INBOX")
    try scenario.pull()
    try reader.setFlags(#require(try scenario.local("m0@")), "FRS")
    let second = try #require(try scenario.local("m1@"))
    try reader.setKeywords(second, ["new", "$Work"])
    try reader.setFlags(#require(try scenario.local("m1@")), "")
    // Another client is at work, too.
    try scenario.client.store([1], "+FLAGS", ["\\Draft", "theirs"], in: "INBOX")
    try scenario.push()
    #expect(scenario.proxy.commands(named: ["STORE"]).count <= 4)
    let first = try #require(try scenario.remote("m0", in: "INBOX"))
    #expect(first.flags.isSuperset(of: ["\\Flagged", "\\Answered", "\\Seen", "\\Draft", "theirs"]))
    let marked = try #require(try scenario.remote("m1", in: "INBOX"))
    #expect(marked.flags.subtracting(["\\Recent"]) == ["new", "$Work"])
    try scenario.pull()
    #expect(try scenario.local("m0@")?.flags == "DFRS")
    #expect(try scenario.local("m0@")?.keywords() == ["theirs"])
    try scenario.expectSettled()
  }

  @Test(arguments: LaterPullTests.ways) func `mv to another folder is one MOVE`(
    options: DovecotServer.Options
  ) throws {
    let (scenario, reader) = try scenario(6, options)
    for token in ["m1@", "m2@", "m3@"] {
      try reader.move(#require(try scenario.local(token)), to: "Work")
    }
    try reader.setFlags(#require(try scenario.local("m2@")), "S")
    try scenario.push()
    #expect(scenario.appends == [] && scenario.bodyFetches == [])
    #expect(scenario.proxy.commands(named: ["MOVE", "COPY"]).count == 1)
    #expect(scenario.proxy.commands(named: ["EXPUNGE"]) == [], "a MOVE leaves nothing behind")
    #expect(try scenario.places("m1") == ["Work"])
    #expect(try scenario.remote("m2", in: "Work")?.flags.contains("\\Seen") == true)
    #expect(try scenario.client.uids(in: "INBOX").count == 3)
    try scenario.expectSettled()
  }

  @Test func `a reader's own way of moving, with a new name and headers of its own, is one MOVE`()
    throws
  {
    let (scenario, reader) = try scenario()
    let message = try #require(try scenario.local("m1@"))
    let text = String(decoding: message.raw, as: UTF8.self)
    try reader.deliver(
      Array(
        text.replacing("\n\n", with: "\nContent-Length: 9\nStatus: RO\n\n", maxReplacements: 1).utf8
      ),
      name: "1700000000.R1.host", to: "Work", flags: "S")
    try reader.remove(message)
    try scenario.push()
    #expect(scenario.appends == [])
    #expect(scenario.proxy.commands(named: ["MOVE"]).count == 1)
    #expect(scenario.proxy.commands(named: ["EXPUNGE"]) == [])
    #expect(try scenario.places("m1") == ["Work"])
    try scenario.push()
    #expect(scenario.proxy.changingCommands == [])
    try scenario.pull()
    #expect(scenario.bodyFetches == [])
    #expect(try scenario.mirror.tree().count(of: "m1@") == 1)
  }

  @Test func `the moved file whose UID exists in the target loses nothing`() throws {
    let (scenario, reader) = try scenario()
    try scenario.append((0..<3).map { "w\($0)" }, to: "Work")
    try scenario.pull()
    // UIDs 1…3 are taken in Work; those of the moved ones are 1 and 2.
    try reader.move(#require(try scenario.local("m0@")), to: "Work")
    try reader.move(#require(try scenario.local("m1@")), to: "Work")
    try scenario.push()
    for token in ["m0", "m1", "w0", "w1", "w2"] {
      #expect(try scenario.places(token) == ["Work"], "\(token)")
    }
    try scenario.expectSettled()
  }

  @Test func `there and back again is nothing`() throws {
    let (scenario, reader) = try scenario()
    try reader.move(#require(try scenario.local("m0@")), to: "Work")
    try reader.move(#require(try scenario.local("m0@")), to: "INBOX")
    try scenario.push()
    #expect(scenario.proxy.changingCommands == [])
  }

  @Test func `new mail is sent once, with its flags, keywords and date`() throws {
    let (scenario, reader) = try scenario()
    let sample = SampleMessage(token: "fresh")
    try reader.deliver(
      Array("X-Keywords: topic\n".utf8) + sample.bytes.filter { $0 != 13 }, name: "17.1_2.host",
      to: "Drafts", flags: "DS")
    try scenario.push()
    #expect(scenario.appends.count == 1)
    let sent = try #require(try scenario.remote("fresh", in: "Drafts"))
    #expect(sent.bytes == sample.bytes, "the server's bytes are the message's, without our line")
    #expect(sent.flags.isSuperset(of: ["\\Draft", "\\Seen", "topic"]))
    let file = try #require(try scenario.local("fresh@"))
    #expect(file.path == "Drafts/cur/17.1_2.host:2,DS", "its name stays")
    #expect(sent.date == file.modified)
    try scenario.expectSettled()
  }

  @Test func `a large message streams`() throws {
    let (scenario, reader) = try scenario()
    let body = String(repeating: "0123456789 abcdefghij\n", count: 200_000)
    let text = "From: a@example.org\nMessage-ID: <big@example.org>\n\n" + body
    try reader.deliver(Array(text.utf8), name: "17.1_3.host", to: "Work")
    try scenario.push()
    let sent = try #require(try scenario.remote("big", in: "Work"))
    #expect(sent.bytes.count == text.utf8.count + 200_003)
    try scenario.expectSettled()
  }

  @Test func `a removed file goes to Trash, one removed from Trash for good`() throws {
    let (scenario, reader) = try scenario()
    try reader.remove(#require(try scenario.local("m1@")))
    try scenario.push()
    #expect(try scenario.places("m1") == ["Trash"])
    try scenario.pull()
    try reader.remove(#require(try scenario.local("m1@", in: "Trash")))
    try scenario.push()
    #expect(try scenario.places("m1") == [])
    #expect(scenario.proxy.commands(named: ["EXPUNGE"]).allSatisfy { $0.contains("UID EXPUNGE") })
    try scenario.expectSettled()
  }

  @Test func `another client's deleted mail stays`() throws {
    let (scenario, reader) = try scenario(6, sync: "deletions = \"expunge\"")
    try scenario.client.store([5, 6], "+FLAGS", ["\\Deleted"], in: "INBOX")
    try scenario.pull()
    try reader.remove(#require(try scenario.local("m0@")))
    try scenario.push()
    #expect(try scenario.client.uids(in: "INBOX") == [2, 3, 4, 5, 6])
    #expect(scenario.proxy.commands(named: ["EXPUNGE"]).count == 1)
    #expect(!scenario.proxy.commands(named: ["CLOSE"]).contains { !$0.isEmpty })
    try scenario.expectSettled()
  }

  @Test func `the emptied directory waits, and everything else goes on`() throws {
    let (scenario, reader) = try scenario(30)
    try scenario.append(["w0", "w1"], to: "Work")
    try scenario.pull()
    for message in try scenario.mirror.tree()["INBOX"] { try reader.remove(message) }
    try reader.setFlags(#require(try scenario.local("w0@")), "F")
    let outcome = try scenario.push(1)
    #expect(outcome.errorText.contains("--allow-mass-delete"), "\(outcome.errorText)")
    #expect(try scenario.client.uids(in: "INBOX").count == 30)
    #expect(try scenario.remote("w0", in: "Work")?.flags.contains("\\Flagged") == true)
    try scenario.push(0, "--allow-mass-delete")
    #expect(try scenario.client.uids(in: "INBOX").isEmpty)
    #expect(try scenario.client.uids(in: "Trash").count == 30)
  }

  @Test func `a tree without any mail deletes nothing, however little each folder had`() throws {
    let (scenario, reader) = try scenario(15)
    try scenario.append(["w0", "w1", "w2", "w3", "w4", "w5"], to: "Work")
    try scenario.pull()
    let tree = try scenario.mirror.tree()
    let work = tree["Work"]
    for message in tree["INBOX"] + work.dropFirst() { try reader.remove(message) }
    try scenario.push()
    #expect(try scenario.client.uids(in: "INBOX").isEmpty)
    // Of 20 messages as of so few in a folder: no word is asked for.
    try reader.remove(#require(work.first))
    try scenario.push()
    #expect(try scenario.client.uids(in: "Work").isEmpty)

    try scenario.append((0..<15).map { "n\($0)" })
    try scenario.append((0..<6).map { "v\($0)" }, to: "Work")
    try scenario.pull()
    let again = try scenario.mirror.tree()
    for folder in ["INBOX", "Work", "Trash"] {
      for message in again[folder] { try reader.remove(message) }
    }
    let outcome = try scenario.push(1)
    #expect(outcome.errorText.contains("nothing is left of 42"), "\(outcome.errorText)")
    #expect(try scenario.client.uids(in: "INBOX").count == 15)
    #expect(try scenario.client.uids(in: "Trash").count == 21)
    // New mail is no word.
    try reader.deliver(
      SampleMessage(token: "fresh").bytes.filter { $0 != 13 }, name: "17.1_2.host", to: "INBOX")
    try scenario.push(1)
    #expect(try scenario.client.uids(in: "INBOX").count == 16)
    try scenario.push(0, "--allow-mass-delete")
    #expect(try scenario.client.uids(in: "INBOX").count == 1)
    try scenario.pull()
    try scenario.expectSettled()
  }

  @Test func `an account directory that vanished deletes nothing`() throws {
    let (scenario, _) = try scenario(30)
    try FileManager.default.moveItem(
      atPath: scenario.mirror.account, toPath: scenario.mirror.account + ".away")
    let outcome = try scenario.mirror.run(["push"])
    #expect(outcome.status != 0)
    try FileManager.default.createDirectory(
      atPath: scenario.mirror.account, withIntermediateDirectories: true)
    #expect(try scenario.mirror.run(["push"]).status != 0)
    #expect(try scenario.client.uids(in: "INBOX").count == 30)
  }

  @Test func `a new folder becomes a mailbox, with what is in it`() throws {
    let (scenario, reader) = try scenario()
    for part in ["tmp", "new", "cur"] {
      try FileManager.default.createDirectory(
        atPath: scenario.mirror.account + "/Projects/Nile/" + part,
        withIntermediateDirectories: true)
    }
    try reader.move(#require(try scenario.local("m1@")), to: "Projects/Nile")
    try reader.deliver(
      SampleMessage(token: "fresh").bytes.filter { $0 != 13 }, name: "17.1_2.host",
      to: "Projects/Nile")
    try scenario.push()
    #expect(scenario.appends.count == 1)
    #expect(scenario.proxy.commands(named: ["MOVE"]).count == 1)
    #expect(scenario.proxy.commands(named: ["SUBSCRIBE"]).count == 1)
    try scenario.expectSettled()
  }

  @Test func `a name beyond ASCII is spelled as the server wants it`() throws {
    let (scenario, _) = try scenario()
    for part in ["tmp", "new", "cur"] {
      try FileManager.default.createDirectory(
        atPath: scenario.mirror.account + "/Ägypten/" + part, withIntermediateDirectories: true)
    }
    try scenario.push()
    #expect(try scenario.client.mailboxes().contains("&AMQ-gypten"))
    try scenario.push()
    #expect(scenario.proxy.changingCommands == [])
  }

  @Test func `a renamed folder is one RENAME, with the folders below it`() throws {
    let (scenario, _) = try scenario()
    try scenario.client.create("Work/2024")
    try scenario.append(["w0", "w1"], to: "Work")
    try scenario.append(["x0", "x1"], to: "Work/2024")
    try scenario.pull()
    try FileManager.default.moveItem(
      atPath: scenario.mirror.account + "/Work", toPath: scenario.mirror.account + "/Job")
    try scenario.push()
    #expect(scenario.proxy.commands(named: ["RENAME"]).count == 1)
    // Both names, and the one below, are subscribed to as before.
    #expect(scenario.proxy.commands(named: ["UNSUBSCRIBE"]).count == 2)
    #expect(scenario.proxy.commands(named: ["MOVE", "APPEND", "CREATE", "EXPUNGE"]) == [])
    #expect(try scenario.places("x1") == ["Job/2024"])
    try scenario.expectSettled()
  }

  @Test func `an edited draft replaces the old one`() throws {
    let (scenario, reader) = try scenario()
    try scenario.append(["d0"], to: "Drafts", flags: ["\\Draft"])
    try scenario.pull()
    let draft = try #require(try scenario.local("d0@"))
    try reader.rewrite(draft, draft.raw + Array("one more line\n".utf8))
    try scenario.push()
    let drafts = try scenario.client.messages(in: "Drafts")
    #expect(drafts.count == 1)
    #expect(contains(drafts[0].bytes, Array("one more line".utf8)))
    try scenario.expectSettled()
  }

  @Test func `an edited message that is no draft stays here, which is said once`() throws {
    let (scenario, reader) = try scenario()
    let message = try #require(try scenario.local("m5@"))
    try reader.rewrite(message, message.raw + Array("one more line\n".utf8))
    let outcome = try scenario.push(1)
    #expect(outcome.errorText.contains("edited"), "\(outcome.errorText)")
    #expect(scenario.proxy.changingCommands == [])
    try scenario.push()
    let status = try scenario.mirror.run(["status"])
    #expect(status.status == 0)
  }

  @Test func `the recreated folder gets nothing that was meant for the old one`() throws {
    let (scenario, reader) = try scenario()
    try scenario.append((0..<5).map { "w\($0)" }, to: "Work")
    try scenario.pull()
    try scenario.client.select("INBOX")
    try scenario.client.delete("Work")
    try scenario.client.create("Work")
    try scenario.append((0..<5).map { "x\($0)" }, to: "Work")
    try reader.remove(#require(try scenario.local("w1@")))
    try reader.setFlags(#require(try scenario.local("w2@")), "F")
    try scenario.push(1)
    #expect(scenario.proxy.changingCommands == [])
    let remote = try scenario.client.messages(in: "Work")
    #expect(remote.count == 5 && remote.allSatisfy { !$0.flags.contains("\\Flagged") })
  }

  @Test func `a dry run says what would be done, and asks nobody`() throws {
    let (scenario, reader) = try scenario()
    try reader.setFlags(#require(try scenario.local("m0@")), "F")
    try reader.move(#require(try scenario.local("m1@")), to: "Work")
    try reader.remove(#require(try scenario.local("m2@")))
    let before = TreeSnapshot(scenario.mirror.account, leavingOut: Scenario.isBookkeeping)
    let outcome = try scenario.push(0, "--dry-run")
    #expect(scenario.proxy.connections == 0 || scenario.proxy.commands(named: ["LOGIN"]) == [])
    let text = outcome.outputText
    #expect(text.contains("personal/INBOX: +flagged on 1 message"), "\(text)")
    #expect(text.contains("personal/INBOX: move 1 message to Work"), "\(text)")
    #expect(text.contains("personal/INBOX: move 1 message to the trash"), "\(text)")
    let after = TreeSnapshot(scenario.mirror.account, leavingOut: Scenario.isBookkeeping)
    #expect(before.changes(to: after) == [])
    let json = try scenario.push(0, "--dry-run", "--format", "json")
    #expect(json.outputText.contains("\"kind\" : \"trash\""), "\(json.outputText)")
    let status = try scenario.mirror.run(["status"])
    #expect(
      status.outputText.contains("waiting for a push: 1 flag change, 1 move, 1 deletion"),
      "\(status.outputText)")
  }

  @Test func `sync pushes, then pulls`() throws {
    let (scenario, reader) = try scenario()
    try reader.setFlags(#require(try scenario.local("m0@")), "F")
    try scenario.append(["fresh"])
    let outcome = try scenario.mirror.run(["sync", "--no-index"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try scenario.remote("m0", in: "INBOX")?.flags.contains("\\Flagged") == true)
    #expect(try scenario.local("fresh@") != nil)
    try scenario.expectSettled()
  }

  @Test func `a push before any pull says so`() throws {
    let scenario = try Scenario()
    #expect(try scenario.mirror.run(["push"]).status == 1)
  }
}
