import CLISupport
import Foundation
import IMAPWire
import MailCore
import Settings
import Testing

@testable import MirrorCLI

@Suite struct DoctorTests {
  private let account = AccountSettings(
    name: "me", imap: ServerSettings(host: "localhost", port: 993, user: "me", secret: .none))

  private func temporary() throws -> String {
    let path = NSTemporaryDirectory() + "/doctor-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  private func abilities(_ words: String, _ quirks: Set<Quirk> = []) -> [Finding] {
    let capabilities = CapabilitySet(words.split(separator: " ").map(String.init))
    return ServerAbilities(
      capabilities: capabilities.without(quirks), quirks: quirks, server: "exchange"
    ).findings()
  }

  @Test func `a server without extensions is told what that costs`() {
    let findings = abilities("IMAP4rev1")
    #expect(
      findings.filter { $0.state == .notice }.map(\.check) == ["changes", "discovery", "changing"])
    let modern = abilities("IMAP4rev1 QRESYNC CONDSTORE LIST-STATUS UIDPLUS MOVE")
    #expect(modern.allSatisfy { $0.state == .fine })
  }

  @Test func `a quirk takes its extension away, and is named`() {
    let findings = abilities("IMAP4rev1 QRESYNC CONDSTORE", [.brokenQresync])
    #expect(findings.first?.words.hasPrefix("CONDSTORE") == true)
    let words = findings.suffix(2).map(\.words)
    #expect(words.first == "exchange")
    #expect(words.last?.hasPrefix("broken-qresync: its QRESYNC does not work") == true)
  }

  @Test func `a server is called by its kind, and by its own name where that says more`() {
    #expect(ServerAbilities.name([.dovecot], "Dovecot") == "Dovecot")
    #expect(
      ServerAbilities.name([.cyrus, .fastmail], "Cyrus IMAP") == "Cyrus, Fastmail, Cyrus IMAP")
    #expect(ServerAbilities.name([], "Nobody's") == "Nobody's")
    #expect(ServerAbilities.name([], nil) == "")
  }

  private func listing(_ name: String, _ use: SpecialUse? = nil) -> MailboxListing {
    var listing = MailboxListing(
      name: MailboxName(name, delimiter: "/"), rawName: Array(name.utf8), delimiter: "/")
    listing.specialUse = use.map { [$0] } ?? []
    return listing
  }

  @Test func `patterns that match nothing are told`() {
    var account = account
    account.sync.folders = FolderPatterns(["*", "!Jnuk"])
    let listings = [listing("INBOX"), listing("Junk", .junk), listing("Trash", .trash)]
    let findings = MailboxExamination(account: account, listings: listings).findings()
    #expect(findings.map(\.state) == [.fine, .fine, .notice])
    #expect(findings.last?.words == "no mailbox matches \"!Jnuk\".")
  }

  @Test func `patterns that leave nothing are wrong`() {
    var account = account
    account.sync.folders = FolderPatterns(["Archive/*"])
    let findings = MailboxExamination(account: account, listings: [listing("INBOX")]).findings()
    #expect(findings.first?.state == .wrong)
    #expect(findings.first?.exitStatus == ExitStatus.configuration.rawValue)
  }

  @Test func `the tree's state and other tools' leftovers are found`() throws {
    let directory = try temporary()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let files = FileManager.default
    #expect(TreeExamination(directory: directory + "/none").findings().map(\.state) == [.notice])
    for path in [".mirror", "INBOX/cur", "Archive/2024/new"] {
      try files.createDirectory(
        atPath: directory + "/" + path, withIntermediateDirectories: true)
    }
    try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory + "/.mirror")
    #expect(
      TreeExamination(directory: directory).findings().map(\.check) == ["permissions", "state"])
    let database = Data("SQLite format 3\0 and more".utf8)
    try database.write(to: URL(fileURLWithPath: directory + "/.mirror/state.db"))
    try database.write(to: URL(fileURLWithPath: directory + "/.mirror/state.backup.db"))
    try Data().write(to: URL(fileURLWithPath: directory + "/Archive/2024/.mbsyncstate"))
    let findings = TreeExamination(directory: directory, health: { _ in .sound }).findings()
    #expect(findings.map(\.state) == [.fine, .fine, .notice])
    #expect(findings.last?.words == "Archive/2024/.mbsyncstate was left by mbsync.")
    try Data("torn".utf8).write(to: URL(fileURLWithPath: directory + "/.mirror/state.db"))
    #expect(
      TreeExamination(directory: directory).findings().map(\.state) == [.fine, .wrong, .notice])
  }

  @Test func `the machine's findings cover configuration, clock, tree and disk`() throws {
    let root = try temporary()
    defer { try? FileManager.default.removeItem(atPath: root) }
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: root)
    let configuration = Configuration(path: "/nowhere", root: root, accounts: [account])
    let environment = ["HOME": root + "/home"]
    let checks = MachineExamination(configuration: configuration, environment: environment)
      .findings().map(\.check)
    #expect(checks == ["configuration", "clock", "tree", "disk-space", "index"])
    var file = configuration
    file.root = root + "/file"
    try Data().write(to: URL(fileURLWithPath: file.root))
    let tree = MachineExamination(configuration: file).findings().first { $0.check == "tree" }
    #expect(tree?.state == .wrong)
  }

  @Test func `a configuration that others can write is wrong`() throws {
    let root = try temporary()
    defer { try? FileManager.default.removeItem(atPath: root) }
    let path = root + "/config.toml"
    try Data().write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o620], ofItemAtPath: path)
    let configuration = Configuration(path: path, root: root, accounts: [account])
    let finding = MachineExamination(configuration: configuration).findings().first
    #expect(finding?.state == .wrong && finding?.exitStatus == ExitStatus.refused.rawValue)
    #expect(finding?.remedy == "chmod go-w '\(path)'")
  }

  @Test func `a certificate is praised until it has two weeks left`() {
    let way = ConnectionExamination(server: account.imap, prefix: "smtp-")
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    func tls(days: Int64) -> Finding {
      way.tls("TLSv1.3, X", issuer: "CN=Y", expires: 1_800_000_100 + days * 86_400, now: now)
    }
    #expect(
      tls(days: 71)
        == .fine("smtp-tls", "TLSv1.3, X, certificate by CN=Y good for 71 days"))
    #expect(tls(days: 14).state == .fine)
    #expect(tls(days: 13).state == .notice)
    #expect(way.tls("TLSv1.2, X", issuer: nil, expires: nil) == .fine("smtp-tls", "TLSv1.2, X"))
  }

  @Test func `a trash that the server does not name is known by its name`() {
    func special(_ names: String...) -> [Finding] {
      MailboxExamination(account: account, listings: names.map { listing($0) }).findings()
        .filter { $0.check == "special-use" }
    }
    #expect(special("INBOX", "Deleted Items").map(\.state) == [.notice])
    #expect(special("INBOX", "Deleted Items").first?.words.contains("Deleted Items counts") == true)
    #expect(special("INBOX").first?.words == "the server has no mailbox for trash.")
  }

  @Test func `who sends is told that copies have no place`() {
    var account = account
    account.smtp = account.imap
    func notices(_ names: String...) -> [String] {
      let listings = [listing("Trash", .trash)] + names.map { listing($0) }
      return MailboxExamination(account: account, listings: listings).findings()
        .filter { $0.state == .notice }.map(\.words)
    }
    #expect(notices("Sent Items") == [])
    #expect(notices("INBOX") == ["the server has no mailbox for copies of sent mail."])
    account.smtp?.sentCopy = .server
    #expect(notices("INBOX") == [])
  }

  @Test func `every key stands in every object`() throws {
    let text = try JSONText.encode([Finding.fine("clock", "plausible")], pretty: false)
    #expect(
      text
        == #"[{"account":null,"check":"clock","exit_status":0,"remedy":null,"state":"fine","words":"plausible"}]"#
        + "\n")
  }

  @Test func `a finding prints on one line, with nothing that drives the terminal`() throws {
    let output = MemoryStream()
    let report = Report(
      program: "mirror", options: try CommonOptions.parse([]),
      console: Console(output: output, errors: MemoryStream()), environment: [:])
    var finding = Finding.wrong("log-in", "the server said \u{1B}[2J\n.", "Try\r again.")
    finding.account = "me"
    report.show(finding)
    #expect(
      output.text == "wrong   me log-in: the server said \\u{1b}[2J\\u{a}. Try\\u{d} again.\n")
  }
}
