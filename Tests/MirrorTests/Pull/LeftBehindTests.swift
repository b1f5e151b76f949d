import MailTestKit
import Testing

/// Without UIDPLUS a message that was moved on stays where it was, marked \Deleted. A state that is lost then must not
/// take the mark to the copies that live.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct LeftBehindTests {
  /// `IMAP4rev1` and nothing beyond it.
  private static let old = DovecotServer.Options(without: [
    "SASL-IR", "LOGIN-REFERRALS", "ID", "ENABLE", "IDLE", "SORT", "SORT=DISPLAY",
    "THREAD=REFERENCES", "THREAD=REFS", "THREAD=ORDEREDSUBJECT", "MULTIAPPEND", "URL-PARTIAL",
    "CATENATE", "UNSELECT", "CHILDREN", "NAMESPACE", "UIDPLUS", "LIST-EXTENDED", "I18NLEVEL=1",
    "CONDSTORE", "QRESYNC", "ESEARCH", "ESORT", "SEARCHRES", "WITHIN", "CONTEXT=SEARCH",
    "LIST-STATUS", "BINARY", "MOVE", "SNIPPET=FUZZY", "PREVIEW=FUZZY", "PREVIEW", "STATUS=SIZE",
    "SAVEDATE", "LITERAL+", "NOTIFY", "SPECIAL-USE",
  ])

  private func flags(_ token: String, in mailbox: String, _ scenario: Scenario) throws -> Set<
    String
  > {
    try #require(try scenario.remote(token, in: mailbox)).flags.subtracting(["\\Recent"])
  }

  @Test(arguments: [old, DovecotServer.Options(without: ["MOVE", "UIDPLUS"])])
  func `a lost state marks no copy that lives`(options: DovecotServer.Options) throws {
    let scenario = try Scenario(options)
    let reader = Reader(scenario.mirror)
    try scenario.client.create("work")
    try scenario.append(["m0", "m1", "m2"])
    try scenario.pull()
    try reader.move(#require(try scenario.local("m0@")), to: "work")
    try reader.remove(#require(try scenario.local("m1@")))
    try scenario.push()
    try scenario.pull()
    #expect(try flags("m0", in: "INBOX", scenario) == ["\\Deleted"])
    removeTree(scenario.mirror.account + "/.mirror")
    try scenario.pull()
    #expect(try scenario.local("m0@", in: "work")?.flags == "")
    #expect(try scenario.local("m0@", in: "INBOX")?.flags == "T", "as any pull has it")
    try scenario.push()
    #expect(scenario.proxy.changingCommands == [])
    #expect(try flags("m0", in: "work", scenario) == [])
    #expect(try flags("m1", in: "Trash", scenario) == [])
    try scenario.expectSettled()
  }

  @Test func `a mark that only the file has goes to no message by adoption`() throws {
    let scenario = try Scenario()
    let reader = Reader(scenario.mirror)
    try scenario.append(["m0", "m1"])
    try scenario.pull()
    try reader.setFlags(#require(try scenario.local("m0@")), "FT")
    try scenario.client.store([2], "+FLAGS", ["\\Deleted"], in: "INBOX")
    removeTree(scenario.mirror.account + "/.mirror")
    try scenario.pull()
    #expect(scenario.bodyFetches == [])
    #expect(try scenario.local("m0@")?.flags == "F")
    #expect(try scenario.local("m1@")?.flags == "T", "the server's word")
    try scenario.push()
    #expect(try flags("m0", in: "INBOX", scenario) == ["\\Flagged"])
    #expect(try flags("m1", in: "INBOX", scenario) == ["\\Deleted"])
    try scenario.expectSettled()
  }
}
