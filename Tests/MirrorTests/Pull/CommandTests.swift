import Foundation
import MailTestKit
import Testing

/// The other verbs that this program has, as scripts see them.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct CommandTests {
  private func pulled() throws -> Scenario {
    let scenario = try Scenario()
    try scenario.append(["one", "two", "three"])
    try scenario.pull()
    return scenario
  }

  @Test func `status is one JSON document with an object per account`() throws {
    let scenario = try pulled()
    try Reader(scenario.mirror).setFlags(#require(try scenario.local("one@")), "F")
    let outcome = try scenario.mirror.run(["status", "--format", "json"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    let document = try JSONSerialization.jsonObject(with: Data(outcome.output))
    #expect(outcome.outputText.contains("personal"))
    #expect(document is [String: Any] || document is [Any])
  }

  @Test func `verify finds nothing wrong with a fresh tree, and changes nothing`() throws {
    let scenario = try pulled()
    let before = TreeSnapshot(scenario.mirror.account, leavingOut: Scenario.isBookkeeping)
    let outcome = try scenario.mirror.run(["verify"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    let after = TreeSnapshot(scenario.mirror.account, leavingOut: Scenario.isBookkeeping)
    #expect(before.changes(to: after) == [])
    #expect(scenario.proxy.changingCommands == [])
  }

  @Test func `verify names what is wrong`() throws {
    let scenario = try pulled()
    let message = try #require(try scenario.local("two@"))
    var bytes = message.raw
    bytes[bytes.count - 3] ^= 1
    try writeFile("\(scenario.mirror.account)/\(message.path)", bytes)
    let outcome = try scenario.mirror.run(["verify"])
    #expect(outcome.status != 0 && outcome.status != nil, "\(outcome.summary)")
    #expect((outcome.outputText + outcome.errorText).contains(message.base), "\(outcome.summary)")
  }

  @Test func `doctor is content with a sound set-up and not with a wrong password`() throws {
    let scenario = try pulled()
    let sound = try scenario.mirror.run(["doctor"])
    #expect(sound.status == 0, "\(sound.summary)")
    try scenario.mirror.configure { $0.password = "wrong" }
    let wrong = try scenario.mirror.run(["doctor"])
    #expect(wrong.status == 77, "\(wrong.summary)")
  }

  @Test func `pull speaks JSON`() throws {
    let scenario = try pulled()
    try scenario.append(["four"])
    let outcome = try scenario.mirror.run(["pull", "--no-index", "--format", "json"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(outcome.output)) }
  }

  @Test func `quiet says nothing`() throws {
    let scenario = try pulled()
    let outcome = try scenario.mirror.run(["pull", "--no-index", "-q"])
    #expect(
      outcome.status == 0 && outcome.output == [] && outcome.errors == [], "\(outcome.summary)")
  }

  @Test func `the wire log shows commands and no password`() throws {
    let scenario = try pulled()
    try scenario.mirror.configure { $0.imap = "auth = \"login\"" }
    let outcome = try scenario.mirror.run(["-vv", "pull", "--no-index"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(outcome.errorText.contains("LIST"))
    #expect(!outcome.errorText.contains("\"pw\"") && !outcome.errorText.contains(" pw"))
  }

  @Test func `options may stand before the verb`() throws {
    let scenario = try pulled()
    let outcome = try scenario.mirror.run(
      ["--config", scenario.mirror.configuration, "pull", "--no-index"],
      more: ["MIRROR_CONFIG": "/nonexistent"])
    #expect(outcome.status == 0, "\(outcome.summary)")
  }

  @Test func `help starts quickly`() throws {
    let scenario = try pulled()
    let times = try (0..<5).map { _ in try scenario.mirror.run(["--help"]).seconds }
    #expect((times.min() ?? 1) < 0.1, "\(times)")
  }
}
