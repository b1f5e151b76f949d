import MailTestKit
import Testing

/// Servers that give the numbers of before to other messages, and say nothing of it: counters go on, UIDVALIDITY stays.
struct ReusedNumbersTests {
  private static let dialects: [(name: String, dialect: ServerDialect)] = [
    ("bare", .bare), ("condstore", .condstore), ("modern", .modern),
  ]

  /// The account is filled anew: other messages under the first numbers, and in another order those that it had.
  ///
  /// - Parameter later: by so many seconds the messages have other dates than those that had their numbers.
  private func fillAnew(_ stage: Stage, later: Int64 = 86_400) {
    stage.account.change("INBOX") { box in
      let old = box.messages
      let others = ["another-one", "another-two", "another-three"].map { SampleMessage(token: $0) }
      let kept = old.reversed().dropLast().map(\.bytes)
      let bytes = kept.prefix(1) + others.map(\.bytes) + kept.dropFirst()
      for index in box.messages.indices { box.messages[index].bytes = bytes[index] }
      for index in box.messages.indices {
        box.messages[index].identity += 7_000
        box.messages[index].date += later
      }
      for rest in bytes.dropFirst(old.count) { box.deliver(SampleMessage(bytes: rest)) }
    }
  }

  /// The newest were lost with a backup, and as many and more came since.
  @Test(arguments: dialects.indices) func `numbers that came back with other messages are seen`(
    index: Int
  ) throws {
    let stage = try Stage(Self.dialects[index].dialect, count: 30)
    stage.account.change("INBOX") { box in
      for index in 24..<30 {
        box.messages[index].bytes = SampleMessage(token: "newcomer\(index)").bytes
        box.messages[index].identity += 7_000
      }
      box.deliver(SampleMessage(token: "fresh"))
    }
    let outcome = stage.pull(nil)
    #expect(outcome.told.contains("filled anew"), "\(outcome.told)")
    stage.push()
    for token in (0..<30).map({ "m\($0)" }) + (24..<30).map({ "newcomer\($0)" }) + ["fresh"] {
      #expect(stage.places(token) == ["INBOX"], "\(token)")
    }
    try stage.expectSettled()
  }

  @Test(arguments: dialects.indices) func `an account filled anew is matched anew`(index: Int)
    throws
  {
    let stage = try Stage(Self.dialects[index].dialect)
    let before = stage.account["INBOX"]?.messages.count ?? 0
    fillAnew(stage)
    let outcome = stage.pull(nil)
    #expect(outcome.exitStatus == 0 && outcome.told.contains("filled anew"), "\(outcome.told)")
    let tree = try stage.tree()
    for token in ["another-one", "another-two", "another-three"] + (0..<before).map({ "m\($0)" }) {
      #expect(tree.count(of: "<\(token)@") == 1, "\(token)")
    }
    // What the server has no longer is sent; nothing is deleted, and nothing doubled.
    stage.push()
    for token in ["another-one"] + (0..<before).map({ "m\($0)" }) {
      #expect(stage.places(token) == ["INBOX"], "\(token)")
    }
    try stage.expectSettled()
  }

  /// What a person did before any pull could see it.
  enum Doing: CaseIterable { case flag, keyword, move, delete, moveThere }

