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
    #expect(scenario.bodyFetches == [], "both were here")
    // Their keywords and flags are a person's, so only the number is the server's.
    #expect(
      try scenario.mirror.tree()["INBOX"].count == scenario.client.uids(in: "INBOX").count)
    let verified = try scenario.mirror.run(["verify"])
    #expect(!(verified.outputText + verified.errorText).contains("repeat"), "\(verified.summary)")
  }
}
