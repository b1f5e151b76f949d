import Foundation
import MailTestKit
import Settings
import SyncPlan
import Testing

/// Keywords that are spelled like flags, and keywords kept as letters, which mean something only in their folder.
struct KeywordTests {
  // MARK: Like flags

  @Test func `a keyword spelled like a flag stays here, is said once, and stops no flag`() throws {
    let stage = try Stage(.modern)
    try stage.reader.setKeywords(stage.local("m0"), ["\\Seen", "\\Flagged"])
    let outcome = stage.push()
    #expect(outcome.told.contains("the keyword “\\seen”"), "\(outcome.told)")
    #expect(stage.changes == [] && stage.flags("m0") == [])
    try stage.setFlags("m1", "FS")
    try stage.setFlags("m2", "S")
    try stage.move("m2", to: "Work")
    let again = stage.push()
    #expect(!again.told.contains("cannot keep"), "\(again.told)")
    #expect(stage.flags("m1") == ["\\Flagged", "\\Seen"])
    #expect(try stage.remote("m2", in: "Work").flags == ["\\Seen"])
    #expect(try stage.local("m0").keywords() == ["\\Seen", "\\Flagged"])
    stage.forget()
    let quiet = stage.push()
    #expect(stage.changes == [] && !quiet.told.contains("cannot keep"), "\(quiet.told)")
  }

  @Test func `a new message with a keyword spelled like a flag is sent with its flags`() throws {
    let stage = try Stage(.modern)
    let bytes = SampleMessage(token: "new").bytes.filter { $0 != 13 }
    try stage.reader.deliver(
      Array("X-Keywords: \\Seen, kept\n".utf8) + bytes, name: "17.1_new.host", to: "Work",
      flags: "S")
    stage.push()
    #expect(stage.flags("new") == ["\\Seen", "kept"])
  }

  /// As Zimbra does.
  @Test(arguments: ["NO APPEND failed", "BAD unrecognized flag", "NO [LIMIT] too many keywords"])
  func `a new message that is refused for its keyword goes without, and the keyword follows`(
    words: String
  ) throws {
    let stage = try Stage(.modern)
    let bytes = SampleMessage(token: "new").bytes.filter { $0 != 13 }
    try stage.reader.deliver(
      Array("X-Keywords: foreign\n".utf8) + bytes, name: "17.1_new.host", to: "Work", flags: "S")
    stage.refusals.value = [.init(name: "APPEND", part: "foreign", words: words)]
    stage.push()
    #expect(stage.places("new") == ["Work"])
    #expect(stage.flags("new") == ["\\Seen"])
    #expect(try stage.local("new").keywords() == ["foreign"])
    stage.push()
    #expect(stage.flags("new") == ["\\Seen", "foreign"])
    try stage.expectSettled()
  }

  @Test func `a flag that the mailbox cannot keep is said, and its keyword is another matter`()
    throws
  {
    let stage = try Stage(.modern)
    stage.alter.value = { command, replies in
      guard command.name == "SELECT" else { return replies }
      return replies.map { reply in
        reply.text.contains("PERMANENTFLAGS")
          ? .line("* OK [PERMANENTFLAGS (\\Flagged \\Answered \\Deleted \\Draft \\*)] few") : reply
      }
    }
    try stage.reader.setKeywords(stage.local("m0"), ["\\Flagged"])
    stage.push()
    try stage.setFlags("m1", "FS")
    let outcome = stage.push()
    #expect(outcome.told.contains("cannot keep “\\seen”"), "\(outcome.told)")
    #expect(stage.flags("m1") == ["\\Flagged"])
    let again = stage.push()
    #expect(!again.told.contains("cannot keep"), "\(again.told)")
  }

  /// What comes of a FETCH or STORE on a server that drops this keyword.
  private func dropping(_ keyword: String) -> ModelServer.Hook {
    { command, replies in
      guard command.name.hasSuffix("FETCH") || command.name.hasSuffix("STORE") else {
        return replies
      }
      return replies.map { reply in
        guard case .line(let bytes) = reply else { return reply }
        let text = String(decoding: bytes, as: UTF8.self)
        return .line(
          text.replacing(" \(keyword)", with: "").replacing("(\(keyword) ", with: "(")
            .replacing("(\(keyword))", with: "()"))
      }
    }
  }

