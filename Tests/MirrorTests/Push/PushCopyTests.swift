import MailTestKit
import Testing

/// A file copied to another folder: the server copies its message, and no body goes over the wire.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct PushCopyTests {
  @Test(arguments: LaterPullTests.ways)
  func `copies on a real server, as cp and as a mail reader makes them`(
    options: DovecotServer.Options
  ) throws {
    let scenario = try Scenario(options)
    try scenario.client.create("Work")
    try scenario.append(["m0", "m1", "m2"])
    try scenario.client.store([2], "+FLAGS", ["\\Seen", "topic"], in: "INBOX")
    try scenario.pull()
    let reader = Reader(scenario.mirror)
    let plain = try #require(try scenario.local("m0@"))
    try reader.deliver(plain.raw, name: "17.1_cp.host", to: "Work", flags: plain.flags)
    let marked = try #require(try scenario.local("m1@"))
    let text = String(decoding: marked.content(), as: UTF8.self)
    try reader.deliver(
      Array(
        text.replacing("\n\n", with: "\nContent-Length: 9\nStatus: RO\n\n", maxReplacements: 1).utf8
      ), name: "17.2_saved.host", to: "Work", flags: "FS")
    try scenario.push()
    #expect(scenario.appends == [] && scenario.proxy.commands(named: ["COPY"]).count == 1)
    #expect(try scenario.places("m0").sorted() == ["INBOX", "Work"])
    let copy = try #require(try scenario.remote("m1", in: "Work"))
    // The keyword was not saved along: a copy has marks of its own.
    #expect(copy.flags.subtracting(["\\Recent"]) == ["\\Seen", "\\Flagged"])
    #expect(try scenario.remote("m1", in: "INBOX")?.flags.contains("topic") == true)
    try scenario.push()
    #expect(scenario.proxy.changingCommands == [])
    try scenario.pull()
    #expect(scenario.bodyFetches == [])
    #expect(try scenario.mirror.tree().count(of: "m1@") == 2)
  }
}
