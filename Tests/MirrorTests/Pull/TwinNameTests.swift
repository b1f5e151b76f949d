import Foundation
import MailTestKit
import Testing

/// Mailboxes that are several on the server, and whose names read the same: é in both spellings, K and the Kelvin sign,
/// `Inbox/s` and `INBOX/s`, what is no proper modified UTF-7.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct TwinNameTests {
  private static let names = [
    "caf&AOk-", "cafe&AwE-", "caf&AOk-/x", "cafe&AwE-/x", "Inbox/s", "INBOX/s", "a&b", "a&-b",
    "ax", "&AGE-x", "K", "&ISo-", "&AMU-", "&ISs-", "A&Awo-", "e&AwEDIw-", "e&AyMDAQ-", "&rAA-",
    "&EQARYQ-", "b/c", "b&AC8-c", "&-~ax",
  ]

  private static func token(_ name: String) -> String {
    "t" + name.utf8.map { String($0, radix: 16) }.joined()
  }

  private static func add(_ names: [String], to account: MailAccount) {
    for name in names {
      account.add(name)
      account.change(name) { $0.deliver(SampleMessage(token: token(name))) }
    }
  }

  private func stage(_ dialect: Dialect = .modern, sync: String = "", of names: [String] = names)
    throws -> PushStage
  {
    try PushStage(dialect, count: 1, sync: sync) { Self.add(names, to: $0) }
  }

  /// Where each mailbox's message lies, once, and no two in one folder.
  private func folders(_ stage: PushStage, _ names: [String] = names) throws -> [String: String] {
    let tree = try stage.mirror.tree()
    var folders: [String: String] = [:]
    for name in names {
      #expect(tree.count(of: "<\(Self.token(name))@") == 1, "\(name)")
      folders[name] = tree.message(with: "<\(Self.token(name))@")?.folder
    }
    #expect(Set(folders.values.map { Array($0.utf8) }).count == names.count)
    return folders
  }

  private func loseState(_ stage: PushStage) throws {
    try FileManager.default.removeItem(atPath: stage.mirror.account + "/.mirror")
    let outcome = try stage.mirror.pull()
    #expect(outcome.ending == .exited(0), "\(outcome.summary)")
  }

  private func expectSettled(_ stage: PushStage, location: SourceLocation = #_sourceLocation) throws
  {
    try stage.mirror.pull()
    stage.server.forget()
    try stage.push(location: location)
    let outcome = try stage.mirror.pull()
    #expect(outcome.ending == .exited(0), "\(outcome.summary)", sourceLocation: location)
    #expect(stage.changes == [], sourceLocation: location)
    #expect(stage.server.server.bodyFetches == [], sourceLocation: location)
    let verified = try stage.mirror.run(["verify"])
    #expect(verified.ending == .exited(0), "\(verified.summary)", sourceLocation: location)
  }

  private enum Kind: String, CaseIterable { case modern, bare, maildir }

  @Test(arguments: Kind.allCases)
  private func `each has a folder of its own, in whichever order they are listed`(
    kind: Kind
  ) throws {
    let stage = try stage(
      kind == .bare ? .bare : .modern, sync: kind == .maildir ? "layout = \"maildir++\"" : "")
    let folders = try folders(stage)
    for round in 0..<3 {
      stage.account.change { round == 0 ? $0.reverse() : $0.shuffle() }
      try expectSettled(stage)
      #expect(try self.folders(stage) == folders)
    }
  }

  @Test(arguments: [true, false]) func `what changes in one folder goes to its mailbox alone`(
    isModern: Bool
  ) throws {
    let stage = try stage(isModern ? .modern : .condstore)
    let folders = try folders(stage)
    stage.account.change { $0.reverse() }
    for (name, folder) in folders {
      try stage.deliver("new" + Self.token(name), to: folder)
      try stage.reader.setFlags(stage.local(Self.token(name)), "FS")
    }
    try stage.push()
    for name in Self.names {
      #expect(stage.places("new" + Self.token(name)) == [name])
      #expect(stage.flags(Self.token(name)) == ["\\Flagged", "\\Seen"], "\(name)")
    }
    stage.account.change { $0.shuffle() }
    try expectSettled(stage)
    // Moved from one twin to the other, both ways.
    let (one, two) = ("caf&AOk-", "cafe&AwE-")
    try stage.reader.move(stage.local(Self.token(one)), to: #require(folders[two]))
    try stage.reader.move(stage.local(Self.token(two)), to: #require(folders[one]))
    try stage.push()
    #expect(stage.places(Self.token(one)) == [two] && stage.places(Self.token(two)) == [one])
    // And deleted in one.
    try stage.reader.remove(stage.local("new" + Self.token("&ISo-")))
    try stage.push()
    #expect(stage.places("new" + Self.token("&ISo-")) == ["Trash"])
    #expect(stage.places("new" + Self.token("K")) == ["K"])
    try expectSettled(stage)
  }

  @Test(arguments: [
    ("cafe&AwE-", "caf&AOk-"), ("Inbox/s", "INBOX/s"), ("a&b", "a&-b"), ("K", "&ISo-"),
  ])
  func `a mailbox that was alone keeps its folder, whatever comes and goes`(
    first: String, second: String
  ) throws {
    let stage = try stage(of: [first])
    let alone = try folders(stage, [first])
    Self.add([second], to: stage.account)
    stage.account.change { $0.reverse() }
    let told = try stage.mirror.run(["verify"])
    #expect(
      told.ending == .exited(1) && told.summary.contains("Not pulled yet"), "\(told.summary)")
    try stage.mirror.pull()
    let both = try folders(stage, [first, second])
    #expect(both[first] == alone[first])
    try expectSettled(stage)
    // Without its state the tree tells.
    stage.server.forget()
    try loseState(stage)
    #expect(stage.server.server.bodyFetches == [])
    #expect(try folders(stage, [first, second]) == both)
    try expectSettled(stage)
    // The first goes from the server, and its folder with the mail in it stays.
    stage.account[first] = nil
    let gone = try stage.mirror.pull()
    #expect(gone.ending == .exited(0), "\(gone.summary)")
    try stage.push()
    #expect(stage.places(Self.token(second)) == [second] && stage.places(Self.token(first)) == [])
    #expect(try folders(stage, [first, second]) == both)
  }

  @Test(arguments: [true, false])
  func `a twin that is renamed on the server takes its folder along`(
    isModern: Bool
  ) throws {
    let stage = try stage(isModern ? .modern : .bare)
    // Mailboxes without MAILBOXID are known by the number that no other has.
    if !isModern { stage.account.change("cafe&AwE-") { $0.uidValidity = 1_700_000_000 } }
    try stage.mirror.pull()
    stage.account.change("cafe&AwE-") { $0.name = "Tea" }
    stage.account.change { $0.shuffle() }
    stage.server.forget()
    try stage.mirror.pull()
    #expect(stage.server.server.bodyFetches == [])
    #expect(try stage.local(Self.token("cafe&AwE-")).folder == "Tea")
    #expect(try stage.local(Self.token("caf&AOk-")).folder == "café")
    try expectSettled(stage)
  }

  @Test func `a mailbox that changes the spelling of its name only keeps its folder`() throws {
    let stage = try stage(of: ["cafe&AwE-"])
    let before = try folders(stage, ["cafe&AwE-"])
    stage.account.change("cafe&AwE-") { $0.name = "caf&AOk-" }
    stage.server.forget()
    try stage.mirror.pull()
    #expect(stage.server.server.bodyFetches == [])
    #expect(try folders(stage, ["cafe&AwE-"]) == before)
    try stage.deliver("mine", to: "café")
    try stage.push()
    #expect(stage.places("mine") == ["caf&AOk-"])
    try expectSettled(stage)
  }

  @Test func `a twin whose folder is renamed goes, with those below it, and the other stays`()
    throws
  {
    let stage = try stage()
    let folders = try folders(stage)
    let account = stage.mirror.account
    try FileManager.default.moveItem(
      atPath: "\(account)/\(#require(folders["cafe&AwE-"]))", toPath: account + "/Tea")
    try stage.push()
    #expect(stage.places(Self.token("cafe&AwE-")) == ["Tea"])
    #expect(stage.places(Self.token("cafe&AwE-/x")) == ["Tea/x"])
    #expect(stage.places(Self.token("caf&AOk-")) == ["caf&AOk-"])
    #expect(stage.places(Self.token("caf&AOk-/x")) == ["caf&AOk-/x"])
    try expectSettled(stage)
    try FileManager.default.moveItem(atPath: account + "/café", toPath: account + "/Coffee")
    try stage.push()
    #expect(stage.places(Self.token("caf&AOk-/x")) == ["Coffee/x"])
    try expectSettled(stage)
  }

  @Test func `a name that a person types is both twins', and the spelled one's is its own`() throws
  {
    let stage = try stage(of: ["caf&AOk-", "cafe&AwE-"])
    let folders = try folders(stage, ["caf&AOk-", "cafe&AwE-"])
    for name in ["caf&AOk-", "cafe&AwE-"] {
      stage.account.change(name) { $0.deliver(SampleMessage(token: "later" + Self.token(name))) }
    }
    try stage.mirror.pull("personal/&~cafe&AwE-")
    #expect(try stage.mirror.tree().count(of: "<later") == 1)
    #expect(try stage.local("later" + Self.token("cafe&AwE-")).folder == folders["cafe&AwE-"])
    try stage.mirror.pull("personal/cafe\u{301}")
    #expect(try stage.mirror.tree().count(of: "<later") == 2)
    try stage.mirror.configure { $0.sync = "folders = [\"*\", \"!café\"]" }
    for name in ["caf&AOk-", "cafe&AwE-"] {
      stage.account.change(name) { $0.deliver(SampleMessage(token: "last" + Self.token(name))) }
    }
    try stage.mirror.pull()
    #expect(try stage.mirror.tree().count(of: "<last") == 0)
  }

  @Test func `a folder that reads as both twins do is neither's, and is told`() throws {
    let stage = try stage(of: ["caf&AOk-", "cafe&AwE-"])
    try stage.makeFolder("cafe\u{301}")
    try stage.deliver("mine", to: "cafe\u{301}")
    for _ in 0..<2 {
      let outcome = try stage.push(1)
      #expect(outcome.errorText.contains("Two folders stand for one"), "\(outcome.errorText)")
    }
    #expect(stage.changes == [] && stage.places("mine") == [])
    // One that is spelled out becomes the mailbox that is spelled so.
    try stage.makeFolder("&~te&AwE-")
    try stage.deliver("other", to: "&~te&AwE-")
    try stage.push(1)
    #expect(stage.places("other") == ["te&AwE-"])
    try stage.mirror.pull()
    stage.server.forget()
    try stage.push(1)
    #expect(stage.changes == [])
    #expect(try stage.local("other").folder == "&~te&AwE-")
  }

  @Test func `a second mailbox that is INBOX by its name is told`() throws {
    let stage = try PushStage(.modern)
    stage.account.add("Inbox")
    stage.account.change { boxes in
      boxes[boxes.count - 1].deliver(SampleMessage(token: "second"))
      boxes.reverse()
    }
    for command in ["pull", "verify"] {
      let outcome = try stage.mirror.run([command])
      #expect(outcome.ending == .exited(1), "\(outcome.summary)")
      #expect((outcome.outputText + outcome.errorText).contains("which is the same name"))
    }
    #expect(try stage.mirror.tree().count(of: "<m0@") == 1)
  }
}

/// The same on real servers, as far as they take such names.
@Suite(.onBlockingThreads) struct TwinNameServerTests {
  private func run(_ scenario: Scenario, _ names: [String], least: Int) throws {
    var made: [String] = []
    for name in names where (try? scenario.client.create(name)) != nil { made.append(name) }
    let listed = try scenario.client.mailboxes()
    made = listed.filter { $0 != "INBOX" && made.contains($0) }
    #expect(made.count >= least, "\(made)")
    for (number, name) in made.enumerated() { try scenario.append(["t\(number)x"], to: name) }
    try scenario.pull()
    let reader = Reader(scenario.mirror)
    var folders: [String: String] = [:]
    for (number, name) in made.enumerated() {
      #expect(try scenario.mirror.tree().count(of: "<t\(number)x@") == 1, "\(name)")
      let message = try #require(try scenario.local("t\(number)x"))
      folders[name] = message.folder
      try reader.deliver(
        SampleMessage(token: "n\(number)x").bytes.filter { $0 != 13 }, name: "17.\(number).host",
        to: message.folder)
    }
    #expect(Set(folders.values).count == made.count)
    try scenario.push()
    for (number, name) in made.enumerated() {
      #expect(try scenario.places("n\(number)x") == [name])
    }
    let places = folders
    scenario.oracle.folder = { places[$0] ?? $0 }
    try scenario.expectSettled()
    let verified = try scenario.mirror.run(["verify"])
    #expect(verified.ending == .exited(0), "\(verified.summary)")
  }

  private static let names = [
    "caf&AOk-", "cafe&AwE-", "INBOX/s", "Inbox/s", "a&-b", "a&b", "ax", "&AGE-x", "K", "&ISo-",
    "&AMU-", "&ISs-", "A&Awo-", "e&AwEDIw-", "e&AyMDAQ-", "&rAA-", "&EQARYQ-",
  ]

  @Test(.enabled(if: Machine.hasDovecot), arguments: DovecotServer.Store.allCases)
  func `Dovecot's twins are mirrored each by itself`(store: DovecotServer.Store) throws {
    try run(Scenario(DovecotServer.Options(store: store)), Self.names, least: 12)
  }

  @Test(.enabled(if: Machine.hasCyrus))
  func `Cyrus's twins are mirrored each by itself`() throws {
    try run(
      Scenario(cyrus: CyrusServer.shared(isBelowINBOX: false)),
      Self.names, least: 6)
  }
}
