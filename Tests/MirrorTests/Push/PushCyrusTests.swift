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

  @Test func `what a colleague's mailbox does not allow is said, kept, and not asked for again`()
    throws
  {
    let server = try CyrusServer.shared()
    let owner = try Scenario(cyrus: server)
    let team = try fullName("Team", owner)
    let scenario = try Scenario(cyrus: server)
    try owner.client.create(team)
    try owner.append((0..<4).map { "t\($0)" }, to: team)
    func allow(_ rights: String) throws {
      try owner.client.command("SETACL \"\(team)\" \(scenario.user) \(rights)")
    }
    try allow("lrs")
    try scenario.pull()
    let folder = try #require(try scenario.mirror.tree().folders.first { $0.hasSuffix("Team") })
    #expect(try scenario.mirror.tree()[folder].count == 4)
    let reader = Reader(scenario.mirror)
    try reader.setFlags(#require(try scenario.local("t0@")), "F")
    try reader.setFlags(#require(try scenario.local("t1@")), "S")
    try reader.remove(#require(try scenario.local("t2@")))
    try reader.deliver(
      SampleMessage(token: "fresh").bytes.filter { $0 != 13 }, name: "17.1_3.host", to: folder)
    let outcome = try scenario.push(1)
    #expect(outcome.errorText.contains("no right"), "\(outcome.errorText)")
    #expect(outcome.errorText.contains("“lrs"), "\(outcome.errorText)")
    #expect(scenario.proxy.changingCommands.count == 1, "\(scenario.proxy.changingCommands)")
    #expect(scenario.proxy.commands(named: ["MYRIGHTS"]).count == 1)
    try scenario.push(1)
    #expect(scenario.proxy.changingCommands == [])
    #expect(try owner.places("t2") == [team] && owner.places("fresh") == [])
    #expect(try scenario.local("t0@")?.flags.contains("F") == true)
    #expect(try scenario.local("fresh@") != nil)

    try allow("lrswited")
    try scenario.push(0, "--full")
    #expect(try owner.remote("t0", in: team)?.flags.contains("\\Flagged") == true)
    #expect(try owner.places("t2") == [])
    #expect(try owner.places("fresh") == [team])
    try scenario.pull()
    try scenario.expectSettled()
  }

  private func fullName(_ name: String, _ scenario: Scenario) throws -> String {
    let spaces = try scenario.client.command("NAMESPACE").first?.dropFirst().first?.list
    let prefix = spaces?.first?.list?.first?.text ?? ""
    return prefix + name
  }
}
