import MailTestKit
import Testing

/// Servers that give the numbers of before to other messages, and say nothing of it: counters go on, UIDVALIDITY stays.
struct ReusedNumbersTests {
  private static let dialects: [(name: String, dialect: ServerDialect)] = [
    ("bare", .bare), ("condstore", .condstore), ("modern", .modern),
  ]

  /// The account is filled anew: other messages under the first numbers, and in another order those that it had.
  private func fillAnew(_ stage: Stage) {
    stage.account.change("INBOX") { box in
      let old = box.messages
      let others = ["another-one", "another-two", "another-three"].map { SampleMessage(token: $0) }
      let kept = old.reversed().dropLast().map(\.bytes)
      let bytes = kept.prefix(1) + others.map(\.bytes) + kept.dropFirst()
      for index in box.messages.indices { box.messages[index].bytes = bytes[index] }
      for index in box.messages.indices { box.messages[index].identity += 7_000 }
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