  @Test func `a keyword that the server takes and does not show stays here, and is told once`()
    throws
  {
    let stage = try Stage(.modern)
    stage.alter.value = dropping("long")
    try stage.reader.setKeywords(stage.local("m0"), ["long", "kept"])
    try stage.reader.setKeywords(stage.local("m1"), ["long"])
    try stage.setFlags("m1", "F")
    let outcome = stage.push()
    #expect(outcome.told.contains("takes the keyword “long”"), "\(outcome.told)")
    #expect(stage.flags("m0").contains("kept") && stage.flags("m1").contains("\\Flagged"))
    for _ in 0..<2 {
      stage.pull()
      stage.forget()
      let again = stage.push()
      #expect(stage.changes == [] && !again.told.contains("long"), "\(again.told)")
    }
    #expect(try stage.local("m0").keywords() == ["kept", "long"])
    #expect(try stage.local("m1").keywords() == ["long"])
    // Asked for, it is tried again.
    stage.alter.value = nil
    try stage.reader.setKeywords(stage.local("m2"), ["long"])
    stage.push(0, PushOptions(full: true))
    for token in ["m0", "m1", "m2"] { #expect(stage.flags(token).contains("long")) }
  }

  @Test func `Courier's keywords are kept where PERMANENTFLAGS allows them`() throws {
    var courier = ServerDialect.bare
    courier.greeting = "* OK Courier-IMAP ready. Copyright 1998-2019 Double Precision, Inc."
    let stage = try Stage(courier)
    try stage.reader.setKeywords(stage.local("m0"), ["mine"])
    stage.push()
    #expect(stage.flags("m0") == ["mine"])
    try stage.expectSettled()
  }

  // MARK: Letters

  /// Two folders in which the same letters mean other keywords.
  private func lettered(_ dialect: ServerDialect = .modern) throws -> Stage {
    try Stage(
      dialect,
      more: { account in
        account.change("INBOX") { box in
          box.setFlags(box.messages[0].uid, ["Foo"])
          box.setFlags(box.messages[1].uid, ["Bar"])
        }
        account.deliver(SampleMessage(token: "w0"), labelled: ["Work"])
        account.change("Work") { $0.setFlags($0.messages[0].uid, ["Other"]) }
      }, sync: { $0.keywords = .dovecot })
  }

  /// What the letters of a file's name mean in its folder; one without a meaning as itself.
  private func keywords(_ token: String, in folder: String, _ stage: Stage) throws -> Set<
    String
  > {
    let table = try String(
      decoding: readFile("\(stage.path)/\(folder)/dovecot-keywords"), as: UTF8.self)
    var names: [Character: String] = [:]
    for line in table.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      let number = try #require(UInt8(parts[0]))
      names[Character(Unicode.Scalar(97 + number))] = String(parts[1])
    }
    let letters = try stage.local(token, in: folder).flags.filter(\.isLowercase)
    return Set(letters.map { names[$0] ?? String($0) })
  }

  @Test(arguments: ["modern", "uidplus"])
  func `a moved file keeps its keywords, and gets the letters of its new folder`(name: String)
    throws
  {
    let stage = try lettered(name == "modern" ? .modern : ServerDialect(capabilities: ["UIDPLUS"]))
    for token in ["m0", "m1"] { try stage.reader.move(stage.local(token), to: "Work") }
    let dry = stage.push(0, PushOptions(dryRun: true)).actions
    for word in ["Foo", "Bar", "Other"] {
      #expect(!dry.contains { $0.detail?.contains(word) == true })
    }
    stage.push()
    #expect(try stage.remote("m0", in: "Work").flags == ["Foo"])
    #expect(try stage.remote("m1", in: "Work").flags == ["Bar"])
    #expect(try keywords("m0", in: "Work", stage) == ["Foo"])
    #expect(try keywords("m1", in: "Work", stage) == ["Bar"])
    #expect(try keywords("w0", in: "Work", stage) == ["Other"])
    try stage.expectSettled()
    #expect(try stage.remote("m0", in: "Work").flags == ["Foo"])
  }

  @Test func `a move cut off has no other keywords on the next push`() throws {
    let stage = try lettered()
    for token in ["m0", "m1"] { try stage.reader.move(stage.local(token), to: "Work") }
    stage.killPush(at: "UID MOVE")
    stage.push()
    #expect(try stage.remote("m0", in: "Work").flags == ["Foo"])
    #expect(try stage.remote("m1", in: "Work").flags == ["Bar"])
    try stage.expectSettled()
  }

