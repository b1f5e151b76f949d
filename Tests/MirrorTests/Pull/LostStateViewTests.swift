import Foundation
import MailTestKit
import Testing

/// The state was lost, and the server shows only the newest messages of a mailbox: nothing tells of the others, and nothing
/// says that they are gone.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct LostStateViewTests {
  enum First: String, CaseIterable { case pull, sync, push }

  /// 40 messages in the INBOX, m0 to m39, a day between them.
  private func stage(_ more: (MailAccount) throws -> Void = { _ in }) throws -> PushStage {
    let stage = try PushStage(.modern, count: 0) { account in
      account.change("INBOX") { box in
        for number in 0..<40 {
          let date = 1_600_000_000 + Int64(number) * 86_400
          box.deliver(SampleMessage(token: "m\(number)", date: date, written: date))
        }
      }
      try more(account)
    }
    try stage.mirror.configure { $0.imap = "quirks = [\"partial-view\"]" }
    return stage
  }

  private let servers = Locked<[ModelServer]>([])

  /// From now on the account is seen through a server that shows so many messages of each mailbox.
  @discardableResult
  private func show(_ count: Int?, _ stage: PushStage) throws -> ModelServer {
    var dialect = Dialect.modern
    dialect.viewLimit = count
    let server = try ModelServer(stage.account, dialect)
    servers.change { $0.append(server) }
    try stage.mirror.configure { $0.port = server.port }
    return server
  }

  private func lose(_ stage: PushStage) { removeTree(stage.mirror.account + "/.mirror") }

  private func run(_ first: First, _ stage: PushStage) throws {
    switch first {
    case .pull: _ = try stage.mirror.run(["pull", "--no-index"])
    case .sync: break
    case .push: _ = try stage.mirror.run(["push"])
    }
    for _ in 0..<3 { _ = try stage.mirror.run(["sync", "--no-index"]) }
  }

  private func expectOnce(
    _ numbers: Range<Int>, in mailbox: String, _ stage: PushStage,
    location: SourceLocation = #_sourceLocation
  ) {
    for number in numbers {
      #expect(stage.places("m\(number)") == [mailbox], "m\(number)", sourceLocation: location)
    }
  }

  @Test(arguments: First.allCases)
  func `what lies beyond the view is kept, not sent, and told`(first: First) throws {
    let stage = try stage()
    lose(stage)
    let narrow = try show(10, stage)
    try stage.deliver("mine", to: "INBOX", written: Int64(time(nil)))
    try run(first, stage)
    expectOnce(0..<40, in: "INBOX", stage)
    #expect(stage.places("mine") == ["INBOX"])
    #expect(try stage.mirror.tree()["INBOX"].count == 41)
    for command in ["status", "verify"] {
      let told = try stage.mirror.run([command])
      #expect(
        (told.outputText + told.errorText).contains(
          "30 files here are older than what the server shows"),
        "\(told.summary)")
    }
    narrow.forget()
    _ = try stage.mirror.run(["sync", "--no-index"])
    #expect(narrow.server.changingCommands == [])

    let wide = try show(nil, stage)
    try run(.sync, stage)
    #expect(wide.server.bodyFetches == [])
    expectOnce(0..<40, in: "INBOX", stage)
    #expect(try stage.mirror.tree()["INBOX"].count == 41)
    let told = try stage.mirror.run(["verify"])
    #expect(told.status == 0 && !told.errorText.contains("not sent"), "\(told.summary)")
  }

  @Test(arguments: First.allCases)
  func `nor what a person had moved into a mailbox that shows only its newest`(first: First) throws
  {
    let stage = try stage()
    for number in 0..<30 { try stage.reader.move(stage.local("m\(number)"), to: "Work") }
    try stage.push()
    try stage.mirror.pull()
    lose(stage)
    try show(10, stage)
    try run(first, stage)
    expectOnce(0..<30, in: "Work", stage)
    try show(nil, stage)
    try run(.sync, stage)
    expectOnce(0..<30, in: "Work", stage)
    #expect(try stage.mirror.tree()["Work"].count == 30)
  }

  @Test func `what is missing within the view is sent, and what a wider one leaves out`() throws {
    let stage = try stage()
    stage.account.change("INBOX") { $0.expunge(36) }
    stage.account.change("INBOX") { $0.expunge(25) }
    lose(stage)
    try show(10, stage)
    try run(.pull, stage)
    expectOnce(35..<36, in: "INBOX", stage)
    #expect(stage.places("m24") == [])
    try show(20, stage)
    try run(.pull, stage)
    expectOnce(0..<40, in: "INBOX", stage)
    #expect(try stage.mirror.tree()["INBOX"].count == 40)
  }

  @Test func `where another mailbox shows the message, it was moved there`() throws {
    let stage = try stage()
    stage.account.change("INBOX") { $0.expunge(3) }
    stage.account.change("Work") {
      let date: Int64 = 1_600_000_000 + 2 * 86_400
      $0.deliver(SampleMessage(token: "m2", date: date, written: date))
    }
    lose(stage)
    try show(10, stage)
    try run(.pull, stage)
    expectOnce(2..<3, in: "Work", stage)
    let told = try stage.mirror.run(["verify"])
    #expect(
      told.errorText.contains("1 file here is a message that the server has in another folder"))
    #expect(told.errorText.contains("29 files here are older"), "\(told.summary)")
  }

  @Test(arguments: First.allCases)
  func `a mailbox that shows nothing may have all of it`(first: First) throws {
    let stage = try stage()
    lose(stage)
    let narrow = try show(0, stage)
    try run(first, stage)
    #expect(narrow.server.changingCommands == [])
    #expect(try stage.mirror.run(["status"]).outputText.contains("40 files here are older"))
    let wide = try show(nil, stage)
    try run(.sync, stage)
    #expect(wide.server.bodyFetches == [])
    expectOnce(0..<40, in: "INBOX", stage)
    #expect(try stage.mirror.tree()["INBOX"].count == 40)
  }

  /// It may also have been made anew, and have nothing: what is of today is sent in any case.
  @Test(arguments: First.allCases)
  func `so may one that is numbered anew and shows nothing`(first: First) throws {
    let stage = try stage()
    stage.account.change("INBOX") { $0.uidValidity += 1 }
    lose(stage)
    try stage.deliver("mine", to: "INBOX", written: Int64(time(nil)))
    try show(0, stage)
    try run(first, stage)
    expectOnce(0..<40, in: "INBOX", stage)
    #expect(stage.places("mine") == ["INBOX"])
    let told = try stage.mirror.run(["status"])
    #expect(told.outputText.contains("files here are older"), "\(told.summary)")
    let wide = try show(nil, stage)
    try run(.sync, stage)
    #expect(wide.server.bodyFetches == [])
    expectOnce(0..<40, in: "INBOX", stage)
    #expect(try stage.mirror.tree()["INBOX"].count == 41)
  }

  /// What else is done to the state.
  enum State: String, CaseIterable { case kept, lost, fromBackup }

  @Test(arguments: State.allCases)
  func `a mailbox that is numbered anew sends nothing that is beyond the view`(state: State) throws
  {
    let stage = try stage()
    // Moved there lately: its date tells nothing of the view.
    stage.account.change("INBOX") { $0.deliver(SampleMessage(token: "m40", date: 1_500_000_000)) }
    try stage.mirror.pull()
    try show(10, stage)
    try stage.mirror.pull()
    stage.account.change("INBOX") { box in
      box.uidValidity += 1
      // Of those that are shown, one is gone with the old numbers.
      box.messages.removeAll { $0.uid == 36 }
    }
    switch state {
    case .kept: break
    case .lost: lose(stage)
    case .fromBackup:
      for end in ["", "-wal", "-shm"] { unlink(stage.mirror.account + "/.mirror/state.db" + end) }
    }
    try stage.deliver("mine", to: "INBOX", written: Int64(time(nil)))
    try run(.sync, stage)
    expectOnce(0..<41, in: "INBOX", stage)
    #expect(stage.places("mine") == ["INBOX"])
    #expect(try stage.mirror.tree()["INBOX"].count == 42)
    let wide = try show(nil, stage)
    try run(.sync, stage)
    #expect(wide.server.bodyFetches == [])
    expectOnce(0..<41, in: "INBOX", stage)
    #expect(try stage.mirror.tree()["INBOX"].count == 42)
  }

  /// UIDVALIDITY stays, or does not: what was shown before is hidden by now, and the other way round.
  @Test(arguments: [0, 1] as [UInt32])
  func `nor does one that was filled anew in another order`(renumbered: UInt32) throws {
    let stage = try stage()
    try show(10, stage)
    try stage.mirror.pull()
    stage.account.change("INBOX") { box in
      let old = box.messages
      for (index, other) in old.reversed().enumerated() {
        (box.messages[index].bytes, box.messages[index].date) = (other.bytes, other.date)
        box.messages[index].identity += 7_000
      }
      box.uidValidity += renumbered
      box.deliver(SampleMessage(token: "fresh"))
    }
    try run(.sync, stage)
    expectOnce(0..<40, in: "INBOX", stage)
    let wide = try show(nil, stage)
    try run(.sync, stage)
    #expect(wide.server.bodyFetches == [])
    expectOnce(0..<40, in: "INBOX", stage)
    #expect(try stage.mirror.tree()["INBOX"].count == 41)
  }

  @Test(arguments: First.allCases)
  func `nor is what was written here long ago, by its date`(first: First) throws {
    let stage = try stage()
    let folder = stage.mirror.account + "/INBOX/cur/"
    // Under names of a mail reader's, as after an adoption.
    for number in 0..<40 {
      let file = try stage.local("m\(number)")
      try FileManager.default.moveItem(
        atPath: stage.mirror.account + "/" + file.path, toPath: folder + "17.\(number).host:2,S")
    }
    lose(stage)
    try stage.deliver("mine", to: "INBOX", written: Int64(time(nil)))
    let narrow = try show(10, stage)
    try run(first, stage)
    expectOnce(0..<40, in: "INBOX", stage)
    #expect(stage.places("mine") == ["INBOX"])
    #expect(narrow.server.bodyFetches == [])
    try show(nil, stage)
    try run(.sync, stage)
    expectOnce(0..<40, in: "INBOX", stage)
    #expect(try stage.mirror.tree()["INBOX"].count == 41)
  }

  /// Their names are those of the mailbox that they came from, and their dates tell nothing of a view by number.
  @Test func `a mailbox to which all was moved is numbered anew`() throws {
    let stage = try stage()
    for number in [7, 3, 9, 0, 8, 1, 6, 2, 5, 4] + Array((10..<40).reversed()) {
      try stage.reader.move(stage.local("m\(number)"), to: "Work")
      if number < 10 || number == 10 { try stage.push() }
    }
    try stage.mirror.pull()
    try show(10, stage)
    try stage.mirror.pull()
    stage.account.change("Work") { $0.uidValidity += 1 }
    try run(.sync, stage)
    expectOnce(0..<40, in: "Work", stage)
    try show(nil, stage)
    try run(.sync, stage)
    expectOnce(0..<40, in: "Work", stage)
    #expect(try stage.mirror.tree()["Work"].count == 40)
  }

  @Test func `what a person edited of it is sent`() throws {
    let stage = try stage()
    try show(10, stage)
    try stage.mirror.pull()
    let file = stage.mirror.account + "/" + (try stage.local("m3").path)
    try writeFile(file, readFile(file) + Array("And more.\n".utf8))
    stage.account.change("INBOX") { $0.uidValidity += 1 }
    try run(.pull, stage)
    #expect(stage.count(of: "And more.", in: "INBOX") == 1)
    expectOnce(4..<40, in: "INBOX", stage)
  }

  @Test func `limited-view: beyond Gmail's limit nothing is sent again`() throws {
    let stage = try PushStage(.gmail, count: 0) { account in
      for number in 0..<1005 {
        account.deliver(SampleMessage(token: "m\(number)"), labelled: ["INBOX"])
      }
    }
    lose(stage)
    var dialect = Dialect.gmail
    dialect.viewLimit = 1000
    let server = try ModelServer(stage.account, dialect)
    try stage.mirror.configure { $0.port = server.port }
    try run(.pull, stage)
    #expect(server.server.changingCommands == [])
    expectOnce(0..<5, in: "INBOX", stage)
  }
}
