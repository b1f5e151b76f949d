import MailTestKit
import Testing

/// A file whose keywords line was written anew has another name (`~k1`): what a push has under way to it is still known.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushRewriteTests {
  private typealias Stage = PushStage

  /// Gives a file another keywords line and its next names, as `mirror flag` does each time that it is called.
  private func rewrite(_ message: LocalMessage, _ keywords: [String], _ stage: Stage, times: Int)
    throws
  {
    try stage.reader.setKeywords(message, keywords)
    let old = "\(stage.mirror.account)/\(message.path)"
    let part = "\(stage.mirror.account)/\(message.folder)/\(message.subdirectory)"
    let new = "\(part)/\(message.base)~k\(times):2,\(message.flags)"
    try runSuccessfully(["mv", old, new])
  }

  @Test func `a copy that was confirmed by nobody is known by its file's new name`() throws {
    let stage = try Stage(Dialect(capabilities: ["UIDPLUS"]))
    try stage.reader.move(stage.local("m0"), to: "Work")
    try stage.killPush(at: "UID COPY")
    // Another client marks the copy; the pull meets it by its file, which it writes anew.
    stage.account.change("Work") { box in box.setFlags(box.messages[0].uid, ["theirs"]) }
    try stage.mirror.pull()
    #expect(try stage.local("m0").base.contains("~k1"))
    try stage.push()
    #expect(stage.places("m0") == ["Work"])
    #expect(stage.account["Trash"]?.messages.isEmpty == true)
    try stage.mirror.pull()
    #expect(try stage.local("m0").keywords() == ["theirs"])
    try stage.expectSettled()
  }

  @Test(arguments: [1, 2, 3]) func `what was taken and is not shown is not sent again`(times: Int)
    throws
  {
    var dialect = Dialect.bare
    dialect.storing = { Array("X-Seen-By: server\r\n".utf8) + $0 }
    let stage = try Stage(dialect)
    try stage.deliverNameless(to: "Work")
    try stage.push(1)
    try rewrite(stage.local("fresh"), ["mine"], stage, times: times)
    stage.server.forget()
    try stage.push(1)
    #expect(stage.changes == [], "\(stage.changes)")
    #expect(stage.places("fresh") == ["Work"])
    #expect(try stage.mirror.tree().count(of: "<fresh@") == 1)
  }

  @Test(arguments: ["modern", "bare"])
  func `an upload whose answer was lost is known by its file's new name`(name: String) throws {
    let stage = try Stage(name == "modern" ? .modern : .bare)
    try stage.deliver("fresh", to: "Work")
    try stage.killPush(at: "APPEND")
    try rewrite(stage.local("fresh"), ["mine"], stage, times: 2)
    try stage.push()
    #expect(stage.places("fresh") == ["Work"])
    #expect(stage.flags("fresh").contains("mine"))
    try stage.expectSettled()
  }

  @Test func `a message moved and marked by the other side keeps what both did`() throws {
    let stage = try Stage(.modern)
    try stage.reader.setKeywords(stage.local("m0"), ["mine"])
    stage.account.change("INBOX") { $0.setFlags(1, ["theirs"]) }
    try stage.mirror.pull()
    let now = try stage.local("m0")
    #expect(now.base.contains("~k1") && now.keywords() == ["mine", "theirs"])
    try stage.reader.move(now, to: "Work")
    try stage.push()
    #expect(stage.places("m0") == ["Work"])
    #expect(Set(stage.flags("m0").map { $0.lowercased() }) == ["mine", "theirs"])
    #expect(stage.server.server.received(named: ["APPEND"]) == [])
    try stage.expectSettled()
  }
}
