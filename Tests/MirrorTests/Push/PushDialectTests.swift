import Foundation
import MailTestKit
import Testing

/// Servers that cannot do what others can, that refuse, and that lose an answer.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushDialectTests {
  private typealias Stage = PushStage

  static let dialects: [String] = [
    "bare", "modern", "condstore", "exchange", "gmail", "uidplus", "move",
  ]

  private func dialect(_ name: String) -> Dialect {
    switch name {
    case "bare": .bare
    case "modern": .modern
    case "condstore": .condstore
    case "exchange": .exchange
    case "gmail": .gmail
    case "uidplus": Dialect(capabilities: ["UIDPLUS"])
    default: Dialect(capabilities: ["MOVE"])
    }
  }

  @Test(arguments: dialects) func `every kind of change reaches every kind of server`(name: String)
    throws
  {
    let stage = try Stage(dialect(name))
    try stage.reader.setFlags(stage.local("m0"), "FS")
    try stage.reader.setKeywords(stage.local("m1"), ["topic"])
    try stage.reader.move(stage.local("m2"), to: "Work")
    try stage.reader.move(stage.local("m3"), to: "Work")
    try stage.deliver("fresh", to: "Work")
    try stage.push()
    #expect(stage.flags("m0") == ["\\Flagged", "\\Seen"])
    if name == "gmail" {
      #expect(stage.places("m1") == ["INBOX", "topic"], "a keyword is a label is a mailbox")
    } else {
      #expect(stage.flags("m1") == ["topic"])
    }
    #expect(stage.places("fresh") == ["Work"])
    let canExpunge = dialect(name).has("UIDPLUS") || dialect(name).has("MOVE")
    if canExpunge {
      #expect(stage.places("m2") == ["Work"] && stage.places("m3") == ["Work"])
      try stage.expectSettled()
    } else {
      // Marked, and left for somebody to expunge: no box-wide EXPUNGE.
      #expect(stage.places("m2") == ["INBOX", "Work"])
      #expect(stage.flags("m2").contains("\\Deleted"))
      #expect(stage.server.server.received(named: ["EXPUNGE", "CLOSE"]) == [])
      stage.server.forget()
      try stage.push()
      #expect(stage.server.server.changingCommands == [])
      try stage.mirror.pull()
      #expect(try stage.mirror.tree().count(of: "<m2@") == 1)
    }
  }

  @Test(arguments: dialects) func `deletions go to Trash, and from Trash for good`(name: String)
    throws
  {
    let stage = try Stage(dialect(name))
    try stage.reader.remove(stage.local("m2"))
    try stage.push()
    #expect(stage.places("m2").contains("Trash"))
    try stage.mirror.pull()
    try stage.reader.remove(stage.local("m2", in: "Trash"))
    try stage.push()
    if dialect(name).has("UIDPLUS") {
      #expect(stage.places("m2") == [])
      try stage.expectSettled()
    } else {
      stage.server.forget()
      try stage.push()
      #expect(stage.server.server.changingCommands == [], "said once, and not again and again")
    }
  }

  @Test(arguments: ["modern", "bare", "gmail"], [false, true])
  func `the lost APPEND answer is looked for, and nothing is sent twice`(
    name: String, pullsBetween: Bool
  ) throws {
    let stage = try Stage(dialect(name))
    try stage.deliver("fresh", to: "Work")
    let isLost = Locked(true)
    stage.server.alter { command, replies in
      guard command.name == "APPEND", isLost.value else { return replies }
      return [.hangUp]
    }
    _ = try stage.mirror.run(["push"])
    isLost.value = false
    if pullsBetween { try stage.mirror.pull() }
    try stage.push()
    #expect(stage.places("fresh") == ["Work"])
    #expect(try stage.mirror.tree().count(of: "<fresh@") == 1)
    try stage.expectSettled()
  }

  @Test func `one APPENDUID for two messages is not believed`() throws {
    let stage = try Stage(.modern)
    try stage.deliver("one", to: "Work")
    try stage.deliver("two", to: "Work")
    let first = Locked<UInt32?>(nil)
    let account = stage.account
    stage.server.alter { command, replies in
      guard command.name == "APPEND" else { return replies }
      let uid = first.change { known -> UInt32 in
        known = known ?? account["Work"]?.messages.last?.uid
        return known ?? 1
      }
      return [.line("\(command.tag) OK [APPENDUID 1500000000 \(uid)] taken")]
    }
    try stage.push()
    stage.server.alter(nil)
    #expect(stage.places("one") == ["Work"] && stage.places("two") == ["Work"])
    let tree = try stage.mirror.tree()
    #expect(tree.count(of: "<one@") == 1 && tree.count(of: "<two@") == 1)
    try stage.reader.setFlags(stage.local("two"), "F")
    try stage.push()
    #expect(stage.flags("two") == ["\\Flagged"])
    #expect(!stage.flags("one").contains("\\Flagged"))
    try stage.expectSettled()
  }

  @Test func `a message that was never taken is sent again`() throws {
    let stage = try Stage(.modern)
    try stage.deliver("fresh", to: "Work")
    // The connection dies before the server has it.
    let count = Locked(0)
    let account = stage.account
    stage.server.alter { command, replies in
      if command.name == "APPEND",
        count.change({
          $0 += 1
          return $0
        }) == 1
      {
        account.change("Work") { $0.messages.removeLast() }
        return [.hangUp]
      }
      return replies
    }
    try stage.push()
    #expect(stage.places("fresh") == ["Work"])
    try stage.expectSettled()
  }

  @Test func `flags that the server refuses are set back, and said`() throws {
    let stage = try Stage(.modern)
    try stage.reader.setFlags(stage.local("m0"), "F")
    try stage.reader.setFlags(stage.local("m1"), "S")
    stage.refusals.value = [("UID STORE", "Flagged", "NO not that one")]
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("not that one"), "\(outcome.errorText)")
    #expect(try stage.local("m0").flags == "")
    #expect(stage.flags("m1") == ["\\Seen"])
    #expect(stage.server.server.received(named: ["STORE"]).count <= 9)
    stage.refusals.value = []
    try stage.expectSettled()
  }

  @Test func `a refused move is put back`() throws {
    let stage = try Stage(.modern)
    try stage.reader.move(stage.local("m0"), to: "Work")
    stage.refusals.value = [("UID MOVE", "", "NO [CANNOT] not into there")]
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("not into there"))
    #expect(try stage.local("m0").folder == "INBOX")
    stage.refusals.value = []
    try stage.expectSettled()
  }

  @Test func `a refused deletion comes back with the next pull`() throws {
    let stage = try Stage(.modern)
    try stage.reader.remove(stage.local("m0"))
    stage.refusals.value = [("UID MOVE", "", "NO [CANNOT] not into there")]
    try stage.push(1)
    stage.refusals.value = []
    try stage.mirror.pull()
    #expect(try stage.local("m0").folder == "INBOX")
    try stage.expectSettled()
  }

  @Test func `over quota: new mail stays and waits, everything else goes on`() throws {
    let stage = try Stage(.modern)
    try stage.deliver("one", to: "Work")
    try stage.deliver("two", to: "Work")
    try stage.reader.setFlags(stage.local("m0"), "F")
    stage.refusals.value = [("APPEND", "", "NO [OVERQUOTA] full")]
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("quota"))
    #expect(stage.flags("m0") == ["\\Flagged"])
    #expect(try stage.mirror.tree()["Work"].count == 2)
    stage.refusals.value = []
    try stage.push()
    #expect(stage.places("one") == ["Work"] && stage.places("two") == ["Work"])
    try stage.expectSettled()
  }

  @Test func `a read-only mailbox keeps what is here, and is not asked for ever`() throws {
    let stage = try Stage(.modern)
    try stage.reader.setFlags(stage.local("m0"), "F")
    stage.server.alter { command, replies in
      guard command.name == "SELECT" else { return replies }
      return replies.dropLast() + [.line("\(command.tag) OK [READ-ONLY] look only")]
    }
    for _ in 0..<3 { try stage.push(1) }
    stage.server.forget()
    let outcome = try stage.push(1)
    #expect(stage.server.received.isEmpty, "\(stage.server.received)")
    #expect(outcome.errorText.contains("1 change waits"), "\(outcome.errorText)")
    #expect(outcome.outputText.contains("1 waiting"), "\(outcome.outputText)")
    #expect(try stage.local("m0").flags == "F")
  }

  @Test func `a keyword that the server cannot keep stays here, and is said once`() throws {
    let stage = try Stage(.modern)
    try stage.reader.setKeywords(stage.local("m0"), ["mine"])
    stage.server.alter { command, replies in
      guard command.name == "SELECT" else { return replies }
      return replies.map { reply in
        reply.text.contains("PERMANENTFLAGS")
          ? .line("* OK [PERMANENTFLAGS (\\Seen \\Flagged \\Answered \\Deleted \\Draft)] few")
          : reply
      }
    }
    let outcome = try stage.push()
    #expect(outcome.errorText.contains("mine"))
    let again = try stage.push()
    #expect(!again.errorText.contains("mine"))
    #expect(try stage.local("m0").keywords() == ["mine"])
    try stage.mirror.pull()
    #expect(try stage.local("m0").keywords() == ["mine"])
  }

  @Test func `a server restored from an old backup deletes nothing on either side`() throws {
    let stage = try Stage(.modern)
    let backup = stage.account["INBOX"]
    stage.account.change("INBOX") { box in
      for number in 6..<9 { box.deliver(SampleMessage(token: "m\(number)")) }
    }
    try stage.mirror.pull()
    stage.account["INBOX"] = backup
    stage.account.change("INBOX") { $0.deliver(SampleMessage(token: "other")) }
    try stage.reader.remove(stage.local("m1"))
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("backwards"), "\(outcome.errorText)")
    #expect(stage.places("m1") == ["INBOX"])
    let pulled = try stage.mirror.pull()
    #expect(pulled.status == 0 && pulled.errorText.contains("backwards"), "\(pulled.summary)")
    let tree = try stage.mirror.tree()
    for token in ["m0", "m2", "m6", "m7", "m8", "other"] {
      #expect(tree.count(of: "<\(token)@") == 1, "\(token)")
    }
    #expect(stage.places("m1") == ["INBOX"])
  }

  /// What was deleted here may be about what the server lost, too.
  @Test func `nor is anything deleted in its other mailboxes before a pull`() throws {
    for isOfChangesAlone in [true, false] {
      let stage = try PushStage(.modern) { account in
        account.change("Work") { $0.deliver(SampleMessage(token: "w0")) }
        account.change("Trash") { $0.deliver(SampleMessage(token: "t0")) }
      }
      let backup = stage.account["INBOX"]
      stage.account.change("INBOX") { box in
        if isOfChangesAlone {
          box.setFlags(1, ["\\Flagged"])
        } else {
          box.deliver(SampleMessage(token: "m9"))
        }
      }
      try stage.mirror.pull()
      stage.account["INBOX"] = backup
      try stage.reader.remove(stage.local("w0"))
      try stage.reader.remove(stage.local("t0"))
      let outcome = try stage.push(1)
      #expect(outcome.errorText.contains("nothing is deleted in any mailbox"))
      #expect(stage.places("w0") == ["Work"] && stage.places("t0") == ["Trash"])
      #expect(stage.changes == [])
      try stage.mirror.pull()
      try stage.push()
      #expect(stage.places("w0") == ["Trash"] && stage.places("t0") == [])
      try stage.expectSettled()
    }
  }

  /// RFC 6154, section 3. Where the server does not want to be told, the mailbox is made all the same.
  @Test(arguments: [true, false]) func `mailboxes are made for what they are called`(takes: Bool)
    throws
  {
    var dialect = Dialect.modern
    dialect.capabilities.insert("CREATE-SPECIAL-USE")
    let stage = try Stage(dialect, count: 3)
    stage.account["Trash"] = nil
    try FileManager.default.removeItem(atPath: stage.mirror.account + "/Trash")
    try stage.mirror.pull()
    if !takes { stage.refusals.value = [("CREATE", "USE", "NO [USEATTR] not here")] }
    try stage.reader.remove(stage.local("m0"))
    for name in ["Archive", "Spam", "Club"] { try stage.makeFolder(name) }
    try stage.reader.move(stage.local("m1"), to: "Archive")
    try stage.push()
    #expect(stage.places("m0") == ["Trash"] && stage.places("m1") == ["Archive"])
    let uses = ["Trash": ["\\Trash"], "Archive": ["\\Archive"], "Spam": ["\\Junk"], "Club": []]
    for (name, use) in uses {
      #expect(stage.account[name]?.attributes == (takes ? use : []), "\(name)")
    }
    stage.refusals.value = []
    // The server has these already, by attribute or by name.
    for name in ["Junk", "Deleted"] { try stage.makeFolder(name) }
    try stage.push()
    #expect(stage.account["Junk"]?.attributes == [] && stage.account["Deleted"]?.attributes == [])
    try stage.expectSettled()
  }

  @Test func `what is deleted by query goes to the trash that the push makes`() throws {
    let stage = try Stage(.modern, count: 3)
    stage.account["Trash"] = nil
    try FileManager.default.removeItem(atPath: stage.mirror.account + "/Trash")
    try stage.mirror.pull()
    #expect(try stage.mirror.run(["index"]).status == 0)
    let rehearsed = try stage.mirror.run(["delete", "--dry-run", "subject:m1"])
    #expect(rehearsed.status == 0, "\(rehearsed.summary)")
    #expect(rehearsed.outputText.contains("would make the folder personal/Trash"))
    let outcome = try stage.mirror.run(["delete", "--yes", "subject:m1"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    _ = try stage.local("m1", in: "Trash")
    try stage.push()
    #expect(stage.places("m1") == ["Trash"])
    #expect(stage.server.server.received(named: ["APPEND", "COPY"]) == [])
    try stage.expectSettled()
  }

  @Test(arguments: ["move", "rename"])
  func `nor where the restored mailbox was met before by other work`(work: String) throws {
    let stage = try PushStage(.modern) { account in
      account.add("x")
      for name in ["x", "Work"] {
        account.change(name) { $0.deliver(SampleMessage(token: name.lowercased())) }
      }
    }
    let backup = stage.account["x"]
    stage.account.change("x") { $0.deliver(SampleMessage(token: "late")) }
    try stage.mirror.pull()
    stage.account["x"] = backup
    if work == "move" {
      try stage.reader.move(stage.local("m0"), to: "x")
    } else {
      try FileManager.default.moveItem(
        atPath: stage.mirror.account + "/x", toPath: stage.mirror.account + "/y")
    }
    try stage.reader.remove(stage.local("work"))
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("nothing is deleted in any mailbox"), "\(outcome.summary)")
    #expect(stage.places("work") == ["Work"] && stage.changes == [])
  }

  /// A pull does not look into it, so nothing could ever end the waiting.
  @Test func `a mailbox that is not mirrored any more holds back no deletion`() throws {
    let stage = try PushStage(.modern, count: 2) { account in
      account.add("x")
      account.change("x") { $0.deliver(SampleMessage(token: "x")) }
    }
    let backup = stage.account["x"]
    stage.account.change("x") { $0.deliver(SampleMessage(token: "late")) }
    try stage.mirror.pull()
    stage.account["x"] = backup
    try stage.mirror.configure { $0.sync += "\nfolders = [\"*\", \"!x\"]\n" }
    try stage.reader.remove(stage.local("m0"))
    try stage.push()
    #expect(stage.places("m0") == ["Trash"])
  }
}
