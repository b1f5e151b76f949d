import Foundation
import MailTestKit
import Testing

/// `mirror revert` as a person uses it: with a real server, and where it is cut off.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct RevertRunTests {
  private func scenario() throws -> Scenario {
    let scenario = try Scenario()
    for mailbox in ["Work", "Drafts", "Trash"] { try scenario.client.create(mailbox) }
    try scenario.append((0..<6).map { "m\($0)" })
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    return scenario
  }

  private func change(_ scenario: Scenario) throws {
    let reader = Reader(scenario.mirror)
    try reader.setFlags(#require(try scenario.local("m0@")), "FS")
    try reader.move(#require(try scenario.local("m1@")), to: "Work")
    try reader.remove(#require(try scenario.local("m2@")))
    let edited = try #require(try scenario.local("m3@"))
    try reader.rewrite(edited, edited.raw + Array("one more line\n".utf8))
    try reader.deliver(
      SampleMessage(token: "mine").bytes.filter { $0 != 13 }, name: "17.1_mine.host",
      to: "Drafts")
  }

  @Test func `the tree is the server's again, and what exists only here stays`() throws {
    let scenario = try scenario()
    try change(scenario)
    let told = try scenario.mirror.run(["revert", "--dry-run", "personal"])
    #expect(told.status == 0, "\(told.summary)")
    #expect(
      told.outputText.contains(
        "personal: dry run: 1 marked, 1 moved, 1 restored, 1 set aside, 0 folders, 1 kept"),
      "\(told.summary)")
    scenario.proxy.forget()
    let outcome = try scenario.mirror.run(["revert", "personal"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(scenario.proxy.changingCommands == [])
    #expect(
      outcome.outputText.contains("personal/Drafts: 1 message that exists only here stays"),
      "\(outcome.summary)")
    try scenario.client.append([SampleMessage(token: "mine")], to: "Drafts")
    let mine = try #require(try scenario.local("mine@"))
    try Reader(scenario.mirror).remove(mine)
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.expectSettled()
    // The index found what came back.
    let found = try scenario.mirror.run(["search", "folder:INBOX", "--format", "ids"])
    #expect(found.outputText.split(separator: "\n").count == 6, "\(found.summary)")
  }

  @Test func `where the server cannot be reached, the next pull brings what was deleted`() throws {
    let scenario = try scenario()
    try change(scenario)
    scenario.proxy.conditions.refuses = true
    let outcome = try scenario.mirror.run(["revert", "personal"])
    #expect(outcome.status == 69, "\(outcome.summary)")
    #expect(outcome.outputText.contains("comes with the next pull"), "\(outcome.summary)")
    #expect(try scenario.local("m0@")?.flags == "")
    #expect(try scenario.local("m1@")?.folder == "INBOX")
    scenario.proxy.conditions.refuses = false
    // Also where a push comes first: nothing of it counts as deleted.
    try scenario.push(1)
    #expect(try scenario.places("m2") == ["INBOX"] && scenario.places("m3") == ["INBOX"])
    try scenario.pull()
    #expect(try scenario.local("m2@")?.folder == "INBOX")
    #expect(try scenario.local("m3@")?.folder == "INBOX")
  }

  /// What is awaited is the server's text, however alike a file looks.
  @Test(arguments: ["SAMPLE", "longer sample"])
  func `an edited copy is not taken for a message that comes back`(word: String) throws {
    let scenario = try Scenario()
    let sample = SampleMessage(token: "m0", body: "a sample")
    try scenario.client.append([sample, SampleMessage(token: "m1")])
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    let reader = Reader(scenario.mirror)
    let message = try #require(try scenario.local("m0@"))
    try reader.remove(message)
    scenario.proxy.conditions.refuses = true
    #expect(try scenario.mirror.run(["revert", "personal"]).status == 69)
    scenario.proxy.conditions.refuses = false
    let text = String(decoding: message.raw, as: UTF8.self).replacing("sample", with: word)
    try reader.deliver(Array(text.utf8), name: "17.1_mine.host", to: "INBOX")
    try scenario.pull()
    #expect(try scenario.mirror.tree().count(of: "<m0@") == 2)
    try scenario.push()
    let bodies = try scenario.client.messages(in: "INBOX").filter {
      contains($0.bytes, Array("<m0@".utf8))
    }
    #expect(bodies.count == 2)
    #expect(bodies.contains { contains($0.bytes, Array(word.utf8)) })
    try scenario.expectSettled()
  }

  @Test func `what it has still to bring is missing, also beyond a window`() throws {
    let scenario = try Scenario()
    let now = Int64(Date().timeIntervalSince1970)
    try scenario.append(["o0", "o1"], flags: ["\\Flagged"], date: now - 200 * 86_400)
    try scenario.append(["n0"], date: now - 86_400)
    try scenario.pull()
    try scenario.mirror.configure { $0.sync = "window = \"30d\"" }
    try scenario.pull()
    let reader = Reader(scenario.mirror)
    for message in try scenario.mirror.tree().messages { try reader.remove(message) }
    scenario.proxy.conditions.refuses = true
    #expect(try scenario.mirror.run(["revert"]).status == 69)
    scenario.proxy.conditions.refuses = false
    let told = try scenario.mirror.run(["verify"])
    #expect(told.status == 1 && told.outputText.contains("3 differences"), "\(told.summary)")
    try scenario.pull()
    let whole = try scenario.mirror.run(["verify"])
    #expect(whole.status == 0, "\(whole.summary)")
  }

  @Test func `what was edited, moved and marked can be had back`() throws {
    let scenario = try scenario()
    try change(scenario)
    #expect(try scenario.mirror.run(["revert"]).status == 0)
    let list = try scenario.mirror.run(["undo", "--list"])
    #expect(list.outputText.contains("mirror revert (3 messages)"), "\(list.summary)")
    let told = try scenario.mirror.run(["status"])
    #expect(told.outputText.contains("1 edit that `mirror revert` set aside"), "\(told.summary)")
    let undone = try scenario.mirror.run(["undo"])
    #expect(undone.status == 0, "\(undone.summary)")
    #expect(try scenario.local("m0@")?.flags == "FS")
    #expect(try scenario.local("m1@")?.folder == "Work")
    #expect(
      try scenario.mirror.tree().messages.contains {
        contains($0.raw, Array("one more line".utf8))
      })
  }

  @Test func `deletions held back by the guard are given up`() throws {
    let scenario = try Scenario()
    try scenario.append((0..<60).map { "m\($0)" })
    try scenario.pull()
    for message in try scenario.mirror.tree().messages.prefix(40) {
      try Reader(scenario.mirror).remove(message)
    }
    let held = try scenario.push(1)
    #expect(held.errorText.contains("mirror revert"), "\(held.summary)")
    for command in ["status", "doctor"] {
      let told = try scenario.mirror.run([command])
      #expect(told.outputText.contains("mirror revert"), "\(told.summary)")
    }
    let outcome = try scenario.mirror.run(["revert"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try scenario.mirror.tree().messages.count == 60)
    try scenario.expectSettled()
  }

  @Test func `an unknown mailbox is a mistake, and nothing is done`() throws {
    let scenario = try scenario()
    try change(scenario)
    #expect(try scenario.mirror.run(["revert", "personal/INBIX"]).status == 64)
    #expect(try scenario.mirror.run(["revert", "nobody"]).status == 64)
    #expect(try scenario.local("m0@")?.flags == "FS")
  }

  @Test(.enabled(if: FaultRun.isPossible, "no strace"))
  func `killed between a file and the state, it is told, and the next pull ends it`() throws {
    for number in 1...8 {
      let scenario = try scenario()
      let edited = try #require(try scenario.local("m3@"))
      try Reader(scenario.mirror).rewrite(edited, edited.raw + Array("one more line\n".utf8))
      var fault = FaultRun(scenario.mirror)
      fault.arguments = ["revert"]
      let killed = try fault.kill(at: "renameat2,renameat,rename,linkat", number)
      try #require(killed.ending != .exited(0), "the moment was not met")
      // Before it or after it nothing is to be told.
      if try scenario.mirror.run(["status", "--ready"]).status == 0 { continue }
      let ready = try scenario.mirror.run(["status", "--ready"])
      guard ready.outputText.contains("revert") else { continue }
      let push = try scenario.push(1)
      #expect(push.errorText.contains("Run `mirror revert` again"), "\(push.summary)")
      let verified = try scenario.mirror.run(["verify"])
      #expect(verified.status == 1, "\(verified.summary)")
      #expect(
        verified.errorText.contains("`mirror revert` was interrupted")
          && verified.errorText.contains("Run `mirror pull`"), "\(verified.summary)")
      #expect(try scenario.mirror.run(["pull"]).status == 0)
      #expect(try scenario.local("m3@")?.folder == "INBOX")
      #expect(try scenario.mirror.run(["status", "--ready"]).status == 0)
      #expect(try scenario.mirror.run(["undo"]).status == 0)
      let files = try scenario.mirror.tree().messages
      return #expect(files.contains { contains($0.raw, Array("one more line".utf8)) })
    }
    Issue.record("no kill left the file aside and the state as it was")
  }

  /// What a person deleted beside it is let go by a word of theirs, and the message whose edit is given up is not.
  @Test(.enabled(if: FaultRun.isPossible, "no strace"), arguments: [true, false])
  func `killed between a file and the state, beside deletions that are held back`(
    isHeldBefore: Bool
  ) throws {
    for number in 1...8 {
      let scenario = try Scenario()
      try scenario.append((0..<30).map { "m\($0)" })
      try scenario.pull()
      let reader = Reader(scenario.mirror)
      func deleteMany() throws {
        for number in 4..<30 { try reader.remove(#require(try scenario.local("m\(number)@"))) }
      }
      let edited = try #require(try scenario.local("m3@"))
      try reader.rewrite(edited, edited.raw + Array("one more line\n".utf8))
      if isHeldBefore {
        try deleteMany()
        try scenario.push(1)
      }
      var fault = FaultRun(scenario.mirror)
      fault.arguments = ["revert", "--yes"]
      let killed = try fault.kill(at: "renameat2,renameat,rename,linkat", number)
      try #require(killed.ending != .exited(0), "the moment was not met")
      let status = try scenario.mirror.run(["status"])
      guard status.outputText.contains("`mirror revert` was interrupted") else { continue }
      if !isHeldBefore { try deleteMany() }
      for arguments in [["push"], ["push", "--allow-mass-delete"]] {
        let push = try scenario.mirror.run(arguments)
        #expect(push.errorText.contains("`mirror revert` was interrupted"), "\(push.summary)")
      }
      #expect(try scenario.places("m3") == ["INBOX"])
      #expect(try scenario.places("m4").allSatisfy { $0 != "INBOX" })
      try scenario.pull()
      #expect(try scenario.local("m3@")?.folder == "INBOX")
      try scenario.push()
      return #expect(try scenario.places("m3") == ["INBOX"])
    }
    Issue.record("no kill left the file aside and the state as it was")
  }

  @Test(
    .enabled(if: FaultRun.isPossible, "no strace"),
    arguments: ["rename", "renameat", "renameat2", "fdatasync", "pwrite64", "unlink", "mkdir"])
  func `killed anywhere, nothing is deleted, and another revert ends it`(call: String) throws {
    for number in [1, 2, 3, 5, 8] {
      let scenario = try scenario()
      try change(scenario)
      var fault = FaultRun(scenario.mirror)
      fault.arguments = ["revert"]
      let killed = try fault.kill(at: call, number)
      _ = try scenario.mirror.run(["push"])
      for token in ["m2", "m3"] {
        let places = try scenario.places(token)
        let when = "\(call) \(number) \(killed.ending): \(places)"
        #expect(!places.isEmpty, "\(when)")
        // Before anything was given up, a push carries out what the person did.
        if killed.ending == .exited(0) || token == "m3" { #expect(places == ["INBOX"], "\(when)") }
      }
      let again = try scenario.mirror.run(["revert"])
      #expect([0, 1].contains(again.status), "\(again.summary)")
      #expect(try scenario.mirror.run(["sync"]).status == 0)
      for number in 0..<6 {
        #expect(try scenario.mirror.tree().count(of: "<m\(number)@") >= 1, "\(call) m\(number)")
      }
      if killed.ending == .exited(0) { break }
    }
  }
}
