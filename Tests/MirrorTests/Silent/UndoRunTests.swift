import Foundation
import MailTestKit
import Testing

/// `mirror undo` goes back more than one step, and tells what it can take back.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct UndoRunTests {
  private func scenario() throws -> Scenario {
    let scenario = try Scenario()
    for mailbox in ["Archive", "Trash"] { try scenario.client.create(mailbox) }
    try scenario.append(["m0", "m1"])
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    try scenario.mirror.sort("flag", "+flagged", SampleMessage.query("m0"))
    try scenario.mirror.sort("move", "Archive", SampleMessage.query("m0"))
    try scenario.mirror.sort("flag", "+seen", SampleMessage.query("m1"))
    return scenario
  }

  @Test func `step by step`() throws {
    let scenario = try scenario()
    let list = try scenario.mirror.sort("undo", "--list").outputText.split(separator: "\n")
    #expect(list.count == 3)
    #expect(list.first?.contains("mirror flag +seen") == true)
    #expect(list.last?.contains("mirror flag +flagged") == true)
    try scenario.mirror.sort("undo")
    #expect(try scenario.local("m1@")?.flags == "")
    try scenario.mirror.sort("undo")
    #expect(try scenario.local("m0@")?.folder == "INBOX")
    try scenario.mirror.sort("undo")
    #expect(try scenario.local("m0@")?.flags == "")
    try scenario.mirror.sort("undo", status: 1)
    #expect(try scenario.mirror.sort("undo", "--list").outputText == "")
  }

  @Test func `many at once, and no more than there are`() throws {
    let scenario = try scenario()
    try scenario.mirror.sort("undo", "2")
    #expect(try scenario.local("m1@")?.flags == "")
    #expect(try scenario.local("m0@")?.folder == "INBOX")
    #expect(try scenario.local("m0@")?.flags == "F")
    let rest = try scenario.mirror.sort("undo", "5", status: 1)
    #expect(rest.errorText.contains("no more than 1 change"), "\(rest.summary)")
    #expect(try scenario.local("m0@")?.flags == "")
    try scenario.push()
    #expect(scenario.proxy.changingCommands == [])
    try scenario.mirror.sort("undo", "0", status: 64)
  }

  @Test func `a change that was pushed is passed over by the next undo`() throws {
    let scenario = try scenario()
    try scenario.push()
    try scenario.mirror.sort("flag", "+answered", SampleMessage.query("m1"))
    let list = try scenario.mirror.sort("undo", "--list", "--format", "json")
    let document = try JSONSerialization.jsonObject(with: Data(list.output))
    #expect((document as? [[String: Any]])?.map { $0["number"] as? Int } == [1, 2, 3, 4])
    try scenario.mirror.sort("undo")
    #expect(try scenario.local("m1@")?.flags == "S")
    #expect(try scenario.mirror.sort("undo", status: 1).errorText.contains("pushed already"))
    try scenario.expectSettled()
  }
}