  @Test(arguments: dialects.indices, Doing.allCases)
  func `a push that comes before the pull leaves the other messages alone`(
    index: Int, doing: Doing
  ) throws {
    let stage = try Stage(Self.dialects[index].dialect)
    if doing == .moveThere {
      stage.account.deliver(SampleMessage(token: "mine"), labelled: ["Work"])
      stage.pull()
    }
    fillAnew(stage)
    switch doing {
    case .flag: try stage.setFlags("m1", "F")
    case .keyword: try stage.setFlags("m1", "T")
    case .move: try stage.reader.move(stage.local("m1"), to: "Work")
    case .delete: try stage.reader.remove(stage.local("m1"))
    case .moveThere: try stage.reader.move(stage.local("mine"), to: "INBOX")
    }
    stage.forget()
    let outcome = stage.push(nil)
    // What goes there names no message of it.
    if doing != .moveThere {
      #expect(outcome.exitStatus == 1 && outcome.told.contains("filled anew"), "\(outcome.told)")
      #expect(stage.changes == [])
    }

    stage.pull(nil)
    for _ in 0..<2 { stage.push(nil) }
    for token in ["another-one", "another-two", "another-three"] {
      #expect(stage.places(token) == ["INBOX"], "\(token)")
      #expect(stage.flags(token) == [], "\(token)")
    }
    for token in ["m0", "m2", "m3"] { #expect(stage.places(token) == ["INBOX"], "\(token)") }
    switch doing {
    case .flag: #expect(stage.flags("m1") == ["\\Flagged"])
    case .keyword: #expect(stage.flags("m1") == ["\\Deleted"])
    case .move: #expect(stage.places("m1") == ["Work"])
    case .delete: #expect(stage.places("m1").count == 1)
    case .moveThere: #expect(stage.places("mine") == ["INBOX"])
    }
  }

  /// Their files would be called like those of before.
  @Test(arguments: dialects.indices, [true, false])
  func `other messages of the same dates get names of their own`(index: Int, isMoved: Bool) throws {
    let stage = try Stage(Self.dialects[index].dialect)
    fillAnew(stage, later: 0)
    if isMoved {
      try stage.reader.move(stage.local("m1"), to: "Work")
    } else {
      try stage.setFlags("m1", "F")
    }
    stage.push(1)
    stage.pull(nil)
    for _ in 0..<2 { stage.push(nil) }
    #expect(stage.flags("another-one") == [] && stage.places("another-one") == ["INBOX"])
    if isMoved {
      #expect(stage.places("m1") == ["Work"])
    } else {
      #expect(stage.flags("m1") == ["\\Flagged"])
    }
    let names = try stage.tree().messages.map(\.base)
    #expect(Set(names).count == names.count)
  }

  @Test(arguments: dialects.indices)
  func `a push asks about one message, and goes on where only that is another`(index: Int) throws {
    let stage = try Stage(Self.dialects[index].dialect)
    stage.account.change("INBOX") { box in
      box.messages[box.messages.count - 1].bytes = SampleMessage(token: "something-else").bytes
      box.deliver(SampleMessage(token: "fresh"))
    }
    try stage.setFlags("m1", "F")
    stage.push()
    #expect(stage.flags("m1") == ["\\Flagged"])
  }

  /// A scanner's line, or a bridge that writes headers anew.
  @Test(arguments: dialects.indices)
  func `headers that a server changes in all messages are no other messages`(index: Int) throws {
    let stage = try Stage(Self.dialects[index].dialect)
    stage.account.change("INBOX") { box in
      for index in box.messages.indices {
        box.messages[index].bytes = Array("X-Scanned: yes\r\n".utf8) + box.messages[index].bytes
      }
      box.deliver(SampleMessage(token: "fresh"))
    }
    let outcome = stage.pull(nil)
    #expect(!outcome.told.contains("filled anew"), "\(outcome.told)")
    stage.push()
    #expect(stage.account["INBOX"]?.messages.count == 5)
    #expect(try stage.tree()["INBOX"].count == 5)
  }

  @Test(arguments: dialects.indices)
  func `one message that a server changes under its number is no other account`(index: Int) throws {
    let stage = try Stage(Self.dialects[index].dialect)
    let text = try stage.local("m0").raw
    stage.account.change("INBOX") { box in
      box.messages[box.messages.count - 1].bytes = SampleMessage(token: "something-else").bytes
      box.deliver(SampleMessage(token: "fresh"))
    }
    let outcome = stage.pull(nil)
    #expect(!outcome.told.contains("filled anew"), "\(outcome.told)")
    #expect(try stage.local("m0").raw == text)
    #expect(try stage.tree().count(of: "<fresh@") == 1)
  }
}
