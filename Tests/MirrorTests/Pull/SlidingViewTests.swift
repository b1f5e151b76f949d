import Foundation
import MailTestKit
import Testing

/// Promise 3 against servers that show only the newest messages of a mailbox: EXISTS and SEARCH agree with each other,
/// and nothing was expunged.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct SlidingViewTests {
  private static let dialects = [Dialect(capabilities: ["UIDPLUS"]), .condstore, .modern]

  /// 40 messages in the INBOX, m0 to m39, a day between them.
  private func stage(_ dialect: Dialect, sync: String = "", since: Int64 = 1_600_000_000) throws
    -> PushStage
  {
    try PushStage(dialect, count: 0, sync: sync) { account in
      account.change("INBOX") { box in
        for number in 0..<40 {
          box.deliver(SampleMessage(token: "m\(number)", date: since + Int64(number) * 86_400))
        }
      }
    }
  }

  private func stage(_ dialect: Int) throws -> PushStage { try stage(Self.dialects[dialect]) }

  /// The server shows only these, and says nothing of the others; returns what brings them back.
  private func show(_ stage: PushStage, _ isShown: (ModelMessage) -> Bool) -> () -> Void {
    let hidden = stage.account["INBOX"]?.messages.filter { !isShown($0) } ?? []
    stage.account.change("INBOX") { box in box.messages.removeAll { hidden.contains($0) } }
    let account = stage.account
    return {
      account.change("INBOX") { box in
        box.messages = (hidden + box.messages).sorted { $0.uid < $1.uid }
      }
    }
  }

  private func expunge(_ uids: ClosedRange<UInt32>, _ stage: PushStage) {
    stage.account.change("INBOX") { box in for uid in uids { box.expunge(uid) } }
  }

  private func pull(
    _ stage: PushStage, _ status: Int32, _ arguments: String...,
    location: SourceLocation = #_sourceLocation
  ) throws -> Outcome {
    stage.server.forget()
    let outcome = try stage.mirror.run(["pull", "--no-index"] + arguments)
    #expect(outcome.ending == .exited(status), "\(outcome.summary)", sourceLocation: location)
    #expect(stage.changes == [], sourceLocation: location)
    return outcome
  }

  private func count(_ stage: PushStage) throws -> Int { try stage.mirror.tree()["INBOX"].count }

  /// A run that finds nothing new writes nothing, and tells of what waits all the same (promise 10).
  private func expectToldAndQuiet(
    _ stage: PushStage, _ words: String, location: SourceLocation = #_sourceLocation
  ) throws {
    let before = TreeSnapshot(stage.mirror.account, leavingOut: Scenario.isBookkeeping)
    let outcome = try pull(stage, 1, location: location)
    #expect(outcome.errorText.contains(words), "\(outcome.summary)", sourceLocation: location)
    let after = TreeSnapshot(stage.mirror.account, leavingOut: Scenario.isBookkeeping)
    #expect(before.changes(to: after) == [], sourceLocation: location)
    #expect(stage.server.server.bodyFetches == [], sourceLocation: location)
  }

  @Test(arguments: dialects.indices)
  func `what slides out of a view stays, is told, and comes back with it`(dialect: Int) throws {
    let stage = try stage(dialect)
    let showAll = show(stage) { $0.uid > 30 }
    stage.account.change("Work") { $0.deliver(SampleMessage(token: "w0")) }
    let outcome = try pull(stage, 1)
    #expect(outcome.errorText.contains("30 of 40 messages of “INBOX”"), "\(outcome.summary)")
    #expect(outcome.errorText.contains("--allow-mass-delete"), "\(outcome.summary)")
    #expect(try count(stage) == 40)
    _ = try stage.local("w0", in: "Work")
    try expectToldAndQuiet(stage, "30 of 40")
    for command in [["status"], ["verify"]] {
      let told = try stage.mirror.run(command)
      #expect((told.outputText + told.errorText).contains("30 of 40"), "\(told.summary)")
    }

    // The view goes on; what is gone within it goes.
    stage.account.change("INBOX") { box in
      for number in 40..<45 { box.deliver(SampleMessage(token: "m\(number)")) }
    }
    let showFirst = show(stage) { $0.uid > 33 }
    expunge(40...40, stage)
    #expect(try pull(stage, 1).errorText.contains("33 of 44"))
    #expect(try stage.mirror.tokens(45) == Set(0..<45).subtracting([39]))
    try expectToldAndQuiet(stage, "33 of 44")
    try stage.push()

    showFirst()
    showAll()
    _ = try pull(stage, 0)
    #expect(stage.server.server.bodyFetches == [])
    try stage.expectSettled()
    #expect(try stage.mirror.tokens(45) == Set(0..<45).subtracting([39]))
  }

  @Test(arguments: dialects.indices)
  func `a view that shows nothing at all takes nothing along`(dialect: Int) throws {
    let stage = try stage(dialect)
    let showAll = show(stage) { _ in false }
    #expect(try pull(stage, 1).errorText.contains("40 of 40"))
    #expect(try count(stage) == 40)
    showAll()
    _ = try pull(stage, 0)
    try stage.expectSettled()
  }

  @Test(arguments: dialects.indices)
  func `in a view of days the numbers tell nothing`(dialect: Int) throws {
    let stage = try stage(dialect)
    stage.account.change("INBOX") { box in
      // Moved there lately: old mail with high numbers.
      for index in 0..<15 { box.messages[index].date = 1_700_000_000 }
    }
    // As if pulled so from the beginning.
    removeTree(stage.mirror.account)
    removeTree(stage.mirror.home + "/.local")
    _ = try pull(stage, 0)
    _ = show(stage) { $0.date == 1_700_000_000 }
    #expect(try pull(stage, 1).errorText.contains("25 of 40"))
    #expect(try count(stage) == 40)
  }

  @Test(arguments: dialects.indices)
  func `a person lets go what the server shows no longer`(dialect: Int) throws {
    let stage = try stage(dialect)
    _ = show(stage) { $0.uid > 30 }
    _ = try pull(stage, 1)
    let dry = try pull(stage, 0, "--allow-mass-delete", "--dry-run")
    #expect(try count(stage) == 40, "\(dry.summary)")
    _ = try pull(stage, 0, "--allow-mass-delete", "personal/Work")
    #expect(try count(stage) == 40)
    _ = try pull(stage, 0, "--allow-mass-delete")
    #expect(try stage.mirror.tokens(40) == Set(30..<40))
    try stage.expectSettled()
  }

  @Test(arguments: [0, 1])
  func `what many a person throws away goes at once`(dialect: Int) throws {
    let stage = try stage(dialect)
    expunge(1...19, stage)
    _ = try pull(stage, 0)
    #expect(try count(stage) == 21)
    // The oldest one stays on the server: no view ends behind it.
    stage.account.change("INBOX") { box in
      for number in 40..<80 { box.deliver(SampleMessage(token: "m\(number)")) }
    }
    _ = try pull(stage, 0)
    expunge(21...70, stage)
    _ = try pull(stage, 0)
    #expect(try stage.mirror.tokens(80) == Set([19] + (70..<80)))
    try stage.expectSettled()
  }

  @Test(.enabled(if: Machine.hasDovecot))
  func `a Dovecot that tells of no expunge is asked twice, and one that does is believed`() throws {
    let kinds: [(isTold: Bool, without: Set<String>)] = [(true, []), (false, ["QRESYNC"])]
    for (isTold, without) in kinds {
      let scenario = try Scenario(.init(without: without))
      try scenario.append((0..<40).map { "m\($0)" })
      try scenario.pull()
      try scenario.client.expunge(Array(1...30), in: "INBOX")
      try scenario.pull(isTold ? 0 : 1)
      #expect(try scenario.mirror.tree()["INBOX"].count == (isTold ? 10 : 40))
      if !isTold { try scenario.pull(0, "--allow-mass-delete") }
      try scenario.expectMirrored()
      try scenario.expectQuiet()
    }
  }

  @Test func `what the server itself calls expunged goes, however much it is`() throws {
    let stage = try stage(.modern)
    expunge(1...30, stage)
    _ = try pull(stage, 0)
    #expect(try stage.mirror.tokens(40) == Set(30..<40))
    // Also where it was out of view before.
    let showAll = show(stage) { _ in false }
    stage.account.change("INBOX") { box in
      for number in 40..<80 { box.deliver(SampleMessage(token: "m\(number)")) }
    }
    _ = try pull(stage, 0)
    showAll()
    try stage.expectSettled()
  }

  @Test(arguments: dialects.indices)
  func `what is done to messages out of view waits until they are shown again`(dialect: Int) throws
  {
    let stage = try stage(dialect)
    let showAll = show(stage) { $0.uid > 30 }
    _ = try pull(stage, 1)
    try stage.reader.setFlags(stage.local("m1"), "F")
    try stage.reader.remove(stage.local("m2"))
    try stage.reader.move(stage.local("m3"), to: "Work")
    try stage.reader.setFlags(stage.local("m35"), "F")
    stage.server.forget()
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("3 changes wait"), "\(outcome.summary)")
    #expect(stage.flags("m35") == ["\\Flagged"])
    #expect(stage.places("m3") == [] && stage.account["Trash"]?.messages.isEmpty == true)
    #expect(try pull(stage, 1).errorText.contains("30 of 40"))
    for token in ["m1", "m3"] { _ = try stage.local(token) }

    showAll()
    _ = try pull(stage, 0)
    try stage.push()
    #expect(stage.flags("m1") == ["\\Flagged"])
    #expect(stage.places("m2") == ["Trash"] && stage.places("m3") == ["Work"])
    try stage.expectSettled()
  }

  @Test func `no window leaves out what the server may no longer have`() throws {
    let now = Int64(Date().timeIntervalSince1970)
    let stage = try stage(.condstore, since: now - 41 * 86_400)
    _ = show(stage) { $0.uid > 30 }
    _ = try pull(stage, 1)
    try stage.mirror.configure { $0.sync = "window = \"5d\"" }
    _ = try pull(stage, 1)
    #expect(try stage.mirror.tokens(40).isSuperset(of: 0..<30))
    #expect(try !stage.mirror.tokens(40).contains(31), "in view, and out of the window")
    try expectToldAndQuiet(stage, "30 of 34")
  }

  @Test func `a tree that came back from a backup sends nothing that is only out of view`() throws {
    let stage = try stage(.condstore)
    _ = show(stage) { $0.uid > 30 }
    // Another directory, with the state of the first: every mailbox is matched anew.
    let away = stage.mirror.home + "/away"
    try FileManager.default.moveItem(atPath: stage.mirror.account, toPath: away)
    try runSuccessfully(["cp", "-a", away, stage.mirror.account])
    _ = try pull(stage, 1)
    stage.server.forget()
    _ = try stage.mirror.run(["push"])
    #expect(stage.changes == [])
    #expect(try count(stage) == 40)
  }

  @Test(arguments: dialects.indices)
  func `a mailbox that is renumbered sends nothing that was out of view`(dialect: Int) throws {
    let stage = try stage(dialect)
    let showAll = show(stage) { $0.uid > 30 }
    _ = try pull(stage, 1)
    stage.account.change("INBOX") { $0.uidValidity += 1 }
    let outcome = try stage.mirror.run(["pull", "--no-index"])
    #expect(outcome.errorText.contains("30 messages"), "\(outcome.summary)")
    stage.server.forget()
    try stage.push()
    #expect(stage.changes == [])
    #expect(try count(stage) == 40)

    showAll()
    _ = try pull(stage, 0)
    #expect(stage.server.server.bodyFetches == [])
    #expect(try stage.mirror.tokens(40) == Set(0..<40))
    try stage.expectSettled()
  }

  @Test(arguments: [
    "* OK Coremail System IMap Server Ready(163com)", "* OK QQMail XMIMAP4Server ready",
  ])
  func `partial-view: at Coremail and QQ the view is one of days, and what is older stays`(
    greeting: String
  ) throws {
    var dialect = Dialect(capabilities: ["ID", "UIDPLUS"])
    let plain = try stage(dialect)
    _ = show(plain) { $0.uid > 30 }
    _ = try pull(plain, 1)
    dialect.greeting = greeting
    let server = try ModelServer(plain.account, dialect)
    try plain.mirror.configure { $0.port = server.port }
    // What was held back is known to be kept now.
    let outcome = try plain.mirror.run(["pull", "--no-index"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try count(plain) == 40)

    // An old one with a high number, as one that was moved there; and one in view that is expunged.
    plain.account.change("INBOX") { box in
      box.deliver(SampleMessage(token: "m40", date: 1_500_000_000))
    }
    try plain.mirror.pull()
    _ = show(plain) { $0.uid != 41 }
    expunge(35...35, plain)
    try plain.mirror.pull()
    #expect(try plain.mirror.tokens(41) == Set(0..<41).subtracting([34]))
    let verified = try plain.mirror.run(["verify"])
    #expect(verified.status == 0, "\(verified.summary)")
  }
}
