import Foundation
import MailTestKit
import Testing

/// Pushing where mailboxes are labels. Expunging a last label deletes for ever here, so that nobody may rely on it.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushGmailTests {
  static let trash = "[Gmail]/Trash"
  static let all = "[Gmail]/All Mail"

  /// An account that exists only in memory, pulled.
  private final class Stage {
    let server: ModelServer
    let account: MailAccount
    let mirror: MirrorProgram
    let reader: Reader
    let refusals = Locked<[(name: String, part: String, words: String)]>([])

    init(sync: String = "", _ change: (inout LabelSettings) -> Void = { _ in }) throws {
      var dialect = Dialect.gmail
      dialect.labels.lastLabel = .deleteForever
      change(&dialect.labels)
      let refusals = refusals
      dialect.refusing = { command in
        refusals.value.first {
          command.name == $0.name && ($0.part.isEmpty || command.text.contains($0.part))
        }?.words
      }
      account = MailAccount(["INBOX"])
      account.add("Work")
      account.add("Later")
      account.add("[Gmail]", attributes: ["\\HasChildren", "\\Noselect"])
      for (name, use) in [
        ("All Mail", "All"), ("Drafts", "Drafts"), ("Sent Mail", "Sent"), ("Starred", "Flagged"),
        ("Spam", "Junk"), ("Trash", "Trash"),
      ] {
        account.add("[Gmail]/\(name)", attributes: ["\\HasNoChildren", "\\\(use)"])
      }
      for number in 0..<6 {
        account.deliver(SampleMessage(token: "m\(number)"), labelled: ["INBOX"])
      }
      for number in 0..<4 {
        account.deliver(SampleMessage(token: "b\(number)"), labelled: ["INBOX", "Work"])
      }
      account.deliver(SampleMessage(token: "old"), labelled: [PushGmailTests.all])
      account.deliver(SampleMessage(token: "bin"), labelled: [PushGmailTests.trash])
      server = try ModelServer(account, dialect)
      var settings = AccountSettings(port: server.port, user: "u")
      settings.sync = sync
      mirror = try MirrorProgram(settings)
      reader = Reader(mirror)
      let outcome = try mirror.pull()
      #expect(outcome.ending == .exited(0), "\(outcome.summary)")
      server.forget()
    }

    func local(_ token: String, in folder: String? = nil) throws -> LocalMessage {
      try #require(try mirror.tree().message(with: "<\(token)@", in: folder))
    }

    @discardableResult
    func push(_ status: Int32 = 0, location: SourceLocation = #_sourceLocation) throws -> Outcome {
      let outcome = try mirror.run(["push"])
      #expect(outcome.ending == .exited(status), "\(outcome.summary)", sourceLocation: location)
      return outcome
    }

    /// But for All Mail.
    func places(_ token: String) -> [String] {
      account.mailboxes.filter { $0.name != PushGmailTests.all }.flatMap { box in
        box.messages.filter { contains($0.bytes, Array("<\(token)@".utf8)) }.map { _ in box.name }
      }
    }

    func isArchived(_ token: String) -> Bool {
      account[PushGmailTests.all]?.messages.contains {
        contains($0.bytes, Array("<\(token)@".utf8))
      } ?? false
    }

    func message(_ token: String, in name: String) -> ModelMessage? {
      account[name]?.messages.first { contains($0.bytes, Array("<\(token)@".utf8)) }
    }

    func copy(_ message: LocalMessage, to folder: String, as name: String) throws {
      try reader.deliver(message.raw, name: name, to: folder, flags: message.flags)
    }

    func deliver(_ token: String, to folder: String, keywords: String = "", flags: String = "S")
      throws
    {
      let line = keywords.isEmpty ? "" : "X-Keywords: \(keywords)\n"
      try reader.deliver(
        Array(line.utf8) + SampleMessage(token: token).bytes.filter { $0 != 13 },
        name: "17.1_\(token).host", to: folder, flags: flags)
    }

    /// Both directions rest, no body went over the wire, nothing was stored that Gmail takes for something else, and
    /// every message that was ever here is still somewhere.
    func expectSettled(
      without gone: Set<String> = [], location: SourceLocation = #_sourceLocation
    ) throws {
      let stored = server.server.received(named: ["STORE"]).filter { $0.contains("\\Deleted") }
      #expect(gone.isEmpty == stored.isEmpty, "\(stored)", sourceLocation: location)
      for _ in 0..<2 { try mirror.pull() }
      server.forget()
      try push(location: location)
      #expect(server.server.changingCommands == [], sourceLocation: location)
      try mirror.pull()
      #expect(server.server.bodyFetches == [], sourceLocation: location)
      let tree = try mirror.tree()
      for box in account.mailboxes where box.isSelectable && tree.folders.contains(box.name) {
        let tokens = Set(box.messages.map { Self.token($0.bytes) })
        #expect(
          tokens.count == box.messages.count, "doubled in \(box.name)", sourceLocation: location)
        #expect(
          tree[box.name].map { Self.token($0.raw) }.sorted() == tokens.sorted(), "\(box.name)",
          sourceLocation: location)
      }
      let known = Set(account.mailboxes.flatMap(\.messages).map { Self.token($0.bytes) })
      let all = (0..<6).map { "m\($0)" } + (0..<4).map { "b\($0)" } + ["old", "bin"]
      #expect(Set(all).subtracting(known) == gone, sourceLocation: location)
    }

    private static func token(_ bytes: [UInt8]) -> String {
      let text = String(decoding: bytes, as: UTF8.self)
      guard let start = text.range(of: "Message-ID: <"),
        let end = text[start.upperBound...].firstIndex(of: "@")
      else { return "?" }
      return String(text[start.upperBound..<end])
    }
  }

  // MARK: Marks

  @Test func `keywords become labels, and flags go for all copies`() throws {
    let stage = try Stage(sync: "folders = [\"*\", \"!topic\", \"!Später\"]")
    try stage.reader.setKeywords(stage.local("m0"), ["topic", "Später"])
    try stage.reader.setFlags(stage.local("b0", in: "Work"), "RS")
    try stage.push()
    #expect(stage.places("m0").sorted() == ["INBOX", "Später", "topic"])
    #expect(stage.message("m0", in: "INBOX")?.flags == [])
    #expect(stage.message("b0", in: "INBOX")?.flags == ["\\Answered", "\\Seen"])
    try stage.expectSettled()
    #expect(try stage.local("m0").keywords().sorted() == ["Später", "topic"])
    #expect(try stage.local("b0", in: "INBOX").flags == "RS")
    try stage.reader.setKeywords(stage.local("m0"), ["topic"])
    try stage.push()
    #expect(stage.places("m0").sorted() == ["INBOX", "topic"])
    try stage.expectSettled()
  }

  @Test func `a label that is mirrored becomes a folder`() throws {
    let stage = try Stage()
    try stage.reader.setKeywords(stage.local("m0"), ["topic"])
    try stage.push()
    #expect(stage.places("m0").sorted() == ["INBOX", "topic"])
    try stage.expectSettled()
    #expect(try stage.local("m0", in: "topic").keywords() == [])
  }

  @Test(arguments: ["\\Trash", "\\Inbox", "Trash", "Work", "[Gmail]/Spam", "a^b", "\\Starred"])
  func `a keyword that is a place of Gmail's stays here, and is said once`(name: String) throws {
    let stage = try Stage()
    try stage.reader.setKeywords(stage.local("m0"), [name])
    let outcome = try stage.push()
    #expect(outcome.errorText.contains("stays on this side"), "\(outcome.errorText)")
    #expect(stage.places("m0") == ["INBOX"])
    #expect(stage.server.server.changingCommands == [])
    #expect(try !stage.push().errorText.contains("stays on this side"))
    #expect(try stage.local("m0").keywords() == [name])
    try stage.expectSettled()
  }

  @Test func `T is never stored`() throws {
    let stage = try Stage()
    try stage.reader.setFlags(stage.local("m0"), "ST")
    try stage.push()
    #expect(stage.places("m0") == ["INBOX"])
    #expect(stage.message("m0", in: "INBOX")?.flags == ["\\Seen"])
    try stage.expectSettled()
    #expect(try stage.local("m0").flags == "ST")
  }

  @Test func `a star shows as a folder, and goes with its file`() throws {
    let stage = try Stage()
    try stage.reader.setFlags(stage.local("m0"), "FS")
    try stage.push()
    #expect(stage.places("m0").sorted() == ["INBOX", "[Gmail]/Starred"])
    try stage.expectSettled()
    try stage.reader.remove(stage.local("m0", in: "[Gmail]/Starred"))
    try stage.push()
    #expect(stage.places("m0") == ["INBOX"])
    try stage.expectSettled()
    #expect(try stage.local("m0").flags == "S")
  }

  // MARK: Deleting

  @Test(arguments: [false, true]) func `gone from its only folder goes to Trash`(expunges: Bool)
    throws
  {
    let stage = try Stage(sync: expunges ? "deletions = \"expunge\"" : "")
    try stage.reader.remove(stage.local("m0"))
    try stage.reader.remove(stage.local("m1"))
    try stage.push()
    #expect(stage.places("m0") == (expunges ? [] : [Self.trash]))
    #expect(!stage.isArchived("m0"))
    #expect(stage.places("bin") == [Self.trash])
    try stage.expectSettled(without: expunges ? ["m0", "m1"] : [])
  }

  @Test func `gone from Trash is gone for good`() throws {
    let stage = try Stage()
    try stage.reader.remove(stage.local("bin"))
    try stage.push()
    #expect(stage.places("bin") == [])
    try stage.expectSettled(without: ["bin"])
  }

  @Test(arguments: ["INBOX", "Work"], [false, true])
  func `gone from one of two folders only loses that label`(folder: String, expunges: Bool) throws {
    let stage = try Stage(sync: expunges ? "deletions = \"expunge\"" : "")
    try stage.reader.remove(stage.local("b0", in: folder))
    let dry = try stage.mirror.run(["push", "--dry-run"])
    #expect(dry.outputText.contains("other folders keep"), "\(dry.outputText)")
    try stage.push()
    #expect(stage.places("b0") == [folder == "INBOX" ? "Work" : "INBOX"])
    try stage.expectSettled()
  }

  @Test func `gone from all its folders goes to Trash once`() throws {
    let stage = try Stage()
    try stage.reader.remove(stage.local("b0", in: "INBOX"))
    try stage.reader.remove(stage.local("b0", in: "Work"))
    try stage.push()
    #expect(stage.places("b0") == [Self.trash])
    #expect(stage.server.server.received(named: ["MOVE"]).count == 1)
    stage.server.forget()
    try stage.push()
    #expect(stage.server.server.changingCommands == [], "not again")
    try stage.expectSettled()
  }

  @Test func `a label that another client gave meanwhile keeps a message from Trash`() throws {
    let stage = try Stage()
    stage.account.deliver(SampleMessage(token: "m0"), labelled: ["Later"])
    try stage.reader.remove(stage.local("m0"))
    try stage.push()
    #expect(stage.places("m0") == ["Later"])
    try stage.expectSettled()
  }

  @Test func `deletions that are held back keep the message`() throws {
    let stage = try Stage()
    for number in 0..<40 {
      let folders = number == 0 ? ["Later", "Work"] : ["Later"]
      stage.account.deliver(SampleMessage(token: "l\(number)"), labelled: folders)
    }
    try stage.mirror.pull()
    for number in 0..<30 { try stage.reader.remove(stage.local("l\(number)", in: "Later")) }
    try stage.reader.remove(stage.local("l0", in: "Work"))
    try stage.push(1)
    #expect(stage.places("l0") == ["Later"])
    #expect(stage.places("l1") == ["Later"])
  }

  @Test func `where Trash is hidden from IMAP, deletions wait`() throws {
    let stage = try Stage()
    stage.account[Self.trash] = nil
    stage.account.add("Trash")  // a label of that name is a label
    try stage.reader.remove(stage.local("m0"))
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("Trash"), "\(outcome.errorText)")
    #expect(stage.places("m0") == ["INBOX"])
    #expect(stage.server.server.changingCommands == [])
  }

  @Test(arguments: ["INBOX", "Work"])
  func `where All Mail is hidden from IMAP, a label is taken off from elsewhere`(folder: String)
    throws
  {
    let stage = try Stage()
    stage.account[Self.all] = nil
    try stage.reader.remove(stage.local("b0", in: folder))
    try stage.reader.remove(stage.local("m0"))
    try stage.push()
    #expect(stage.places("b0") == [folder == "INBOX" ? "Work" : "INBOX"])
    #expect(stage.places("m0") == [Self.trash])
    #expect(stage.server.server.received(named: ["EXPUNGE"]) == [])
  }

  @Test func `what Gmail will not let out comes back`() throws {
    let stage = try Stage()
    try stage.reader.remove(stage.local("b0", in: "Work"))
    stage.refusals.value = [("UID MOVE", "", "NO [CANNOT] not that one")]
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("not that one"))
    stage.refusals.value = []
    try stage.mirror.pull()
    #expect(try stage.local("b0", in: "Work").folder == "Work")
    try stage.expectSettled()
  }

  // MARK: Moving and archiving

  @Test func `a move changes labels`() throws {
    let stage = try Stage()
    try stage.reader.move(stage.local("m0"), to: "Work")
    try stage.reader.move(stage.local("b0", in: "INBOX"), to: "Later")
    try stage.reader.move(stage.local("bin"), to: "INBOX")
    try stage.push()
    #expect(stage.places("m0") == ["Work"])
    #expect(stage.places("b0").sorted() == ["Later", "Work"])
    #expect(stage.places("bin") == ["INBOX"] && stage.isArchived("bin"))
    #expect(stage.server.server.received(named: ["APPEND"]) == [])
    try stage.expectSettled()
  }

  @Test(arguments: [true, false]) func `a move to where the message is already`(told: Bool) throws {
    let stage = try Stage { $0.tellsOfKnown = told }
    try stage.reader.move(stage.local("b0", in: "INBOX"), to: "Work")
    try stage.push()
    #expect(stage.places("b0") == ["Work"])
    #expect(try stage.mirror.tree()["Work"].count == 4)
    try stage.expectSettled()
  }

  @Test func `out of INBOX and into All Mail is archiving`() throws {
    let stage = try Stage(sync: "folders = [\"*\", \"[Gmail]/All Mail\"]")
    #expect(try stage.mirror.tree()[Self.all].count == 11)
    try stage.reader.move(stage.local("m0", in: "INBOX"), to: Self.all)
    try stage.reader.remove(stage.local("m1", in: "INBOX"))
    try stage.push()
    #expect(stage.places("m0") == [] && stage.isArchived("m0"))
    #expect(stage.places("m1") == [] && stage.isArchived("m1"))
    #expect(stage.server.server.received(named: ["APPEND", "COPY"]) == [])
    try stage.expectSettled()
  }

  @Test func `out of All Mail alone is not possible, and comes back`() throws {
    let stage = try Stage(sync: "folders = [\"*\", \"[Gmail]/All Mail\"]")
    try stage.reader.remove(stage.local("m0", in: Self.all))
    try stage.reader.remove(stage.local("old", in: Self.all))
    try stage.push(1)
    #expect(stage.places("m0") == ["INBOX"] && stage.isArchived("m0"))
    #expect(stage.places("old") == [Self.trash])
    try stage.mirror.pull()
    #expect(try stage.local("m0", in: Self.all).folder == Self.all)
    try stage.expectSettled()
  }

  @Test func `one of two copies moved to Trash leaves its folder only`() throws {
    let stage = try Stage()
    try stage.reader.move(stage.local("b0", in: "INBOX"), to: Self.trash)
    try stage.push()
    #expect(stage.places("b0") == ["Work"])
    try stage.expectSettled()
    try stage.reader.move(stage.local("b1", in: "INBOX"), to: Self.trash)
    try stage.reader.move(stage.local("b1", in: "Work"), to: Self.trash)
    try stage.push()
    #expect(stage.places("b1") == [Self.trash])
    try stage.expectSettled()
  }

  // MARK: Copies and new messages

  @Test(arguments: [true, false]) func `a copied file is one label more`(told: Bool) throws {
    let stage = try Stage { $0.tellsOfKnown = told }
    try stage.copy(stage.local("m0"), to: "Work", as: "17.1_copy.host")
    try stage.copy(stage.local("bin"), to: "Later", as: "17.2_copy.host")
    try stage.push()
    #expect(stage.places("m0").sorted() == ["INBOX", "Work"])
    #expect(stage.places("bin") == ["Later"])
    #expect(stage.server.server.received(named: ["COPY"]).count == 1)
    #expect(stage.server.server.received(named: ["APPEND"]).count == 1)  // out of Trash
    try stage.expectSettled()
  }

  @Test func `a copy in Trash leaves the message where it is`() throws {
    let stage = try Stage()
    try stage.copy(stage.local("m0"), to: Self.trash, as: "17.1_copy.host")
    try stage.push(1)
    #expect(stage.places("m0") == ["INBOX"])
    #expect(stage.server.server.changingCommands == [])
  }

  @Test func `new messages get their labels in the same push`() throws {
    let stage = try Stage(sync: "folders = [\"*\", \"!topic\"]")
    try stage.deliver("fresh", to: "Work", keywords: "topic", flags: "FS")
    try stage.push()
    #expect(stage.places("fresh").sorted() == ["Work", "[Gmail]/Starred", "topic"])
    #expect(stage.message("fresh", in: "Work")?.flags == ["\\Flagged", "\\Seen"])
    stage.server.forget()
    try stage.push()
    #expect(stage.server.server.changingCommands == [])
    // What was sent is known by its identity at once.
    try stage.mirror.pull()
    try stage.reader.remove(stage.local("fresh", in: "Work"))
    try stage.push()
    #expect(stage.places("fresh").sorted() == ["[Gmail]/Starred", "topic"])
    try stage.expectSettled()
  }

  @Test func `an APPEND of what Gmail has already does not double it`() throws {
    let stage = try Stage()
    try stage.deliver("old", to: "Work")
    try stage.push()
    #expect(stage.places("old") == ["Work"])
    #expect(stage.account.mailboxes.filter { $0.name == Self.all }[0].messages.count == 11)
    try stage.expectSettled()
  }

  @Test func `an edited draft takes the old one's place`() throws {
    let stage = try Stage()
    stage.account.deliver(
      SampleMessage(token: "draft", flags: ["\\Draft", "\\Seen"]), labelled: ["[Gmail]/Drafts"])
    try stage.mirror.pull()
    let draft = try stage.local("draft")
    try stage.reader.rewrite(draft, draft.raw + Array("More words.\n".utf8))
    try stage.push()
    #expect(stage.places("draft") == ["[Gmail]/Drafts"])
    let kept = try #require(stage.message("draft", in: "[Gmail]/Drafts"))
    #expect(contains(kept.bytes, Array("More words.".utf8)))
    try stage.mirror.pull()
    #expect(try stage.mirror.tree().count(of: "<draft@") == 1)
    stage.server.forget()
    try stage.push()
    #expect(stage.server.server.changingCommands == [])
  }

  // MARK: Crashes

  @Test(arguments: ["UID MOVE", "UID COPY", "APPEND", "UID STORE"], [false, true])
  func `a lost answer is neither repeated nor forgotten`(command: String, pullsBetween: Bool) throws
  {
    let stage = try Stage(sync: "folders = [\"*\", \"!topic\"]")
    try stage.reader.move(stage.local("m0"), to: "Work")
    try stage.reader.remove(stage.local("m1"))
    try stage.reader.remove(stage.local("b0", in: "Work"))
    try stage.reader.setKeywords(stage.local("m2"), ["topic"])
    try stage.copy(stage.local("m3"), to: "Later", as: "17.3_copy.host")
    try stage.deliver("fresh", to: "Work", keywords: "topic")
    let isLost = Locked(true)
    stage.server.alter { received, replies in
      guard received.name == command, isLost.value else { return replies }
      return [.hangUp]
    }
    _ = try stage.mirror.run(["push"])
    isLost.value = false
    if pullsBetween { try stage.mirror.pull() }
    try stage.push()
    #expect(stage.places("m0") == ["Work"])
    #expect(stage.places("m1") == [Self.trash])
    #expect(stage.places("b0") == ["INBOX"])
    #expect(stage.places("m2").sorted() == ["INBOX", "topic"])
    #expect(stage.places("m3").sorted() == ["INBOX", "Later"])
    #expect(stage.places("fresh").sorted() == ["Work", "topic"])
    try stage.expectSettled()
    let tree = try stage.mirror.tree()
    for (token, count) in [("m0", 1), ("m3", 2), ("fresh", 1), ("b0", 1)] {
      #expect(tree.count(of: "<\(token)@") == count, "\(token)")
    }
  }
}
