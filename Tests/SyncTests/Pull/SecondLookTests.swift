import Foundation
import MailTestKit
import SyncPlan
import Testing

/// Servers whose back ends are out of step.
struct SecondLookTests {
  private func stage() throws -> Stage {
    var domino = ServerDialect(capabilities: ["UIDPLUS", "MOVE"])
    domino.greeting = "* OK Domino IMAP4 Server Release 9.0 ready"
    return try Stage(domino)
  }

  @Test func `two-looks: what one list leaves out and the next one shows stays`() throws {
    let stage = try stage()
    let all = try #require(stage.account["INBOX"])
    for _ in 0..<3 {
      stage.account.change("INBOX") { $0.messages.removeFirst(2) }
      stage.pull()
      #expect(try stage.folders(of: "m0") == ["INBOX"])
      stage.account["INBOX"] = all
      stage.pull()
      stage.account["INBOX"] = all
    }
    stage.forget()
    try stage.expectSettled()
    #expect(stage.bodyFetches == [])
  }

  @Test func `two-looks: what two lists leave out goes`() throws {
    let stage = try stage()
    try stage.expungeThere("m0")
    stage.pull()
    #expect(try stage.folders(of: "m0") == ["INBOX"])
    // Another one meanwhile: its own two looks begin with this one.
    try stage.expungeThere("m1")
    stage.pull()
    #expect(try stage.folders(of: "m0") == [] && stage.folders(of: "m1") == ["INBOX"])
    stage.pull()
    #expect(try stage.folders(of: "m1") == [])
    try stage.expectSettled()
  }

  @Test func `the second look comes some minutes after the first`() throws {
    let stage = try stage()
    stage.lag = 900
    stage.reopen()
    try stage.expungeThere("m0")
    for _ in 0..<3 { stage.pull() }
    #expect(try stage.folders(of: "m0") == ["INBOX"])
    stage.pull(0, PullOptions(allowsMassDelete: true))
    #expect(try stage.folders(of: "m0") == [], "unless a person says so")
  }

  @Test func `what is done here to a message that was missed once is no loss`() throws {
    let stage = try stage()
    let all = try #require(stage.account["INBOX"])
    stage.account.change("INBOX") { $0.messages.removeFirst(1) }
    stage.pull()
    try stage.setFlags("m0", "F")
    stage.push(nil)
    stage.account["INBOX"] = all
    stage.pull()
    stage.push(nil, PushOptions(full: true))
    stage.pull()
    #expect(stage.flags("m0").contains("\\Flagged"))
    #expect(try stage.folders(of: "m0") == ["INBOX"])
  }

  @Test func `a tree whose state is lost loses nothing at the second look`() throws {
    let stage = try stage()
    stage.reopen()
    let control = stage.path + "/.mirror"
    for name in try FileManager.default.contentsOfDirectory(atPath: control)
    where name.hasPrefix("state.db") {
      try FileManager.default.removeItem(atPath: control + "/" + name)
    }
    try stage.expungeThere("m0")
    for _ in 0..<3 { stage.pull(nil) }
    #expect(try stage.folders(of: "m0") == ["INBOX"])
    stage.push()
    #expect(stage.places("m0") == ["INBOX"])
    try stage.expectSettled()
  }
}
