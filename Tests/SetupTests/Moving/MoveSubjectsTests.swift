import MailCore
import Settings
import Testing

@testable import Setup

@Suite struct MoveSubjectsTests {
  private let lab: MoveLab
  private let accounts = [
    MoveLab.account("personal", user: "alice@example.org"),
    MoveLab.account("studio", user: "alice@company.example", host: "imap.company.example"),
  ]

  init() throws { lab = try MoveLab() }

  private func subjects(
    _ configured: [PeerTree] = [], in directory: String? = nil, account: String? = nil,
    tool: PeerTool = .mbsync, accounts: [AccountSettings]? = nil
  ) throws -> [String] {
    try MoveSubjects(
      tool, configured: configured, directory: directory.map { lab.path + "/" + $0 },
      account: account, accounts: accounts ?? self.accounts
    ).subjects.map { "\($0.account.name) \($0.tree.path.dropFirst(lab.path.count))" }
  }

  private func tree(_ directory: String, user: String?, host: String? = nil) -> PeerTree {
    PeerTree(
      name: "t", path: lab.path + "/" + directory,
      server: PeerServer(host: host, user: user))
  }

  @Test func `a tree belongs to the account of its user, and of its host where users are alike`()
    throws
  {
    let trees = [
      tree("a", user: "alice@company.example"), tree("b", user: "Alice@Example.org"),
    ]
    #expect(try subjects(trees) == ["studio /a", "personal /b"])
    let twins = [
      MoveLab.account("one", user: "alice", host: "one.example"),
      MoveLab.account("two", user: "alice", host: "two.example"),
    ]
    #expect(
      try subjects([tree("a", user: "alice", host: "TWO.example")], accounts: twins) == ["two /a"])
    #expect(throws: MovingError.self) {
      try subjects([tree("a", user: "alice", host: "three.example")], accounts: twins)
    }
    #expect(
      try subjects([tree("a", user: nil, host: "two.example")], accounts: twins) == ["two /a"])
  }

  @Test func `what belongs to nobody is no single account's either`() throws {
    let mine = [accounts[0]]
    #expect(throws: MovingError.self) {
      try subjects([tree("a", user: "bob@example.org")], accounts: mine)
    }
    #expect(
      try subjects([tree("a", user: "bob@example.org")], account: "personal") == ["personal /a"])
    #expect(throws: MovingError.noSuchAccount("x", known: ["personal", "studio"])) {
      try subjects([tree("a", user: nil)], account: "x")
    }
  }

  @Test func `the directory chooses among the trees of the configuration`() throws {
    try lab.folders("all/one/INBOX", "all/two/INBOX")
    let trees = [
      tree("all/one", user: "alice@example.org"), tree("all/two", user: "alice@company.example"),
    ]
    #expect(try subjects(trees, in: "all").count == 2)
    #expect(try subjects(trees, in: "all/two") == ["studio /all/two"])
    #expect(try subjects(trees, in: "all", account: "studio") == ["studio /all/two"])
    // Not told of by the configuration.
    try lab.folders("other/INBOX")
    #expect(try subjects(trees, in: "other", account: "studio") == ["studio /other"])
  }

  @Test func `without a configuration the directories tell`() throws {
    try lab.folders(
      "Mail/personal/INBOX", "Mail/studio/Inbox", "Mail/studio/Archive", "single/INBOX")
    #expect(
      try subjects(in: "Mail", tool: .notmuch) == [
        "personal /Mail/personal", "studio /Mail/studio",
      ])
    #expect(try subjects(in: "Mail/studio", tool: .mu) == ["studio /Mail/studio"])
    #expect(try subjects(in: "single", accounts: [accounts[0]]) == ["personal /single"])
    #expect(throws: MovingError.self) { try subjects(in: "single") }
    try lab.folders("none/x/cur")
    #expect(throws: MovingError.noDirectory(lab.path + "/nowhere")) { try subjects(in: "nowhere") }
    #expect(throws: MovingError.directoryNeeded(.mu)) { try subjects(tool: .mu) }
  }

  @Test func `offlineimap's own separator is known where no folder is nested`() throws {
    try lab.folders("flat/INBOX", "flat/Archive.2024", "deep/INBOX", "deep/Archive/20.24")
    func style(_ name: String) throws -> FolderStyle? {
      try MoveSubjects(
        .offlineimap, configured: [], directory: lab.path + "/" + name, account: "studio",
        accounts: accounts
      ).subjects.first?.tree.style
    }
    #expect(try style("flat") == .joined("."))
    #expect(try style("deep") == .guessed)
  }
}
