import MailTestKit
import SyncPlan
import Testing

/// A file whose keywords line was written anew has another name (`~k1`): what a push has under way to it is still known.
struct RewriteTests {
  /// Gives a file another keywords line and its next names, as `mirror flag` does each time that it is called.
  private func rewrite(_ message: LocalMessage, _ keywords: [String], _ stage: Stage, times: Int)
    throws
  {
    try stage.reader.setKeywords(message, keywords)
    let old = "\(stage.path)/\(message.path)"
    let part = "\(stage.path)/\(message.folder)/\(message.subdirectory)"
    let new = "\(part)/\(message.base)~k\(times):2,\(message.flags)"
    try runSuccessfully(["mv", old, new])
  }

  @Test func `a copy that was confirmed by nobody is known by its file's new name`() throws {
    let stage = try Stage(ServerDialect(capabilities: ["UIDPLUS"]))
    try stage.move("m0", to: "Work")
    stage.killPush(at: "UID COPY")
    // Another client marks the copy; the pull meets it by its file, which it writes anew.
    stage.account.change("Work") { box in box.setFlags(box.messages[0].uid, ["theirs"]) }
    stage.pull(nil)
    #expect(try stage.local("m0").base.contains("~k1"))
    stage.push()
    #expect(stage.places("m0") == ["Work"])
    #expect(stage.account["Trash"]?.messages.isEmpty == true)
    stage.pull(nil)
    #expect(try stage.local("m0").keywords() == ["theirs"])
    try stage.expectSettled()
  }

  /// Other programs believe that size without a look: a file that grew by its keywords line has another one in its name.
  @Test func `a copy of a file with its size in its name is known by the new one, too`() throws {
    let stage = try Stage(ServerDialect(capabilities: ["UIDPLUS"]))
    let bytes = SampleMessage(token: "sized").bytes.filter { $0 != 13 }
    try stage.reader.deliver(bytes, name: "17.1_sized.host,S=\(bytes.count)", to: "INBOX")
    stage.push()
    try stage.move("sized", to: "Work")
    stage.killPush(at: "UID COPY")
    stage.account.change("Work") { box in box.setFlags(box.messages[0].uid, ["theirs"]) }
    stage.pull(nil)
    #expect(try stage.local("sized").base.contains("~k1,S="))
    stage.push()
    #expect(stage.places("sized") == ["Work"])
    #expect(stage.account["Trash"]?.messages.isEmpty == true)
    try stage.expectSettled()
  }

  /// In a tree that mbsync kept, two messages' names may differ in nothing but its UIDs; in any, one may have the name
  /// that the other's next rewrite would give it.
  @Test(arguments: [("17.1_1.host,U=5", "17.1_1.host,U=6"), ("17.1_1.host", "17.1_1.host~k1")])
  func `a copy is not taken for an older message with nearly its name`(moved: String, other: String)
    throws
  {
    let stage = try Stage(ServerDialect(capabilities: ["UIDPLUS"]))
    for (token, name, folder) in [("moved", moved, "INBOX"), ("other", other, "Work")] {
      try stage.reader.deliver(
        SampleMessage(token: token).bytes.filter { $0 != 13 }, name: name, to: folder)
    }
    stage.push()
    try stage.move("moved", to: "Work")
    stage.killPush(at: "UID COPY")
    // As if the command had not come there.
    stage.account.change("Work") { $0.messages.removeLast() }
    try stage.reader.remove(stage.local("moved"))
    stage.push()
    #expect(stage.places("moved") == ["Trash"] && stage.places("other") == ["Work"])
    stage.pull(nil)
    try stage.expectSettled()
  }

  @Test func `of two identical messages the older is not taken for the copy`() throws {
    let stage = try Stage(ServerDialect(capabilities: ["UIDPLUS"]))
    let bytes = SampleMessage(token: "twin").bytes.filter { $0 != 13 }
    try stage.reader.deliver(bytes, name: "17.1_1.host", to: "INBOX")
    try stage.reader.deliver(bytes, name: "17.1_1.host~k1", to: "Work")
    stage.push()
    try stage.reader.move(stage.local("twin", in: "INBOX"), to: "Work")
    stage.killPush(at: "UID COPY")
    stage.account.change("Work") { $0.messages.removeLast() }
    stage.push()
    #expect(stage.count(of: "<twin@", in: "Work") == 2)
    stage.pull(nil)
    #expect(try stage.tree().count(of: "<twin@") == 2)
    try stage.expectSettled()
  }

  @Test func `an upload whose answer was lost is not an older message with nearly its name`()
    throws
  {
    let stage = try Stage(.bare)
    for (token, name) in [("older", "17.1_1.host~k1"), ("fresh", "17.1_1.host")] {
      try stage.reader.deliver(
        SampleMessage(token: token).bytes.filter { $0 != 13 }, name: name, to: "Work")
      if token == "older" { stage.push() } else { stage.killPush(at: "APPEND") }
    }
    stage.push()
    #expect(stage.count(of: "<fresh@", in: "Work") == 1)
    #expect(stage.count(of: "<older@", in: "Work") == 1)
    try stage.expectSettled()
  }

  @Test(arguments: [1, 2, 3]) func `what was taken and is not shown is not sent again`(times: Int)
    throws
  {
    var dialect = ServerDialect.bare
    dialect.storing = { Array("X-Seen-By: server\r\n".utf8) + $0 }
    let stage = try Stage(dialect)
    try stage.deliverNameless(to: "Work")
    stage.push(1)
    try rewrite(stage.local("fresh"), ["mine"], stage, times: times)
    stage.forget()
    stage.push(1)
    #expect(stage.changes == [], "\(stage.changes)")
    #expect(stage.places("fresh") == ["Work"])
    #expect(try stage.tree().count(of: "<fresh@") == 1)
  }

  @Test(arguments: ["modern", "bare"])
  func `an upload whose answer was lost is known by its file's new name`(name: String) throws {
    let stage = try Stage(name == "modern" ? .modern : .bare)
    try stage.deliver("fresh", to: "Work")
    stage.killPush(at: "APPEND")
    try rewrite(stage.local("fresh"), ["mine"], stage, times: 2)
    stage.push()
    #expect(stage.places("fresh") == ["Work"])
    #expect(stage.flags("fresh").contains("mine"))
    try stage.expectSettled()
  }

  @Test func `a message moved and marked by the other side keeps what both did`() throws {
    let stage = try Stage(.modern)
    try stage.reader.setKeywords(stage.local("m0"), ["mine"])
    stage.account.change("INBOX") { $0.setFlags(1, ["theirs"]) }
    stage.pull(nil)
    let now = try stage.local("m0")
    #expect(now.base.contains("~k1") && now.keywords() == ["mine", "theirs"])
    try stage.reader.move(now, to: "Work")
    stage.push()
    #expect(stage.places("m0") == ["Work"])
    #expect(Set(stage.flags("m0").map { $0.lowercased() }) == ["mine", "theirs"])
    #expect(stage.changes(named: "APPEND") == [])
    try stage.expectSettled()
  }
}
