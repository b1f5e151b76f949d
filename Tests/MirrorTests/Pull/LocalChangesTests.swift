import MailTestKit
import Testing

/// Promise 1: a pull never overwrites what a person changed and has not pushed yet.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct LocalChangesTests {
  private func scenario(_ count: Int = 10) throws -> (Scenario, Reader) {
    let scenario = try Scenario()
    try scenario.append((0..<count).map { "m\($0)" })
    try scenario.pull()
    return (scenario, Reader(scenario.mirror))
  }

  @Test func `keywords of both sides merge`() throws {
    let (scenario, reader) = try scenario()
    try scenario.client.store([1], "+FLAGS", ["one", "two"], in: "INBOX")
    try scenario.pull()
    try reader.setKeywords(#require(try scenario.local("m0@")), ["two", "mine"])
    try scenario.client.store([1], "+FLAGS", ["three"], in: "INBOX")
    try scenario.client.store([1], "-FLAGS", ["two"], in: "INBOX")
    try scenario.pull()
    #expect(try scenario.local("m0@")?.keywords() == ["mine", "three"])
    #expect(scenario.bodyFetches == [])
    try scenario.expectQuiet()
  }

  @Test func `a changed keywords line looks changed to rsync`() throws {
    let (scenario, _) = try scenario()
    try scenario.client.store([1], "+FLAGS", ["abc"], in: "INBOX")
    try scenario.pull()
    let before = try #require(try scenario.local("m0@"))
    try scenario.client.store([1], "FLAGS", ["xyz"], in: "INBOX")
    try scenario.pull()
    let after = try #require(try scenario.local("m0@"))
    #expect(after.keywords() == ["xyz"])
    #expect(after.modified == before.modified)
    #expect(after.raw.count != before.raw.count)
  }

  /// News that change no file end a visit without a look at the folder: it must not count as looked through.
  @Test func `a file moved here is known when the server moves its message, too`() throws {
    let (scenario, reader) = try scenario()
    try scenario.client.create("Work")
    try scenario.append(["w0"], to: "Work")
    try scenario.pull()
    try reader.move(#require(try scenario.local("m0@")), to: "Work")
    try reader.setFlags(#require(try scenario.local("w0@")), "S")
    try scenario.client.store([1], "+FLAGS", ["\\Seen"], in: "Work")
    pause(3)
    try scenario.pull()
    try scenario.client.move([1], from: "INBOX", to: "Work")
    try scenario.pull()
    #expect(scenario.bodyFetches == [])
    #expect(try scenario.mirror.tree().count(of: "m0@") == 1)
    #expect(try scenario.local("m0@")?.folder == "Work")
    try scenario.expectMirrored()
  }

  @Test func `an unknown flag letter stays`() throws {
    let (scenario, reader) = try scenario()
    try reader.setFlags(#require(try scenario.local("m0@")), "SX")
    try scenario.client.store([1], "+FLAGS", ["\\Flagged"], in: "INBOX")
    try scenario.pull()
    #expect(try scenario.local("m0@")?.flags == "FSX")
  }

  @Test func `from new to cur is no change`() throws {
    let (scenario, reader) = try scenario()
    let message = try #require(try scenario.local("m0@"))
    #expect(message.subdirectory == "new")
    try reader.setFlags(message, "")
    try scenario.pull()
    #expect(try scenario.local("m0@")?.path == "INBOX/cur/\(message.base):2,")
    try scenario.expectQuiet()
  }

  @Test func `a moved message stays where it was put`() throws {
    let (scenario, reader) = try scenario()
    try reader.move(#require(try scenario.local("m3@")), to: "Archive")
    try scenario.append(["fresh"])
    try scenario.client.store([1], "+FLAGS", ["\\Seen"], in: "INBOX")
    try scenario.pull()
    let tree = try scenario.mirror.tree()
    #expect(tree.count(of: "m3@") == 1 && tree.message(with: "m3@")?.folder == "Archive")
    #expect(tree.count(of: "fresh@") == 1)
    try scenario.expectQuiet()
  }

  @Test func `a removed message does not come back`() throws {
    let (scenario, reader) = try scenario()
    try reader.remove(#require(try scenario.local("m4@")))
    try scenario.client.store([1, 5], "+FLAGS", ["\\Seen"], in: "INBOX")
    try scenario.append(["fresh"])
    try scenario.pull()
    let tree = try scenario.mirror.tree()
    #expect(tree.message(with: "m4@") == nil && tree["INBOX"].count == 10)
    try scenario.expectQuiet()
  }

  @Test func `an edited message keeps the edit`() throws {
    let (scenario, reader) = try scenario()
    let message = try #require(try scenario.local("m5@"))
    try reader.rewrite(message, message.raw + Array("one more line\n".utf8))
    try scenario.client.store([6], "+FLAGS", ["\\Flagged"], in: "INBOX")
    try scenario.pull()
    let after = try #require(try scenario.local("m5@"))
    #expect(String(decoding: after.raw, as: UTF8.self).hasSuffix("one more line\n"))
    #expect(after.flags.contains("F"))
  }

  @Test func `an edit survives new keywords from the server`() throws {
    let (scenario, reader) = try scenario()
    let message = try #require(try scenario.local("m5@"))
    try reader.rewrite(message, message.raw + Array("one more line\n".utf8))
    try scenario.client.store([6], "+FLAGS", ["topic"], in: "INBOX")
    try scenario.pull()
    let after = try #require(try scenario.local("m5@"))
    #expect(String(decoding: after.raw, as: UTF8.self).hasSuffix("one more line\n"))
  }

  @Test func `mail that only lies here stays`() throws {
    let (scenario, reader) = try scenario()
    try reader.deliver(
      SampleMessage(token: "draft").bytes, name: "17.1_2.host", to: "Drafts", flags: "DS")
    try scenario.append(["fresh"], to: "Drafts")
    try scenario.pull()
    let tree = try scenario.mirror.tree()
    #expect(tree.message(with: "draft@")?.path == "Drafts/cur/17.1_2.host:2,DS")
    #expect(tree["Drafts"].count == 2)
    try scenario.expectQuiet()
  }

  @Test func `an edit that neither size nor time betrays survives an expunge`() throws {
    let (scenario, reader) = try scenario()
    let message = try #require(try scenario.local("m6@"))
    var edited = message.raw
    let place = try #require(edited.lastIndex { $0 != 10 })
    edited[place] = edited[place] == UInt8(ascii: "x") ? UInt8(ascii: "y") : UInt8(ascii: "x")
    try reader.rewrite(message, edited)
    try scenario.client.expunge([7], in: "INBOX")
    let outcome = try scenario.pull()
    #expect(outcome.errorText.contains("edited here"), "\(outcome.summary)")
    #expect(try scenario.local("m6@")?.raw == edited)
    try scenario.expectQuiet()
  }

  @Test func `a renamed mailbox takes its local changes along`() throws {
    let scenario = try Scenario()
    try scenario.client.create("Work")
    try scenario.append((0..<6).map { "w\($0)" }, to: "Work")
    try scenario.pull()
    let reader = Reader(scenario.mirror)
    try reader.setFlags(#require(try scenario.local("w0@")), "F")
    try reader.setKeywords(#require(try scenario.local("w1@")), ["mine"])
    try reader.remove(#require(try scenario.local("w2@")))
    try reader.move(#require(try scenario.local("w3@")), to: "Archive")
    try scenario.client.rename("Work", to: "Projects")
    try scenario.pull()
    let tree = try scenario.mirror.tree()
    #expect(
      tree.message(with: "w0@")?.flags == "F" && tree.message(with: "w0@")?.folder == "Projects")
    #expect(tree.message(with: "w1@")?.keywords() == ["mine"])
    #expect(tree.message(with: "w2@") == nil)
    #expect(tree.message(with: "w3@")?.folder == "Archive" && tree.count(of: "w3@") == 1)
    #expect(scenario.bodyFetches == [])
    try scenario.expectQuiet()
  }
}
