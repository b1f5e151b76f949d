import Foundation
import MailTestKit
import Settings
import SyncPlan
import Testing

/// Servers that cannot do what others can, that refuse, and that lose an answer.
struct DialectTests {
  static let dialects: [String] = [
    "bare", "modern", "condstore", "exchange", "gmail", "uidplus", "move",
  ]

  private func dialect(_ name: String) -> ServerDialect {
    switch name {
    case "bare": .bare
    case "modern": .modern
    case "condstore": .condstore
    case "exchange": .exchange
    case "gmail": .gmail
    case "uidplus": ServerDialect(capabilities: ["UIDPLUS"])
    default: ServerDialect(capabilities: ["MOVE"])
    }
  }

  @Test(arguments: dialects) func `every kind of change reaches every kind of server`(name: String)
    throws
  {
    let stage = try Stage(dialect(name))
    try stage.setFlags("m0", "FS")
    try stage.reader.setKeywords(stage.local("m1"), ["topic"])
    try stage.move("m2", to: "Work")
    try stage.move("m3", to: "Work")
    try stage.deliver("fresh", to: "Work")
    stage.push()
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
      #expect(stage.places("m2") == ["Work"])
      #expect(try stage.remote("m2").flags.contains("\\Deleted"))
      #expect(stage.changes.allSatisfy { !$0.contains("EXPUNGE") && !$0.contains("CLOSE") })
      stage.forget()
      stage.push()
      #expect(stage.changes == [])
      stage.pull(nil)
      #expect(try stage.tree().count(of: "<m2@") == 1)
    }
  }

  @Test(arguments: dialects) func `deletions go to Trash, and from Trash for good`(name: String)
    throws
  {
    let stage = try Stage(dialect(name))
    try stage.remove("m2")
    stage.push()
    #expect(stage.places("m2").contains("Trash"))
    stage.pull(nil)
    try stage.reader.remove(stage.local("m2", in: "Trash"))
    stage.push()
    if dialect(name).has("UIDPLUS") {
      #expect(stage.places("m2") == [])
      try stage.expectSettled()
    } else {
      stage.forget()
      stage.push()
      #expect(stage.changes == [], "said once, and not again and again")
    }
  }

  @Test(arguments: ["modern", "bare", "gmail"], [false, true])
  func `the lost APPEND answer is looked for, and nothing is sent twice`(
    name: String, pullsBetween: Bool
  ) throws {
    let stage = try Stage(dialect(name))
    try stage.deliver("fresh", to: "Work")
    let isLost = Locked(true)
    stage.alter.value = { command, replies in
      guard command.name == "APPEND", isLost.value else { return replies }
      return [.hangUp]
    }
    stage.push(nil)
    isLost.value = false
    if pullsBetween { stage.pull(nil) }
    stage.push()
    #expect(stage.places("fresh") == ["Work"])
    #expect(try stage.tree().count(of: "<fresh@") == 1)
    try stage.expectSettled()
  }

  @Test func `one APPENDUID for two messages is not believed`() throws {
    let stage = try Stage(.modern)
    try stage.deliver("one", to: "Work")
    try stage.deliver("two", to: "Work")
    let first = Locked<UInt32?>(nil)
    let account = stage.account
    stage.alter.value = { command, replies in
      guard command.name == "APPEND" else { return replies }
      let uid = first.change { known -> UInt32 in
        known = known ?? account["Work"]?.messages.last?.uid
        return known ?? 1
      }
      return [.line("\(command.tag) OK [APPENDUID 1500000000 \(uid)] taken")]
    }
    stage.push()
    stage.alter.value = nil
    #expect(stage.places("one") == ["Work"] && stage.places("two") == ["Work"])
    let tree = try stage.tree()
    #expect(tree.count(of: "<one@") == 1 && tree.count(of: "<two@") == 1)
    try stage.setFlags("two", "F")
    stage.push()
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
    stage.alter.value = { command, replies in
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
    stage.push()
    #expect(stage.places("fresh") == ["Work"])
    try stage.expectSettled()
  }

  @Test func `over quota: new mail stays and waits, everything else goes on`() throws {
    let stage = try Stage(.modern)
    try stage.deliver("one", to: "Work")
    try stage.deliver("two", to: "Work")
    try stage.setFlags("m0", "F")
    stage.refusals.value = [.init(name: "APPEND", words: "NO [OVERQUOTA] full")]
    let outcome = stage.push(1)
    #expect(outcome.told.contains("quota"))
    #expect(stage.flags("m0") == ["\\Flagged"])
    #expect(try stage.tree()["Work"].count == 2)
    stage.refusals.value = []
    stage.push()
    #expect(stage.places("one") == ["Work"] && stage.places("two") == ["Work"])
    try stage.expectSettled()
  }

  @Test func `a keyword that the server cannot keep stays here, and is said once`() throws {
    let stage = try Stage(.modern)
    try stage.reader.setKeywords(stage.local("m0"), ["mine"])
    stage.alter.value = { command, replies in
      guard command.name == "SELECT" else { return replies }
      return replies.map { reply in
        reply.text.contains("PERMANENTFLAGS")
          ? .line("* OK [PERMANENTFLAGS (\\Seen \\Flagged \\Answered \\Deleted \\Draft)] few")
          : reply
      }
    }
    let outcome = stage.push()
    #expect(outcome.told.contains("mine"))
    let again = stage.push()
    #expect(!again.told.contains("mine"))
    #expect(try stage.local("m0").keywords() == ["mine"])
    stage.pull(nil)
    #expect(try stage.local("m0").keywords() == ["mine"])
  }

  @Test func `a server restored from an old backup deletes nothing on either side`() throws {
    let stage = try Stage(.modern)
    let backup = stage.account["INBOX"]
    stage.account.change("INBOX") { box in
      for number in 6..<9 { box.deliver(SampleMessage(token: "m\(number)")) }
    }
    stage.pull(nil)
    stage.account["INBOX"] = backup
    stage.account.change("INBOX") { $0.deliver(SampleMessage(token: "other")) }
    try stage.remove("m1")
    let outcome = stage.push(1)
    #expect(outcome.told.contains("backwards"), "\(outcome.told)")
    #expect(stage.places("m1") == ["INBOX"])
    let pulled = stage.pull(nil)
    #expect(pulled.exitStatus == 0 && pulled.told.contains("backwards"), "\(pulled.told)")
    let tree = try stage.tree()
    for token in ["m0", "m2", "m6", "m7", "m8", "other"] {
      #expect(tree.count(of: "<\(token)@") == 1, "\(token)")
    }
    #expect(stage.places("m1") == ["INBOX"])
  }

  /// What was deleted here may be about what the server lost, too.
  @Test func `nor is anything deleted in its other mailboxes before a pull`() throws {
    for isOfChangesAlone in [true, false] {
      let stage = try Stage(.modern) { account in
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
      stage.pull(nil)
      stage.account["INBOX"] = backup
      try stage.remove("w0")
      try stage.remove("t0")
      let outcome = stage.push(1)
      #expect(outcome.told.contains("nothing is deleted in any mailbox"))
      #expect(stage.places("w0") == ["Work"] && stage.places("t0") == ["Trash"])
      #expect(stage.changes == [])
      stage.pull(nil)
      stage.push()
      #expect(stage.places("w0") == ["Trash"] && stage.places("t0") == [])
      try stage.expectSettled()
    }
  }

  /// RFC 6154, section 3. Where the server does not want to be told, the mailbox is made all the same.
  @Test(arguments: [true, false]) func `mailboxes are made for what they are called`(takes: Bool)
    throws
  {
    var dialect = ServerDialect.modern
    dialect.capabilities.insert("CREATE-SPECIAL-USE")
    let stage = try Stage(dialect, count: 3)
    stage.account["Trash"] = nil
    try FileManager.default.removeItem(atPath: stage.path + "/Trash")
    stage.pull(nil)
    if !takes {
      stage.refusals.value = [.init(name: "CREATE", part: "USE", words: "NO [USEATTR] not here")]
    }
    try stage.remove("m0")
    for name in ["Archive", "Spam", "Club"] { try stage.makeFolder(name) }
    try stage.move("m1", to: "Archive")
    stage.push()
    #expect(stage.places("m0") == ["Trash"] && stage.places("m1") == ["Archive"])
    let uses = ["Trash": ["\\Trash"], "Archive": ["\\Archive"], "Spam": ["\\Junk"], "Club": []]
    for (name, use) in uses {
      #expect(stage.account[name]?.attributes == (takes ? use : []), "\(name)")
    }
    stage.refusals.value = []
    // The server has these already, by attribute or by name.
    for name in ["Junk", "Deleted"] { try stage.makeFolder(name) }
    stage.push()
    #expect(stage.account["Junk"]?.attributes == [] && stage.account["Deleted"]?.attributes == [])
    try stage.expectSettled()
  }

  @Test(arguments: ["move", "rename"])
  func `nor where the restored mailbox was met before by other work`(work: String) throws {
    let stage = try Stage(.modern) { account in
      account.add("x")
      for name in ["x", "Work"] {
        account.change(name) { $0.deliver(SampleMessage(token: name.lowercased())) }
      }
    }
    let backup = stage.account["x"]
    stage.account.change("x") { $0.deliver(SampleMessage(token: "late")) }
    stage.pull(nil)
    stage.account["x"] = backup
    if work == "move" {
      try stage.move("m0", to: "x")
    } else {
      try FileManager.default.moveItem(
        atPath: stage.path + "/x", toPath: stage.path + "/y")
    }
    try stage.remove("work")
    let outcome = stage.push(1)
    #expect(outcome.told.contains("nothing is deleted in any mailbox"), "\(outcome.told)")
    #expect(stage.places("work") == ["Work"] && stage.changes == [])
  }

  /// A pull does not look into it, so nothing could ever end the waiting.
  @Test func `a mailbox that is not mirrored any more holds back no deletion`() throws {
    let stage = try Stage(.modern, count: 2) { account in
      account.add("x")
      account.change("x") { $0.deliver(SampleMessage(token: "x")) }
    }
    let backup = stage.account["x"]
    stage.account.change("x") { $0.deliver(SampleMessage(token: "late")) }
    stage.pull(nil)
    stage.account["x"] = backup
    stage.sync.folders = FolderPatterns(["*", "!x"])
    stage.reopen()
    try stage.remove("m0")
    stage.push()
    #expect(stage.places("m0") == ["Trash"])
  }
}