  @Test func `a refused move leaves the letters of the folder where the file is put back`() throws {
    let stage = try lettered()
    for token in ["m0", "m1"] { try stage.reader.move(stage.local(token), to: "Work") }
    stage.refusals.value = [.init(name: "UID MOVE", words: "NO [CANNOT] not there")]
    stage.push(1)
    #expect(try keywords("m0", in: "INBOX", stage) == ["Foo"])
    #expect(try keywords("m1", in: "INBOX", stage) == ["Bar"])
    stage.forget()
    stage.push()
    #expect(stage.changes == [])
    #expect(stage.flags("m0") == ["Foo"] && stage.flags("m1") == ["Bar"])
  }

  @Test(arguments: ["modern", "bare"]) func `a copy has the keywords of what it repeats`(
    name: String
  ) throws {
    let stage = try lettered(name == "modern" ? .modern : .bare)
    for token in ["m0", "m1"] {
      let message = try stage.local(token)
      try stage.reader.deliver(
        message.raw, name: "17.1_\(token).host", to: "Work", flags: message.flags)
    }
    stage.push()
    #expect(try stage.remote("m0", in: "Work").flags == ["Foo"])
    #expect(try stage.remote("m1", in: "Work").flags == ["Bar"])
    #expect(try keywords("m0", in: "Work", stage) == ["Foo"])
    try stage.expectSettled()
  }

  @Test func `a letter that means nothing in its folder goes when the message is sent`() throws {
    let stage = try lettered()
    try stage.reader.deliver(
      SampleMessage(token: "new").bytes.filter { $0 != 13 }, name: "17.1_new.host", to: "Work",
      flags: "Sb")
    stage.push()
    #expect(stage.flags("new") == ["\\Seen"])
    #expect(try stage.local("new").flags == "S")
    // The next keyword of that folder gets the letter.
    stage.account.change("Work") { $0.setFlags($0.messages[0].uid, ["Other", "Later"]) }
    try stage.expectSettled()
    #expect(stage.flags("new") == ["\\Seen"])
  }

  @Test func `keywords without a letter stay on the server, wherever their message goes`() throws {
    let names = (10..<40).map { "k\($0)" }
    let stage = try Stage(
      more: { account in
        account.change("INBOX") { $0.setFlags($0.messages[0].uid, Set(names)) }
        account.deliver(SampleMessage(token: "w0"), labelled: ["Work"])
        // There it has a letter.
        account.change("Work") { $0.setFlags($0.messages[0].uid, ["k38"]) }
      }, sync: { $0.keywords = .dovecot })
    try stage.expectSettled()
    #expect(stage.changes == [])
    let letters = try stage.local("m0").flags
    #expect(letters.count == 26)
    try stage.setFlags("m0", "S" + letters.dropFirst())
    stage.push()
    let left = Set(names.dropFirst())
    #expect(stage.flags("m0") == left.union(["\\Seen"]))
    try stage.move("m0", to: "Work")
    stage.push()
    try stage.expectSettled()
    #expect(try stage.remote("m0", in: "Work").flags == left.union(["\\Seen"]))
  }

  @Test func `a table of letters that is lost takes off no keyword`() throws {
    let stage = try lettered()
    try FileManager.default.removeItem(atPath: stage.path + "/INBOX/dovecot-keywords")
    stage.push()
    #expect(stage.changes == [])
    #expect(stage.flags("m0") == ["Foo"] && stage.flags("m1") == ["Bar"])
  }

  @Test func `a keyword that comes for a message moved here waits for its letters`() throws {
    let stage = try lettered()
    try stage.move("m0", to: "Work")
    stage.account.change("INBOX") { $0.setFlags($0.messages[0].uid, ["Foo", "New"]) }
    stage.pull(nil)
    stage.push()
    #expect(try stage.remote("m0", in: "Work").flags == ["Foo", "New"])
    try stage.expectSettled()
    #expect(try stage.remote("m0", in: "Work").flags == ["Foo", "New"])
    #expect(try keywords("m0", in: "Work", stage) == ["Foo", "New"])
  }
}
