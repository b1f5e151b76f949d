import Foundation
import MailTestKit
import Testing

/// The same with servers as different as Debian has them: some have BINARY, some not; each describes messages in its way.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct StubServersTests {
  static let rows = MatrixRow.all.filter {
    ["Dovecot, sdbox", "Cyrus", "Courier", "pymap"].contains($0.name) && $0.isInstalled
  }

  /// An account with mail of all shapes, and a person's tree of it.
  private struct Stage {
    /// Courier takes a line that begins with a boundary for one: there the message with such a line is of another shape.
    static let mail = OnDemandMail.corpus().filter { !contains($0.bytes, Array("<like@".utf8)) }

    let row: MatrixRow
    let account: MatrixAccount
    let client: IMAPTestClient
    let mirror: MirrorProgram
    let proxy: TCPProxy

    init(_ row: MatrixRow) throws {
      self.row = row
      account = try row.start()
      client = try account.client()
      proxy = try TCPProxy(to: account.port)
      var settings = AccountSettings(port: proxy.port, user: account.user)
      settings.imap = account.imap
      settings.sync = "on-demand = \"20kB\"\ndeletions = \"expunge\"\n"
      mirror = try MirrorProgram(settings)
      if try !client.mailboxes().contains(archive) { try client.create(archive) }
      try client.append(Self.mail)
    }

    var archive: String { account.prefix + "Store" }
    var folder: String {
      archive.replacingOccurrences(of: String(account.separator), with: "/")
    }

    @discardableResult
    func run(_ arguments: String..., status: Int32 = 0, location: SourceLocation = #_sourceLocation)
      throws -> Outcome
    {
      proxy.forget()
      let outcome = try mirror.run(arguments, limit: 120)
      #expect(
        outcome.status == status, "\(row.name): \(outcome.summary)", sourceLocation: location)
      return outcome
    }

    func local(_ token: String, in folder: String? = nil) throws -> LocalMessage? {
      try mirror.tree().message(with: token, in: folder)
    }

    func expectMirrored(location: SourceLocation = #_sourceLocation) throws {
      var oracle = MaildirOracle()
      let separator = account.separator
      oracle.folder = { $0.replacingOccurrences(of: String(separator), with: "/") }
      let differences = try oracle.differences(mirror.tree(), client.state())
      #expect(differences == [], "\(row.name): \(differences)", sourceLocation: location)
    }
  }

  @Test(arguments: rows) func `parts stay there, are fetched alone, and come with a fill`(
    row: MatrixRow
  ) throws {
    let stage = try Stage(row)
    try stage.run("pull")
    let stubs = try stage.mirror.tree().messages.filter(\.isStub)
    // pymap counts line ends as one byte: what does not fit its own words comes whole.
    #expect(row.name == "pymap" ? stubs.isEmpty : stubs.count >= 9, "\(stubs.count)")
    #expect(try stage.mirror.tree()["INBOX"].count == Stage.mail.count)
    for token in ["single", "signed", "secret", "small"] {
      #expect(try stage.local("<\(token)@")?.isStub == false, "\(token)")
    }
    let parts = try ["plain", "umlaut"].map {
      try stage.run("show", "--part", "2", "id:\($0)@example.org").output
    }
    // Without a state they are known again, and nothing of them is fetched.
    removeTree(stage.mirror.account + "/.mirror")
    try stage.run("pull")
    #expect(stage.proxy.commands(named: ["FETCH"]).allSatisfy { !$0.contains("BODY.PEEK[]") })
    #expect(try stage.mirror.tree().messages.filter(\.isStub).count == stubs.count)
    let status = try stage.run("status")
    #expect(row.name == "pymap" || !status.summary.contains("known by"), "\(status.summary)")
    try stage.run("fill", "--all")
    #expect(try stage.mirror.tree().messages.filter(\.isStub).isEmpty)
    try stage.expectMirrored()
    for (part, token) in zip(parts, ["plain", "umlaut"]) {
      #expect(try stage.run("show", "--part", "2", "id:\(token)@example.org").output == part)
    }
    try stage.run("stub", "--all")
    #expect(try stage.mirror.tree().messages.filter(\.isStub).count == stubs.count)
  }

  @Test(arguments: rows) func `what is done to a stub is done to its message, and nothing is sent`(
    row: MatrixRow
  ) throws {
    let stage = try Stage(row)
    try stage.run("pull")
    let reader = Reader(stage.mirror)
    try reader.setFlags(#require(try stage.local("<plain@")), "FS")
    try reader.move(#require(try stage.local("<around@")), to: stage.folder)
    try reader.remove(#require(try stage.local("<first@")))
    try stage.run("push")
    #expect(stage.proxy.commands(named: ["APPEND"]) == [])
    let inbox = try stage.client.messages(in: "INBOX")
    func isThere(_ token: String, _ messages: [ServerMessage]) -> ServerMessage? {
      messages.first { contains($0.bytes, Array("<\(token)@".utf8)) }
    }
    #expect(isThere("first", inbox) == nil && isThere("around", inbox) == nil)
    #expect(isThere("plain", inbox)?.flags.isSuperset(of: ["\\Flagged", "\\Seen"]) == true)
    let moved = try stage.client.messages(in: stage.archive)
    #expect(isThere("around", moved).map { $0.bytes.count > 50_000 } == true)
    try stage.run("pull")
    try stage.run("fill", "--all")
    try stage.expectMirrored()
  }
}
