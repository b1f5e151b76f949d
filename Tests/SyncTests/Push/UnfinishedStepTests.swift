import Foundation
import MailTestKit
import SyncPlan
import Testing

/// Steps that outlive the run that began them: nothing is expunged, lost or doubled for a number that means another
/// message by now.
struct UnfinishedStepTests {
  private static let copying = ServerDialect(capabilities: ["UIDPLUS"])

  /// An account with one draft, d0.
  private func drafting(_ dialect: ServerDialect = .modern) throws -> Stage {
    try Stage(dialect) { account in
      account.change("Drafts") { $0.deliver(SampleMessage(token: "d0", flags: ["\\Draft"])) }
    }
  }

  private func edit(_ stage: Stage) throws {
    let draft = try stage.local("d0")
    try stage.reader.rewrite(draft, draft.raw + Array("one more line\n".utf8))
  }

  /// A push that died while the server was at work, or bytes that waited in some proxy.
  @Test func `a message that shows itself only after the first look is not sent again`() throws {
    let stage = try Stage()
    try stage.deliver("late", to: "INBOX")
    let (account, fuse) = (stage.account, stage.fuse)
    let held = Locked<ModelMessage?>(nil)
    stage.alter.value = { command, replies in
      guard command.name == "APPEND" else { return replies }
      account.change("INBOX") { box in held.value = box.messages.removeLast() }
      fuse.burn()
      return replies
    }
    stage.push(nil)
    #expect(stage.places("late") == [] && held.value != nil)
    stage.alter.value = { command, replies in
      if command.name == "NOOP" || command.name == "APPEND", let message = held.value {
        account.change("INBOX") { box in
          box.messages.append(message)
          box.messages.sort { $0.uid < $1.uid }
        }
        held.value = nil
      }
      return replies
    }
    stage.push()
    #expect(stage.places("late") == ["INBOX"])
    stage.alter.value = nil
    try stage.expectSettled()
  }

  @Test func `a step left from an earlier run looks at the message before it expunges it`() throws {
    let stage = try Stage(Self.copying)
    try stage.move("m0", to: "Work")
    stage.refusals.value = [.init(name: "UID EXPUNGE", words: "NO [CANNOT] not now")]
    stage.push(1)
    stage.refusals.value = []
    // A server that gives a number away a second time, and says nothing of it.
    stage.account.change("INBOX") { box in
      box.messages[0].bytes = SampleMessage(token: "other").bytes
      box.messages[0].flags = []
    }
    stage.push(1)
    #expect(stage.places("other") == ["INBOX"])
    #expect(!stage.flags("other").contains("\\Deleted"))
  }

