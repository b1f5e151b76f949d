import Foundation
import MailTestKit
import Testing

/// `mirror verify` where the state believes in a wrong file: only what the server says and sends can tell.
@Suite(
  .onBlockingThreads,
  .enabled(if: Machine.hasProgram && findProgram("sqlite3") != nil, "needs sqlite3"))
struct VerifyTests {
  private func stage(
    _ dialect: Dialect = .modern, more: (MailAccount) -> Void = { _ in }
  ) throws -> PushStage {
    try PushStage(dialect, count: 12, more: more)
  }

  /// One message's file gets another's bytes, and its record what is known of that one.
  private func believe(_ stage: PushStage, _ wrong: LocalMessage, of uid: UInt32, for own: UInt32)
    throws
  {
    let state = stage.mirror.account + "/.mirror/state.db"
    let place = try #require(
      try stage.mirror.tree()["INBOX"].first { $0.base.contains("U\(own).") })
    try writeFile(
      stage.mirror.account + "/" + place.path,
      try readFile(stage.mirror.account + "/" + wrong.path))
    try runSuccessfully([
      "sqlite3", state,
      """
      CREATE TEMP TABLE other AS SELECT message.* FROM message JOIN mailbox ON mailbox.id = mailbox
        WHERE mailbox.name = 'INBOX' AND uid = \(uid);
      UPDATE message SET (headerHash, contentHash, size, serverSize)
        = (SELECT headerHash, contentHash, size, serverSize FROM other)
        WHERE mailbox = (SELECT mailbox FROM other) AND uid = \(own);
      """,
    ])
  }

  private func verify(
    _ stage: PushStage, _ status: Int32, _ arguments: String...,
    location: SourceLocation = #_sourceLocation
  ) throws -> Outcome {
    stage.server.forget()
    let outcome = try stage.mirror.run(["verify"] + arguments)
    #expect(outcome.ending == .exited(status), "\(outcome.summary)", sourceLocation: location)
    #expect(stage.changes == [], sourceLocation: location)
    return outcome
  }

  /// No answer shows the keyword, whatever the server says that it takes.
  private func hide(_ keyword: String, _ stage: PushStage) {
    stage.server.alter { _, replies in
      replies.map { reply in
        guard case .line(let bytes) = reply else { return reply }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("FETCH"), text.contains(keyword) else { return reply }
        return .line(
          text.replacing(" \(keyword)", with: "").replacing("(\(keyword) ", with: "(")
            .replacing("(\(keyword))", with: "()"))
      }
    }
  }

  @Test(arguments: [true, false], [true, false])
  func `keywords that the server cannot keep are told, and are no difference`(
    isNew: Bool, isSaid: Bool
  ) throws {
    var dialect = Dialect.modern
    dialect.takesNewKeywords = !isSaid
    let stage = try stage(dialect)
    hide("mine", stage)
    if isNew {
      let bytes = SampleMessage(token: "fresh").bytes.filter { $0 != 13 }
      try stage.reader.deliver(
        Array("X-Keywords: mine\n".utf8) + bytes, name: "17.1_fresh.host", to: "INBOX")
    } else {
      try stage.reader.setKeywords(stage.local("m0"), ["mine"])
    }
    // What a new message brings along shows to be kept, or not, once it is there.
    for _ in 0..<2 { _ = try stage.mirror.run(["push"]) }
    for _ in 0..<2 {
      let outcome = try verify(stage, 0)
      let words = "“mine”: 1 message has such marks here only."
      #expect(outcome.errorText.contains(words), "\(outcome.summary)")
      #expect(outcome.outputText.contains("all as on the server"), "\(outcome.summary)")
      try stage.mirror.pull()
    }
  }

  @Test func `a wrong file that the state believes in is found by its length`() throws {
    let stage = try stage()
    try believe(stage, stage.local("m10"), of: 11, for: 2)
    let outcome = try verify(stage, 1)
    #expect(outcome.errorText.contains("bytes long"), "\(outcome.summary)")
    #expect(outcome.outputText.contains("1 difference"), "\(outcome.summary)")
    let report = try verify(stage, 1, "--format", "json").outputText
    #expect(report.contains("\"uid\" : 2"), "\(report)")
    #expect(report.contains("\"sizes_compared\" : 12"), "\(report)")
  }

  @Test func `of the same length it is found by its header, or by its bytes`() throws {
    let stage = try stage()
    try believe(stage, stage.local("m3"), of: 4, for: 2)
    _ = try verify(stage, 0)
    let headers = try verify(stage, 1, "--headers")
    #expect(headers.errorText.contains("another header"), "\(headers.summary)")
    #expect(headers.outputText.contains("12 headers"), "\(headers.summary)")
    let deep = try verify(stage, 1, "--deep", "--sample", "12")
    #expect(deep.errorText.contains("other bytes"), "\(deep.summary)")
    #expect(deep.outputText.contains("12 whole messages"), "\(deep.summary)")
  }

  @Test(arguments: [true, false])
  func `a damaged file is mended as it is told`(looksSame: Bool) throws {
    let stage = try stage()
    let sent = try stage.local("m4")
    let path = stage.mirror.account + "/" + sent.path
    try runSuccessfully(["cp", "-p", path, stage.mirror.home + "/before"])
    var bytes = sent.raw
    bytes[bytes.count - 3] ^= 1
    if !looksSame { bytes += Array("more".utf8) }
    try writeFile(path, bytes)
    if looksSame { try runSuccessfully(["touch", "-r", stage.mirror.home + "/before", path]) }
    let told = try verify(stage, 1)
    #expect(told.errorText.contains("`mirror revert`"), "\(told.summary)")
    #expect(told.errorText.contains("touch(1)") == looksSame, "\(told.summary)")
    if looksSame { try runSuccessfully(["touch", path]) }
    #expect(try stage.mirror.run(["revert"]).status == 0)
    _ = try verify(stage, 0)
    #expect(try stage.local("m4").raw == sent.raw)
    // And what was there can be had.
    #expect(try stage.mirror.run(["undo"]).status == 0)
    #expect(try stage.mirror.tree()["INBOX"].contains { $0.raw == bytes })
  }

  @Test func `under the same header it is found by its bytes alone`() throws {
    func message(_ word: String) -> SampleMessage {
      SampleMessage(bytes: Array("Subject: twin\r\nMessage-ID: <twin@x>\r\n\r\n\(word)\r\n".utf8))
    }
    let stage = try stage { account in
      account.change("INBOX") { box in
        box.deliver(message("this"))
        box.deliver(message("that"))
      }
    }
    let other = try #require(
      try stage.mirror.tree()["INBOX"].first { $0.base.contains("U14.") })
    try believe(stage, other, of: 14, for: 13)
    _ = try verify(stage, 0, "--headers")
    let deep = try verify(stage, 1, "--headers", "--deep", "--sample", "99")
    #expect(deep.errorText.contains("other bytes"), "\(deep.summary)")
  }

  @Test func `a sample is as large as was said, and no message is fetched without it`() throws {
    let stage = try stage()
    let plain = try verify(stage, 0)
    #expect(plain.outputText.contains("12 messages in 4 mailboxes checked (12 sizes)"))
    // What is there, flags and sizes come in the flight that opens a mailbox.
    let asked = stage.server.received.filter { $0.contains(" UID FETCH ") }
    #expect(asked.count == 4 && asked.allSatisfy { $0.contains("RFC822.SIZE") }, "\(asked)")
    #expect(try verify(stage, 0, "--deep", "--sample", "5").outputText.contains("5 whole messages"))
    #expect(stage.server.server.bodyFetches.count == 1)
    #expect(try verify(stage, 0, "--deep").outputText.contains("12 whole messages"))
    for arguments in [["--sample", "3"], ["--deep", "--sample", "0"]] {
      #expect(try stage.mirror.run(["verify"] + arguments).status == 64)
    }
  }

  /// Each of the server's mailboxes is checked, or told not to be here.
  @Test func `mailboxes whose names a person cannot tell apart are counted one by one`() throws {
    let names = ["caf&AOk-", "cafe&AwE-", "ax", "&AGE-x"]
    let stage = try stage { account in for name in names { account.add(name) } }
    _ = try stage.mirror.run(["pull", "--no-index"])
    let outcome = try stage.mirror.run(["verify", "--format", "json"])
    let checked = try #require(
      outcome.outputText.firstMatch(of: /"mailboxes_checked" : ([0-9]+)/).flatMap { Int($0.1) })
    let told = outcome.outputText.components(separatedBy: "which is not mirrored").count - 1
    #expect(checked + told == 4 + names.count, "\(outcome.summary)")
    #expect(outcome.status == (told == 0 ? 0 : 1), "\(outcome.summary)")
  }

  @Test func `a server that counts wrong is not believed, and its bytes are`() throws {
    let stage = try stage(.exchange)
    stage.account.change("INBOX") { box in
      for index in box.messages.indices { box.messages[index].claimedSize = 7 }
    }
    _ = try verify(stage, 0, "--headers", "--deep")
    try believe(stage, stage.local("m3"), of: 4, for: 2)
    _ = try verify(stage, 1, "--headers")
  }

  @Test func `what readers and other programs add to a header is no difference`() throws {
    let stage = try stage()
    let read = try stage.local("m1")
    try stage.reader.rewrite(read, Array("Status: RO\nX-Status: A\n".utf8) + read.raw)
    let labelled = try stage.local("m2")
    try stage.reader.rewrite(labelled, Array("X-Label: work\n".utf8) + labelled.raw)
    // As a program left it that marks what it has: then the state is lost.
    let marked = try stage.local("m4")
    try stage.reader.rewrite(marked, Array("X-TUID: abcdefghijkl\n".utf8) + marked.raw)
    _ = try verify(stage, 0, "--headers", "--deep")
    removeTree(stage.mirror.account + "/.mirror")
    stage.server.forget()
    try stage.mirror.pull()
    #expect(stage.server.server.bodyFetches == [])
    _ = try verify(stage, 0, "--headers", "--deep")
  }

  @Test(arguments: ["lf", "crlf"])
  func `an upload whose line ends the server made its own is no difference`(endings: String) throws
  {
    var dialect = Dialect.modern
    dialect.storing = { bytes in
      bytes.indices.flatMap { place -> [UInt8] in
        let isBare = bytes[place] == 10 && (place == 0 || bytes[place - 1] != 13)
        return isBare ? [13, 10] : [bytes[place]]
      }
    }
    let stage = try PushStage(dialect, count: 2, sync: "line-endings = \"\(endings)\"")
    for (name, text) in [
      ("17.1.lf", "Subject: lf\nMessage-ID: <lf@x>\n\none\ntwo\n"),
      ("17.2.mixed", "Subject: mixed\r\nMessage-ID: <mixed@x>\n\r\none\ntwo\r\n"),
      ("17.3.crlf", "Subject: crlf\r\nMessage-ID: <crlf@x>\r\n\r\none\r\n"),
    ] {
      try stage.reader.deliver(Array(text.utf8), name: name, to: "INBOX")
    }
    try stage.push()
    #expect(stage.account["INBOX"]?.messages.count == 5)
    _ = try verify(stage, 0, "--headers", "--deep")
  }

  @Test(arguments: ["lf", "crlf"]) func `a healthy tree has no differences`(endings: String) throws
  {
    let bare = Array("Subject: bare\n\nno return\n".utf8)
    let mixed = Array("Subject: mixed\r\n\r\none\ntwo\rthree\r\n".utf8)
    for dialect in [Dialect.modern, .gmail, .yahoo] {
      let stage = try PushStage(
        dialect, count: 3, sync: "line-endings = \"\(endings)\""
      ) { account in
        account.deliver(SampleMessage(token: "k", flags: ["topic"]), labelled: ["INBOX", "Work"])
        for bytes in [bare, mixed, Array("X-Keywords: own\r\n\r\nhi\r\n".utf8), Array("x".utf8)] {
          account.deliver(SampleMessage(bytes: bytes), labelled: ["Work"])
        }
      }
      try stage.deliver("new", to: "Work")
      try stage.reader.move(stage.local("m0"), to: "Work")
      try stage.push()
      try stage.mirror.pull()
      for _ in 0..<2 {
        _ = try verify(stage, 0, "--headers", "--deep", "--sample", "99")
        removeTree(stage.mirror.account + "/.mirror")
        removeTree(stage.mirror.home + "/.local")
        try stage.mirror.pull()
      }
    }
  }
}
