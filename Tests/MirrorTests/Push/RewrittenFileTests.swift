import MailTestKit
import Testing

/// A command that sets keywords gives the file a new name, which the state does not know until a push, or the next pull.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct RewrittenFileTests {
  private let scenario: Scenario

  init() throws {
    scenario = try Scenario()
    try scenario.client.create("Work")
    try scenario.append((0..<4).map { "m\($0)" })
    try pull()
  }

  private func pull(location: SourceLocation = #_sourceLocation) throws {
    let outcome = try scenario.mirror.run(["pull"])
    #expect(outcome.status == 0, "\(outcome.summary)", sourceLocation: location)
  }

  private func flag(_ change: String, _ token: String, location: SourceLocation = #_sourceLocation)
    throws
  {
    let message = try #require(try scenario.local("\(token)@"), sourceLocation: location)
    let text = String(decoding: message.raw, as: UTF8.self)
    let key = try #require(
      text.split(separator: "\n").first { $0.lowercased().hasPrefix("message-id:") })
    let id = String(key.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" })
    let outcome = try scenario.mirror.run(["flag", change, "id:" + id])
    #expect(outcome.status == 0, "\(outcome.summary)", sourceLocation: location)
  }

  private func uid(_ token: String, in mailbox: String = "INBOX") throws -> UInt32 {
    try scenario.client.uid(of: token, in: mailbox)
  }

  /// One message on the server and one file here, both with this keyword.
  private func expectOnce(
    _ token: String, in mailbox: String, _ keywords: Set<String>,
    location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try scenario.places(token) == [mailbox], sourceLocation: location)
    let tree = try scenario.mirror.tree()
    let files = tree.messages.filter {
      String(decoding: $0.raw, as: UTF8.self).contains("<\(token)@")
    }
    #expect(files.map(\.folder) == [mailbox], sourceLocation: location)
    #expect(files.first?.keywords() == keywords, sourceLocation: location)
    let remote = try scenario.remote(token, in: mailbox)
    #expect(remote?.flags.isSuperset(of: keywords) == true, sourceLocation: location)
  }

  @Test func `moved away and back by another client, it is there once, with the keyword`() throws {
    try flag("+todo", "m0")
    try scenario.client.move([uid("m0")], from: "INBOX", to: "Work")
    try scenario.client.move([uid("m0", in: "Work")], from: "Work", to: "INBOX")
    try pull()
    try scenario.push()
    try expectOnce("m0", in: "INBOX", ["todo"])
    try scenario.expectSettled()
  }

  @Test(arguments: [1, 2, 3]) func `moved by another client, it is not sent again`(changes: Int)
    throws
  {
    for number in 1...changes { try flag("+k\(number)", "m0") }
    try scenario.client.move([uid("m0")], from: "INBOX", to: "Work")
    try pull()
    try scenario.push()
    #expect(scenario.appends == [] && scenario.proxy.commands(named: ["COPY"]) == [])
    try expectOnce("m0", in: "Work", Set((1...changes).map { "k\($0)" }))
    try scenario.expectSettled()
  }

  @Test func `expunged by another client, it stays away`() throws {
    try flag("+k1", "m0")
    try flag("+k2", "m0")
    try scenario.client.expunge([uid("m0")], in: "INBOX")
    try pull()
    #expect(try scenario.local("m0@") == nil)
    try scenario.push()
    #expect(scenario.appends == [])
    #expect(try scenario.places("m0") == [])
    try scenario.expectSettled()
  }

  @Test func `flags of another client reach it before a push`() throws {
    try flag("+todo", "m0")
    try scenario.client.store([uid("m0")], "+FLAGS", ["\\Flagged", "theirs"], in: "INBOX")
    try pull()
    #expect(try scenario.local("m0@")?.flags == "F")
    #expect(try scenario.local("m0@")?.keywords() == ["theirs", "todo"])
    try scenario.push()
    try expectOnce("m0", in: "INBOX", ["theirs", "todo"])
    try scenario.expectSettled()
  }

  @Test func `an edited message is neither gone nor new for that`() throws {
    let message = try #require(try scenario.local("m0@"))
    try Reader(scenario.mirror).rewrite(message, message.raw + Array("one more line\n".utf8))
    try flag("+todo", "m0")
    for _ in 0..<2 {
      _ = try scenario.mirror.run(["push"])
      #expect(scenario.appends == [] && scenario.proxy.commands(named: ["MOVE", "COPY"]) == [])
      try expectOnce("m0", in: "INBOX", ["todo"])
      try pull()
    }
    let text = try #require(
      try scenario.local("m0@").map { String(decoding: $0.raw, as: UTF8.self) })
    #expect(text.hasSuffix("one more line\n"))
  }

  @Test func `one that lies under a successor's name keeps its own life`() throws {
    let message = try #require(try scenario.local("m0@"))
    let reader = Reader(scenario.mirror)
    try reader.deliver(message.raw, name: message.base + "~k1", to: "Work", flags: "")
    try scenario.push()
    let copy = try #require(try scenario.local("m0@", in: "Work"))
    try reader.move(copy, to: "INBOX")
    try scenario.push()
    #expect(try scenario.client.messages(in: "INBOX").count == 5)
    // Now two records' names differ by a rewrite only.
    try reader.remove(message)
    try scenario.client.store([uid("m0")], "+FLAGS", ["\\Flagged"], in: "INBOX")
    try pull()
    try scenario.push()
    #expect(try scenario.client.messages(in: "INBOX").count == 4)
    #expect(try scenario.places("m0").contains("INBOX"))
  }

  @Test func `without keywords in the tree, none is taken from the server`() throws {
    let mark = try uid("m0")
    try scenario.client.store([mark, uid("m1")], "+FLAGS", ["todo"], in: "INBOX")
    try pull()
    try scenario.mirror.configure { $0.sync = "keywords = \"none\"\n" }
    let reader = Reader(scenario.mirror)
    try reader.move(#require(try scenario.local("m0@")), to: "Work")
    let other = try #require(try scenario.local("m1@"))
    try reader.setFlags(other, "S")
    try runSuccessfully(["touch", "\(scenario.mirror.account)/INBOX/cur/\(other.base):2,S"])
    try scenario.push()
    #expect(try scenario.remote("m0", in: "Work")?.flags.contains("todo") == true)
    #expect(
      try scenario.remote("m1", in: "INBOX")?.flags.isSuperset(of: ["\\Seen", "todo"]) == true)
  }

  @Test func `another way of keeping keywords is refused by a pull as by a push`() throws {
    try scenario.client.store([uid("m0")], "+FLAGS", ["todo"], in: "INBOX")
    try pull()
    try scenario.mirror.configure { $0.sync = "keywords = \"dovecot\"\n" }
    for command in ["pull", "push"] {
      let outcome = try scenario.mirror.run([command])
      #expect(outcome.status == 78)
      #expect(outcome.errorText.contains("keywords = \"header\""), "\(outcome.errorText)")
    }
    try scenario.mirror.configure { $0.sync = "" }
    try scenario.expectSettled()
    try expectOnce("m0", in: "INBOX", ["todo"])
  }
}