  @Test(arguments: ["modern", "uidplus"])
  func `a mailbox made by a push and made anew by somebody else is another one`(name: String) throws
  {
    let stage = try Stage(name == "modern" ? .modern : Self.copying)
    try stage.makeFolder("Fresh")
    for number in 0..<3 { try stage.deliver("n\(number)", to: "Fresh") }
    stage.push()
    #expect(stage.account["Fresh"]?.messages.count == 3)
    stage.account["Fresh"] = nil
    stage.account.add("Fresh", uidValidity: 1_700_000_000)
    stage.account.change("Fresh") { box in
      for number in 0..<3 { box.deliver(SampleMessage(token: "o\(number)")) }
    }
    try stage.setFlags("n0", "FS")
    try stage.remove("n1")
    stage.push(1)
    #expect(stage.account["Fresh"]?.messages.allSatisfy { $0.flags.isEmpty } == true)
    #expect(stage.account["Trash"]?.messages.isEmpty == true)
    stage.pull(nil)
    let tree = try stage.tree()
    for number in 0..<3 { #expect(tree.count(of: "<o\(number)@") == 1) }
    #expect(tree.count(of: "<n0@") == 1 && tree.count(of: "<n2@") == 1, "kept as local messages")
  }

  @Test func `a push twice to a mailbox of its own making sends each message once`() throws {
    let stage = try Stage(.modern)
    try stage.makeFolder("Fresh")
    try stage.deliver("n0", to: "Fresh")
    stage.push()
    try stage.deliver("n1", to: "Fresh")
    try stage.move("m0", to: "Fresh")
    stage.push()
    #expect(stage.account["Fresh"]?.messages.count == 3)
    try stage.expectSettled()
  }

  @Test(arguments: [false, true])
  func `a draft saved again within a second, with as many bytes, is sent as it is now`(
    inPlace: Bool
  )
    throws
  {
    let stage = try drafting()
    let draft = try stage.local("d0")
    try stage.reader.rewrite(draft, draft.raw + Array("first line\n".utf8))
    stage.push()
    let now = try stage.local("d0")
    let bytes = Array(now.raw.dropLast(11)) + Array("other line\n".utf8)
    if inPlace {
      let path = "\(stage.path)/\(now.path)"
      try writeFile(path, bytes)
      let date = Date(timeIntervalSince1970: Double(now.modified))
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    } else {
      try stage.reader.rewrite(now, bytes)
    }
    stage.push()
    #expect(stage.count(of: "other line", in: "Drafts") == 1)
    #expect(stage.count(of: "first line", in: "Drafts") == 0)
    try stage.expectSettled()
  }

  @Test func `a draft whose answer was lost, and whose file goes behind a pull, is in the trash`()
    throws
  {
    let stage = try drafting()
    try edit(stage)
    let name = try stage.local("d0").path
    stage.killPush(at: "APPEND")
    // The pull finds what was sent to be this file.
    stage.pull(nil)
    #expect(try stage.tree().count(of: "<d0@") == 1)
    #expect(unlink(stage.path + "/" + name) == 0)
    stage.push()
    #expect(stage.count(of: "one more line", in: "Drafts") == 0)
    #expect(stage.count(of: "one more line", in: "Trash") == 1)
    try stage.expectSettled()
    #expect(stage.places("d0") == ["Trash"])
  }

  @Test(arguments: ["bare", "uidplus"])
  func `a copy counts only if its content is the message's`(name: String) throws {
    let stage = try Stage(name == "bare" ? .bare : Self.copying)
    try stage.move("m0", to: "Work")
    let account = stage.account
    // What arrives has the same header, and says something else; and the server tells nothing of where.
    stage.alter.value = { command, replies in
      guard command.name == "UID COPY" else { return replies }
      account.change("Work") { box in
        box.messages[box.messages.count - 1].bytes = SampleMessage(token: "m0", body: "No.").bytes
      }
      return [.line("\(command.tag) OK copied")]
    }
    stage.push(1)
    #expect(stage.count(of: "Hello.", in: "INBOX") == 4)
    #expect(try stage.remote("m0").flags.contains("\\Deleted") == false)
    stage.alter.value = nil
    stage.forget()
    stage.push(1)
    #expect(stage.changes == [], "it is looked for, and not copied again: \(stage.changes)")
  }

  @Test(arguments: ["UID COPY", "UID STORE"])
  func `a copy to Trash that a pull met is there once`(name: String) throws {
    let stage = try Stage(Self.copying)
    try stage.remove("m0")
    stage.killPush(at: name)
    stage.pull(nil)
    stage.push()
    #expect(stage.places("m0") == ["Trash"])
    try stage.expectSettled()
  }

  @Test func `a MOVE that never reached the server is made, and one that did is not`() throws {
    for isMade in [true, false] {
      let stage = try Stage(.modern)
      try stage.move("m0", to: "Work")
      if isMade {
        stage.killPush(at: "UID MOVE")
      } else {
        let isDead = Locked(false)
        let account = stage.account
        let before = account["INBOX"]
        let target = account["Work"]
        stage.alter.value = { command, replies in
          if command.name == "UID MOVE", !isDead.value {
            isDead.value = true
            account["INBOX"] = before
            account["Work"] = target
          }
          return isDead.value ? [.hangUp] : replies
        }
        stage.push(nil)
        stage.alter.value = nil
        // Somebody copies it there meanwhile: that one is not ours.
        account.change("Work") { $0.deliver(SampleMessage(token: "m0")) }
      }
      stage.push()
      #expect(stage.places("m0") == (isMade ? ["Work"] : ["Work", "Work"]))
    }
  }

  @Test(arguments: [true, false])
  func `a server that rewrites what it takes gets it once`(hasMessageID: Bool) throws {
    var dialect = ServerDialect.bare
    dialect.storing = { Array("X-Seen-By: server\r\n".utf8) + $0 }
    let stage = try Stage(dialect)
    if hasMessageID {
      try stage.deliver("fresh", to: "Work")
    } else {
      try stage.reader.deliver(
        Array("From: a@example.org\nSubject: fresh\n\nno name <fresh@example.org>\n".utf8),
        name: "17.1_fresh.host", to: "Work")
    }
    stage.push(hasMessageID ? 0 : 1)
    stage.forget()
    stage.push(hasMessageID ? 0 : 1)
    #expect(stage.changes == [])
    #expect(stage.places("fresh") == ["Work"])
    guard hasMessageID else { return }
    stage.pull(nil)
    #expect(try stage.tree().count(of: "<fresh@") == 1)
    try stage.expectSettled(agrees: false)
  }

  @Test func `flags that follow an APPEND are not lost with the run`() throws {
    let stage = try Stage(.exchange)
    try stage.reader.deliver(
      SampleMessage(token: "fresh").bytes.filter { $0 != 13 }, name: "17.1_fresh.host", to: "Work",
      flags: "FS")
    stage.killPush(at: "APPEND")
    stage.push()
    stage.pull(nil)
    stage.push()
    #expect(try stage.local("fresh").flags == "FS")
    #expect(stage.flags("fresh") == ["\\Flagged", "\\Seen"])
    #expect(stage.places("fresh") == ["Work"])
  }

  @Test func `a name that the server turns out to have gets nothing before a pull`() throws {
    let stage = try Stage(.modern)
    try stage.makeFolder("Fresh")
    try stage.deliver("n0", to: "Fresh")
    stage.refusals.value = [.init(name: "CREATE", words: "NO [ALREADYEXISTS] there")]
    let outcome = stage.push(1)
    #expect(outcome.told.contains("mirror pull"), "\(outcome.told)")
    #expect(!stage.changes.contains { $0.contains("APPEND") })
  }

  @Test func `what a person puts back while the push is at work is not deleted`() throws {
    let stage = try Stage(.modern)
    let message = try stage.local("m0")
    try stage.reader.remove(message)
    try stage.remove("m2")
    try stage.setFlags("m1", "F")
    let path = stage.path + "/" + message.path
    stage.alter.value = { command, replies in
      if command.name == "UID STORE" { try? writeFile(path, message.raw) }
      return replies
    }
    stage.push()
    #expect(stage.places("m0") == ["INBOX"] && stage.places("m2") == ["Trash"])
    #expect(try stage.local("m0").folder == "INBOX")
  }

  @Test func `a tree without its state sends nothing before it is matched as a whole`() throws {
    let stage = try Stage(.modern) { account in
      account.change("Work") { $0.deliver(SampleMessage(token: "w0")) }
    }
    for name in ["state.db", "state.backup.db"] {
      try FileManager.default.removeItem(atPath: stage.path + "/.mirror/" + name)
    }
    // Moved before anything is known of it again: no new message.
    try stage.move("w0", to: "INBOX")
    stage.pull(nil, PullOptions(mailboxes: ["INBOX"]))
    stage.push(nil)
    #expect(stage.places("w0") == ["Work"], "nothing is sent twice")
    stage.pull(nil)
    stage.push()
    #expect(stage.places("w0").count == 1)
  }
}
