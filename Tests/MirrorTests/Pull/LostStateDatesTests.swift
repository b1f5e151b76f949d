import Foundation
import MailTestKit
import Testing

/// The state was lost, no pull of ours gave the files their names, and the server shows only the newest messages: of the
/// others nothing tells but their dates.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct LostStateDatesTests {
  static let start: Int64 = 1_600_000_000
  static let day: Int64 = 86_400

  private let servers = Locked<[ModelServer]>([])

  /// Messages in mailboxes, with the day on which each came, and the day on which it was written.
  func stage(_ mail: [(mailbox: String, token: String, came: Int64, written: Int64)]) throws
    -> PushStage
  {
    let stage = try PushStage(.modern, count: 0) { account in
      for one in mail {
        account.change(one.mailbox) {
          $0.deliver(
            SampleMessage(
              token: one.token, date: Self.start + one.came * Self.day,
              written: Self.start + one.written * Self.day))
        }
      }
    }
    try stage.mirror.configure { $0.imap = "quirks = [\"partial-view\"]" }
    return stage
  }

  /// m0 to m39 in the INBOX, a day between them.
  func inbox(_ skew: Int64 = 0) -> [(String, String, Int64, Int64)] {
    (0..<40).map { ("INBOX", "m\($0)", Int64($0), Int64($0) + skew) }
  }

  @discardableResult
  func show(_ stage: PushStage, _ view: (inout Dialect) -> Void) throws -> ModelServer {
    var dialect = Dialect.modern
    view(&dialect)
    let server = try ModelServer(stage.account, dialect)
    servers.change { $0.append(server) }
    try stage.mirror.configure { $0.port = server.port }
    return server
  }

  /// As `cp -r` leaves a tree that another program pulled: names that tell nothing, and the time of the copy.
  func loseStateAndNames(_ stage: PushStage) throws {
    removeTree(stage.mirror.account + "/.mirror")
    for (number, file) in try stage.mirror.tree().messages.enumerated() {
      let path = stage.mirror.account + "/" + file.path
      try writeFile(
        stage.mirror.account + "/\(file.folder)/cur/17.\(number).host:2,S", readFile(path))
      unlink(path)
    }
  }

  func sync(_ stage: PushStage, _ first: [String] = ["sync", "--no-index"]) throws {
    _ = try stage.mirror.run(first)
    for _ in 0..<3 { _ = try stage.mirror.run(["sync", "--no-index"]) }
  }

  func expectOnce(
    _ tokens: [String], in mailbox: String, _ stage: PushStage,
    location: SourceLocation = #_sourceLocation
  ) {
    for token in tokens {
      #expect(stage.places(token) == [mailbox], "\(token)", sourceLocation: location)
    }
  }

  func tokens(_ range: Range<Int>) -> [String] { range.map { "m\($0)" } }

  /// - Parameter skew: by so many days the writers' clocks were ahead, or the messages late.
  @Test(arguments: [-3, 0, 2] as [Int64], ["pull", "push"])
  func `what was written before the view begins is held, whatever time its file has`(
    skew: Int64, first: String
  ) throws {
    let stage = try stage(inbox(skew))
    try loseStateAndNames(stage)
    stage.account.change("INBOX") { $0.expunge(38) }
    try stage.deliver("mine", to: "INBOX", written: Int64(time(nil)))
    let narrow = try show(stage) { $0.viewLimit = 10 }
    try sync(stage, [first])
    expectOnce(tokens(0..<40) + ["mine"], in: "INBOX", stage)
    #expect(narrow.server.bodyFetches == [])
    let told = try stage.mirror.run(["status"])
    #expect(told.outputText.contains("29 files here are older than"), "\(told.summary)")

    try show(stage) { $0.viewLimit = nil }
    try sync(stage)
    expectOnce(tokens(0..<40) + ["mine"], in: "INBOX", stage)
    #expect(try stage.mirror.tree()["INBOX"].count == 41)
  }

  @Test func `a view of days that slides over mail filed in no order takes no file away`() throws {
    let days = (0..<20).map { Int64($0 * 7 % 20) }
    let stage = try stage(
      days.enumerated().map { ("INBOX", "m\($0.offset)", $0.element, $0.element) })
    for start in [5, 9, 14, 18] as [Int64] {
      try show(stage) { $0.viewStart = Self.start + start * Self.day }
      _ = try stage.mirror.run(["pull", "--no-index"])
      #expect(try stage.mirror.tree()["INBOX"].count == 20, "\(start)")
    }
    _ = try stage.mirror.run(["push"])
    expectOnce(tokens(0..<20), in: "INBOX", stage)
  }

  @Test func `what is of the very second at which the view ends is held`() throws {
    // As a program that fills an account leaves it.
    let stage = try stage((0..<20).map { ("INBOX", "m\($0)", 5, 5) })
    try loseStateAndNames(stage)
    let narrow = try show(stage) { $0.viewLimit = 10 }
    try sync(stage)
    expectOnce(tokens(0..<20), in: "INBOX", stage)
    #expect(narrow.server.received(named: ["APPEND"]) == [])
  }

  @Test func `an account that was called otherwise before sends nothing again`() throws {
    let stage = try stage(inbox())
    removeTree(stage.mirror.account + "/.mirror")
    for file in try stage.mirror.tree().messages {
      let path = stage.mirror.account + "/" + file.path
      #expect(rename(path, path.replacing(".personal", with: ".former")) == 0)
    }
    let narrow = try show(stage) { $0.viewLimit = 10 }
    try sync(stage)
    expectOnce(tokens(0..<40), in: "INBOX", stage)
    #expect(narrow.server.received(named: ["APPEND"]) == [])
  }

  @Test func `a held file that is moved, copied or renamed is not sent`() throws {
    let stage = try stage(inbox())
    try loseStateAndNames(stage)
    let narrow = try show(stage) { $0.viewLimit = 10 }
    try sync(stage, ["pull"])
    let held = try stage.mirror.tree()["INBOX"].filter { file in
      ["m0", "m1", "m2", "m3"].contains {
        String(decoding: file.raw, as: UTF8.self).contains("<\($0)@")
      }
    }
    try #require(held.count == 4)
    try stage.reader.move(held[0], to: "Work")
    try stage.reader.move(held[1], to: "Trash")
    try stage.reader.deliver(held[2].raw, name: "17.copy.host", to: "Work", flags: "S")
    try stage.reader.deliver(held[3].raw, name: "17.other.host", to: "INBOX", flags: "S")
    try stage.reader.remove(held[3])
    for _ in 0..<2 {
      let outcome = try stage.mirror.run(["push"])
      #expect(
        outcome.status == 1 && outcome.errorText.contains("not show it"), "\(outcome.summary)")
      _ = try stage.mirror.run(["pull", "--no-index"])
    }
    expectOnce(tokens(0..<40), in: "INBOX", stage)
    #expect(narrow.server.received(named: ["APPEND", "COPY"]) == [])
  }

  /// - Parameter place: where among those that are shown it lies.
  @Test(arguments: [10, 15, 39])
  func `an old message that came there lately does not widen the view`(
    place: Int
  ) throws {
    var mail = inbox()
    mail.insert(("INBOX", "old", -900, -900), at: place)
    let stage = try stage(mail)
    try loseStateAndNames(stage)
    try show(stage) { $0.viewLimit = 31 }
    try sync(stage)
    expectOnce(tokens(0..<40) + ["old"], in: "INBOX", stage)
  }

  @Test func `a mailbox that shows nothing is as old as what the others show`() throws {
    let archive: [(String, String, Int64, Int64)] = (0..<8).map {
      ("Work", "a\($0)", Int64($0), Int64($0))
    }
    let stage = try stage(inbox() + archive)
    try loseStateAndNames(stage)
    try stage.deliver("mine", to: "Work", written: Self.start + 35 * Self.day)
    try show(stage) { $0.viewStart = Self.start + 30 * Self.day }
    try sync(stage)
    expectOnce(tokens(0..<40), in: "INBOX", stage)
    expectOnce((0..<8).map { "a\($0)" } + ["mine"], in: "Work", stage)
    try show(stage) { $0.viewStart = nil }
    try sync(stage)
    expectOnce((0..<8).map { "a\($0)" } + ["mine"], in: "Work", stage)
    #expect(try stage.mirror.tree()["Work"].count == 9)
  }

  /// - Parameter count: so many newer messages another mailbox shows.
  @Test(arguments: [0, 3, 12])
  func `an old draft that is shown all the same says nothing of the others`(count: Int) throws {
    let newer: [(String, String, Int64, Int64)] = (0..<count).map {
      ("Work", "a\($0)", 50 + Int64($0), 50 + Int64($0))
    }
    let stage = try stage(inbox() + newer + [("Drafts", "draft", -900, -900)])
    stage.account.change("Drafts") { $0.setFlags($0.messages[0].uid, ["\\Draft"]) }
    try stage.mirror.pull()
    try loseStateAndNames(stage)
    try stage.deliver("mine", to: "INBOX", written: Int64(time(nil)))
    let narrow = try show(stage) { $0.viewStart = Self.start + 45 * Self.day }
    try sync(stage)
    expectOnce(tokens(0..<40) + ["mine"], in: "INBOX", stage)
    expectOnce((0..<count).map { "a\($0)" }, in: "Work", stage)
    expectOnce(["draft"], in: "Drafts", stage)
    #expect(narrow.server.received(named: ["APPEND"]).count == 1)
  }

  @Test func `an account that shows nothing holds what is older than a day`() throws {
    let stage = try stage(inbox())
    try loseStateAndNames(stage)
    try stage.deliver("mine", to: "INBOX", written: Int64(time(nil)))
    try show(stage) { $0.viewStart = Self.start + 50 * Self.day }
    try sync(stage)
    expectOnce(tokens(0..<40) + ["mine"], in: "INBOX", stage)
  }

  /// A mailbox that cannot be opened has all files wait for some pulls.
  @Test func `keywords that a file gets while it waits change nothing`() throws {
    let stage = try stage(inbox() + [("Work", "w0", 39, 39)])
    try loseStateAndNames(stage)
    try show(stage) {
      $0.viewLimit = 10
      $0.refusing = { command in
        ["EXAMINE", "SELECT"].contains(command.name) && command.text.contains("Work")
          ? "NO [INUSE] in a moment" : nil
      }
    }
    _ = try stage.mirror.run(["sync", "--no-index"])
    let file = try stage.local("m3")
    try writeFile(
      stage.mirror.account + "/INBOX/cur/\(file.base)~k1:2,S",
      Array("X-Keywords: later\n".utf8) + file.content())
    try stage.reader.remove(file)
    for _ in 0..<5 { try sync(stage) }
    expectOnce(tokens(0..<40), in: "INBOX", stage)
    // Nor later, when it is held.
    let held = try stage.local("m4")
    try writeFile(
      stage.mirror.account + "/INBOX/cur/\(held.base)~k1:2,S",
      Array("X-Keywords: later\n".utf8) + held.content())
    try stage.reader.remove(held)
    try sync(stage)
    expectOnce(tokens(0..<40), in: "INBOX", stage)
    for command in ["status", "verify"] {
      let told = try stage.mirror.run([command])
      #expect(
        (told.outputText + told.errorText).contains("30 files here are older than"),
        "\(told.summary)")
    }
  }
}
