import Foundation
import MailTestKit
import Settings
import SyncPlan
import Testing

/// A draft edited here whose flags and keywords another client changed there: nothing of that goes with the old one.
struct DraftTests {
  private func dialect(_ name: String) -> ServerDialect {
    switch name {
    case "modern": .modern
    case "condstore": .condstore
    case "exchange": .exchange
    case "gmail": .gmail
    default: ServerDialect(capabilities: ["UIDPLUS"])
    }
  }

  private func drafting(_ name: String, flags: [String], keywords: KeywordStorage = .header) throws
    -> Stage
  {
    try Stage(
      dialect(name),
      more: { $0.change("Drafts") { $0.deliver(SampleMessage(token: "d0", flags: flags)) } },
      sync: { $0.keywords = keywords })
  }

  private func edit(_ stage: Stage) throws {
    let draft = try stage.local("d0")
    try stage.reader.rewrite(draft, draft.raw + Array("one more line\n".utf8))
  }

  /// What another client does.
  private func set(_ flags: Set<String>, _ stage: Stage) {
    stage.account.change("Drafts") { box in
      for message in box.messages { box.setFlags(message.uid, flags) }
    }
  }

  private func expectEdited(_ stage: Stage, location: SourceLocation = #_sourceLocation) {
    #expect(stage.places("d0") == ["Drafts"], sourceLocation: location)
    #expect(stage.count(of: "one more line", in: "Drafts") == 1, sourceLocation: location)
  }

  @Test(arguments: ["modern", "condstore", "uidplus", "exchange", "gmail"], [false, true])
  func `flags changed on both sides of an edited draft are merged`(name: String, isCutOff: Bool)
    throws
  {
    let stage = try drafting(name, flags: ["\\Draft", "\\Answered"])
    try edit(stage)
    try stage.setFlags("d0", "DRS")
    set(["\\Draft", "\\Flagged"], stage)
    if isCutOff { stage.killPush(at: "UID FETCH") }
    stage.push()
    expectEdited(stage)
    #expect(stage.flags("d0") == ["\\Draft", "\\Flagged", "\\Seen"])
    #expect(try stage.local("d0").flags == "DFS")
    try stage.expectSettled()
    #expect(stage.flags("d0") == ["\\Draft", "\\Flagged", "\\Seen"])
    #expect(try stage.local("d0").flags == "DFS")
  }

  @Test(arguments: ["modern", "condstore", "uidplus"], [false, true])
  func `keywords changed on both sides of an edited draft are merged`(
    name: String, isCutOff: Bool
  ) throws {
    let stage = try drafting(name, flags: ["\\Draft", "both", "gone"])
    try stage.reader.setKeywords(stage.local("d0"), ["both", "gone", "mine"])
    try edit(stage)
    set(["\\Draft", "both", "theirs"], stage)
    if isCutOff { stage.killPush(at: "APPEND") }
    stage.push()
    for _ in 0..<2 {
      expectEdited(stage)
      #expect(stage.flags("d0") == ["\\Draft", "both", "mine", "theirs"])
      #expect(try stage.local("d0").keywords().sorted() == ["both", "mine", "theirs"])
      try stage.expectSettled()
    }
  }

  @Test func `keywords in the file's name are merged, too`() throws {
    let stage = try drafting("modern", flags: ["\\Draft"], keywords: .dovecot)
    try edit(stage)
    set(["\\Draft", "theirs"], stage)
    stage.push()
    expectEdited(stage)
    #expect(stage.flags("d0") == ["\\Draft", "theirs"])
    #expect(try stage.local("d0").path.hasSuffix(":2,Da"))
    try stage.expectSettled()
    #expect(stage.flags("d0") == ["\\Draft", "theirs"])
  }

  /// The other client speaks of what it saw.
  @Test func `an edited draft is not marked deleted for the old one's sake`() throws {
    let stage = try drafting("modern", flags: ["\\Draft"])
    try edit(stage)
    set(["\\Draft", "\\Deleted", "\\Flagged"], stage)
    stage.push()
    expectEdited(stage)
    #expect(stage.flags("d0") == ["\\Draft", "\\Flagged"])
    #expect(try stage.local("d0").flags == "DF")
    try stage.expectSettled()
  }

  @Test func `one draft that is gone there is one`() throws {
    let stage = try drafting("modern", flags: ["\\Draft"])
    try edit(stage)
    stage.account.change("Drafts") { $0.expunge($0.messages[0].uid) }
    let outcome = stage.push()
    #expect(outcome.told.contains("1 draft that was edited here"), "\(outcome.told)")
    expectEdited(stage)
  }

  @Test func `a tree without keywords takes none off the draft that it replaces`() throws {
    let stage = try drafting("modern", flags: ["\\Draft", "kept"], keywords: .none)
    try edit(stage)
    set(["\\Draft", "kept", "added", "\\Flagged"], stage)
    stage.push()
    expectEdited(stage)
    #expect(stage.flags("d0") == ["\\Draft", "\\Flagged", "added", "kept"])
    try stage.expectSettled()
    #expect(stage.flags("d0") == ["\\Draft", "\\Flagged", "added", "kept"])
  }
}
