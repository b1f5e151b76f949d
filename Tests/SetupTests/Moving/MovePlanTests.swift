import MailCore
import Maildir
import Settings
import Testing

@testable import Setup

@Suite struct MovePlanTests {
  private let lab: MoveLab
  private var home: String { lab.path + "/Mail/personal" }

  init() throws { lab = try MoveLab() }

  private func tree(
    _ directory: String, inbox: String? = nil, style: FolderStyle = .guessed
  ) -> PeerTree {
    PeerTree(
      name: "t", path: lab.path + "/" + directory, inbox: inbox.map { lab.path + "/" + $0 },
      style: style)
  }

  private func places(_ plan: MovePlan) -> [String] {
    plan.folders.map { "\($0.mailbox.text) \($0.target.text)\($0.stays ? " stays" : "")" }.sorted()
  }

  @Test func `what lies where the layout has it stays`() throws {
    try lab.folders("Mail/personal/INBOX", "Mail/personal/Archive/2024")
    let plan = try lab.plan(tree("Mail/personal", inbox: "Mail/personal/INBOX"))
    #expect(places(plan) == ["Archive/2024 Archive/2024 stays", "INBOX INBOX stays"])
    #expect(plan.leftOut == [])
  }

  @Test func `a tree that lies elsewhere goes to where the layout has it`() throws {
    try lab.folders("old", "old/.Archive.2024", "old/..sub", "old/.Entw&APw-rfe")
    let plan = try lab.plan(tree("old", inbox: "old", style: .maildirPlusPlus))
    #expect(
      places(plan) == [
        "Archive/2024 Archive/2024", "Entwürfe Entwürfe", "INBOX INBOX", "INBOX/sub INBOX/sub",
      ])
    let other = try lab.plan(
      tree("old", inbox: "old", style: .maildirPlusPlus), layout: .maildirPlusPlus)
    #expect(
      places(other) == [
        "Archive/2024 .Archive.2024", "Entwürfe .Entwürfe", "INBOX ", "INBOX/sub .INBOX.sub",
      ])
  }

  @Test func `an INBOX outside of the tree, and our own accounts inside of it`() throws {
    try lab.folders("Mail/Lists", "in", "in/sub", "Mail/personal/INBOX")
    let plan = try lab.plan(tree("Mail", inbox: "in", style: .verbatim))
    #expect(places(plan) == ["INBOX INBOX", "INBOX/sub INBOX/sub", "Lists Lists"])
  }

  @Test func `the account's own directory in another layout is told, with the layout that fits`()
    throws
  {
    try lab.folders("Mail/personal", "Mail/personal/.Archive")
    let error = #expect(throws: MovingError.self) {
      try lab.plan(tree("Mail/personal", style: .maildirPlusPlus))
    }
    guard case .misfit(_, home, _, fitting: "maildir++")? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let fits = try lab.plan(
      tree("Mail/personal", style: .maildirPlusPlus), layout: .maildirPlusPlus)
    #expect(places(fits) == ["Archive .Archive stays", "INBOX  stays"])
    #expect(try lab.plan(tree("Mail/personal"), isOurs: true).folders.allSatisfy(\.stays))
  }

  @Test func `an INBOX of another spelling would be a second one`() throws {
    try lab.folders("Mail/personal/Inbox", "Mail/personal/Archive")
    #expect(throws: MovingError.self) { try lab.plan(tree("Mail/personal")) }
    // One other folder that does not fit is left out by itself.
    let more = try MoveLab()
    try more.folders("Mail/personal/INBOX", "Mail/personal/R%D")
    let plan = try more.plan(PeerTree(name: "t", path: more.path + "/Mail/personal"))
    #expect(plan.folders.count == 1 && plan.leftOut.count == 1 && plan.leftOut[0].isProblem)
  }

  @Test func `folders of no channel are left out and named, unless the user maps them`() throws {
    try lab.folders("old/INBOX", "old/Local", "old/Other")
    var old = tree("old", style: .verbatim)
    old.mapping.rules = [.init(folder: "INBOX", mailbox: "INBOX")]
    old.mapping.othersRules = [.init(folder: "Other", mailbox: "INBOX")]
    let plan = try lab.plan(old)
    #expect(places(plan) == ["INBOX INBOX"])
    #expect(plan.leftOut.map(\.subject) == [lab.path + "/old/Local"])
    #expect(plan.leftOut.allSatisfy { !$0.isProblem && $0.reason.contains("--map 'Local=") })
    old.mapping.said = [.init(folder: "Local", mailbox: "Archive/Local")]
    let said = try lab.plan(old)
    #expect(places(said) == ["Archive/Local Archive/Local", "INBOX INBOX"])
  }
}
