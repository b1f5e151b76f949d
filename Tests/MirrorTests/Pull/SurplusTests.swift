import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One identity twice in one folder is one message (promise 6): in an adopted tree the other file stays, known as what
/// it is.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct SurplusTests {
  /// A pulled account with two copies of one message, and no state.
  private func doubled() throws -> Scenario {
    let scenario = try Scenario()
    try scenario.fill(35)
    try scenario.append(["one", "two", "three"])
    try scenario.pull()
    let one = try #require(try scenario.local("one@"))
    let reader = Reader(scenario.mirror)
    try reader.deliver(one.raw, name: "1.copy.host", to: "INBOX")
    // With a keyword of its own it is the same message all the same.
    try reader.deliver(
      Array("X-Keywords: other\n".utf8) + one.raw, name: "2.copy.host", to: "INBOX")
    removeTree(scenario.mirror.account + "/.mirror")
    return scenario
  }

  private func uploads(_ scenario: Scenario) throws -> String {
    try scenario.mirror.run(["status", "--format", "json"]).outputText
  }

  @Test func `copies of one message stay, are told of, and wait for no push`() throws {
    let scenario = try doubled()
    let outcome = try scenario.pull()
    #expect(outcome.errorText.contains("2 files here repeat"), "\(outcome.errorText)")
    #expect(scenario.bodyFetches == [])
    #expect(try scenario.mirror.tree().count(of: "one@") == 3)
    let waiting = try uploads(scenario)
    #expect(waiting.contains("\"uploads\" : 0"), "\(waiting)")
    let verified = try scenario.mirror.run(["verify"])
    #expect(verified.status == 0, "\(verified.summary)")
    #expect((verified.outputText + verified.errorText).contains("2 files here repeat"))
    try scenario.expectQuiet()
    // Known in the backup, too, and told of only once.
    unlink(scenario.mirror.account + "/.mirror/state.db")
    #expect(try !scenario.pull().errorText.contains("repeat"))
    #expect(try uploads(scenario).contains("\"uploads\" : 0"))
  }

  @Test func `a file that only looks alike waits for a push`() throws {
    let scenario = try doubled()
    let two = try #require(try scenario.local("two@"))
    try Reader(scenario.mirror).deliver(
      two.raw + Array("and more\n".utf8), name: "3.copy.host", to: "INBOX")
    try scenario.pull()
    let waiting = try uploads(scenario)
    #expect(waiting.contains("\"uploads\" : 1"), "\(waiting)")
  }

  @Test func `a copy becomes the message when the server has it twice`() throws {
    let scenario = try doubled()
    try scenario.pull()
    let message = SampleMessage(token: "one", date: 1_600_000_000)
    try scenario.client.append([message, message])
    try scenario.pull()
    #expect(try scenario.mirror.tree().count(of: "one@") == 3)
    // In a folder that was matched before, it is the content that tells.
    #expect(scenario.bodyFetches.count == 1, "\(scenario.bodyFetches)")
    // Their keywords and flags are a person's, so only the number is the server's.
    #expect(
      try scenario.mirror.tree()["INBOX"].count == scenario.client.uids(in: "INBOX").count)
    let verified = try scenario.mirror.run(["verify"])
    #expect(!(verified.outputText + verified.errorText).contains("repeat"), "\(verified.summary)")
  }

  @Test func `an edited copy is no repetition any more`() throws {
    let scenario = try doubled()
    try scenario.pull()
    let copy = scenario.mirror.account + "/INBOX/cur/1.copy.host:2,S"
    try writeFile(copy, try readFile(copy) + Array("a new paragraph\n".utf8))
    let verified = try scenario.mirror.run(["verify"])
    #expect(verified.summary.contains("1 file here repeats"), "\(verified.summary)")
    #expect(verified.summary.contains("1 file here is no message"), "\(verified.summary)")
  }

  @Test func `a copy of what the server expunged is no repetition any more`() throws {
    let scenario = try doubled()
    try scenario.pull()
    try scenario.client.expunge([scenario.client.uid(of: "one", in: "INBOX")], in: "INBOX")
    try scenario.pull()
    let verified = try scenario.mirror.run(["verify"])
    #expect(!verified.summary.contains("repeat"), "\(verified.summary)")
    #expect(verified.summary.contains("2 files here are no messages"), "\(verified.summary)")
  }

  @Test(arguments: ["Aaa", "Zed"])
  func `a message that was moved to its like is moved, not repeated`(
    target: String
  ) throws {
    let scenario = try Scenario()
    let message = SampleMessage(token: "same", date: 1_600_000_000)
    try scenario.client.create("Mid")
    try scenario.client.create(target)
    try scenario.client.append([message], to: "Mid")
    try scenario.client.append([message], to: target)
    try scenario.pull()
    let moved = try #require(try scenario.local("same@", in: "Mid"))
    try Reader(scenario.mirror).move(moved, to: target)
    removeTree(scenario.mirror.account + "/.mirror")
    let outcome = try scenario.pull()
    #expect(scenario.bodyFetches == [])
    #expect(!outcome.errorText.contains("repeat"), "\(outcome.errorText)")
    let status = try uploads(scenario)
    #expect(status.contains("\"moves\" : 1"), "\(status)")
    let verified = try scenario.mirror.run(["verify"])
    #expect(!verified.summary.contains("repeat"), "\(verified.summary)")
  }

  @Test func `of two files the whole one is the message`() throws {
    let scenario = try Scenario()
    for number in 0..<12 {
      try scenario.client.append(
        SampleMessage(token: "t\(number)", body: String(repeating: "y", count: 900)))
    }
    try scenario.pull()
    let reader = Reader(scenario.mirror)
    for (number, message) in try scenario.mirror.tree().messages.enumerated() {
      try reader.remove(message)
      // Whichever is found first.
      let files = [("cut", Array(message.raw.dropLast(150))), ("whole", message.raw)]
      for (name, bytes) in number % 2 == 0 ? files : files.reversed() {
        try reader.deliver(bytes, name: "\(number).\(name)", to: "INBOX")
      }
    }
    removeTree(scenario.mirror.account + "/.mirror")
    try scenario.pull()
    #expect(scenario.bodyFetches == [])
    let verified = try scenario.mirror.run(["verify"])
    #expect(verified.summary.contains("12 files here are no messages"), "\(verified.summary)")
    // The one that is no message can go: what is left is the server's.
    for message in try scenario.mirror.tree().messages where message.base.contains("cut") {
      try reader.remove(message)
    }
    let left = try scenario.mirror.run(["verify"])
    #expect(left.status == 0 && !left.summary.contains("not in this folder"), "\(left.summary)")
  }

  @Test func `copies are known where the server lies about sizes`() throws {
    let account = MailAccount(["INBOX"])
    account.change("INBOX") { box in
      for number in 0..<3 { box.deliver(SampleMessage(token: "l\(number)")) }
    }
    let server = try ModelServer(account, .modern)
    let mirror = try MirrorProgram(AccountSettings(port: server.port, user: "u"))
    #expect(try mirror.pull().status == 0)
    let reader = Reader(mirror)
    for (number, message) in try mirror.tree().messages.enumerated() {
      try reader.remove(message)
      for copy in ["a", "b"] {
        try reader.deliver(message.raw, name: "1.\(copy)\(number)", to: "INBOX")
      }
    }
    removeTree(mirror.account + "/.mirror")
    account.change("INBOX") { box in
      for index in box.messages.indices { box.messages[index].claimedSize = 99_999 }
    }
    let outcome = try mirror.pull()
    #expect(
      outcome.status == 0 && outcome.errorText.contains("3 files here repeat"), "\(outcome.summary)"
    )
    #expect(try mirror.tree().messages.count == 6)
  }
}
