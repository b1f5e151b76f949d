import Foundation
import MailTestKit
import Testing

/// The same against Cyrus: its mailboxes below INBOX, its VANISHED, its own mind about flags.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasCyrus)) struct PushCyrusTests {
  @Test func `every kind of change reaches Cyrus`() throws {
    let server = try CyrusServer.shared()
    let scenario = try Scenario(cyrus: server)
    try scenario.client.create(fullName("Work", scenario))
    try scenario.append((0..<8).map { "m\($0)" })
    try scenario.pull()
    let reader = Reader(scenario.mirror)
    let work = try #require(
      try scenario.mirror.tree().folders.first { $0.hasSuffix("Work") })
    try reader.setFlags(#require(try scenario.local("m0@")), "FS")
    try reader.setKeywords(#require(try scenario.local("m1@")), ["topic"])
    try reader.move(#require(try scenario.local("m2@")), to: work)
    try reader.remove(#require(try scenario.local("m3@")))
    try reader.deliver(
      SampleMessage(token: "fresh").bytes.filter { $0 != 13 }, name: "17.1_2.host", to: work)
    try scenario.push()
    #expect(try scenario.remote("m0", in: "INBOX")?.flags.contains("\\Flagged") == true)
    #expect(try scenario.remote("m1", in: "INBOX")?.flags.contains("topic") == true)
    #expect(try scenario.places("m2").map { $0.hasSuffix("Work") } == [true])
    #expect(try scenario.places("m3").map { $0.hasSuffix("Trash") } == [true])
    #expect(try scenario.places("fresh").map { $0.hasSuffix("Work") } == [true])
    try scenario.pull()
    try scenario.expectSettled()
  }

  private func fullName(_ name: String, _ scenario: Scenario) throws -> String {
    let spaces = try scenario.client.command("NAMESPACE").first?.dropFirst().first?.list
    let prefix = spaces?.first?.list?.first?.text ?? ""
    return prefix + name
  }
}
