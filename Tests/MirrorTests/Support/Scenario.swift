import MailTestKit
import Testing

/// One account on a real server, a second person who changes it, and the program with its tree.
///
/// All traffic of the program goes through a proxy in plain text, so that a test can read the wire.
final class Scenario {
  let client: IMAPTestClient
  let mirror: MirrorProgram
  let proxy: TCPProxy
  let user: String
  /// What the server says of it, for a failure that nobody understands.
  let serverLog: () -> String
  /// One more client of the account, with a session of its own.
  let anotherClient: () throws -> IMAPTestClient
  var oracle = MaildirOracle()

  init(_ options: DovecotServer.Options = .init(), root: String? = nil, sync: String = "") throws {
    let server = try DovecotServer.shared(options)
    let user = DovecotServer.newUser()
    self.user = user
    client = try server.client(user)
    anotherClient = { try server.client(user) }
    proxy = try TCPProxy(to: server.port)
    serverLog = { server.log.split(separator: "\n").suffix(5).joined(separator: "\n") }
    var settings = AccountSettings(port: proxy.port, user: user)
    settings.sync = sync
    mirror = try MirrorProgram(settings, root: root)
  }

  init(cyrus: CyrusServer) throws {
    let user = DovecotServer.newUser("c")
    self.user = user
    client = try cyrus.client(user)
    anotherClient = { try cyrus.client(user) }
    proxy = try TCPProxy(to: cyrus.port)
    serverLog = { "" }
    mirror = try MirrorProgram(AccountSettings(port: proxy.port, user: user))
  }

  init(model server: ModelServer) throws {
    user = "u"
    client = try IMAPTestClient(port: server.port, user: "u", password: "pw")
    anotherClient = { try IMAPTestClient(port: server.port, user: "u", password: "pw") }
    proxy = try TCPProxy(to: server.port)
    serverLog = { "" }
    mirror = try MirrorProgram(AccountSettings(port: proxy.port, user: "u"))
  }

  /// Runs `mirror pull` and expects this exit status.
  @discardableResult
  func pull(
    _ status: Int32 = 0, _ arguments: String..., location: SourceLocation = #_sourceLocation
  ) throws -> Outcome {
    proxy.forget()
    let outcome = try mirror.run(["pull", "--no-index"] + arguments)
    #expect(
      outcome.ending == .exited(status), "\(outcome.summary)", sourceLocation: location)
    #expect(proxy.changingCommands == [], "a pull changes nothing", sourceLocation: location)
    return outcome
  }

  /// Expects that the tree shows exactly what the server holds.
  func expectMirrored(location: SourceLocation = #_sourceLocation) throws {
    let problems = try oracle.differences(mirror.tree(), client.state())
    #expect(problems == [], sourceLocation: location)
  }

  /// Expects that one more pull asks for no message and touches no file.
  func expectQuiet(location: SourceLocation = #_sourceLocation) throws {
    let before = TreeSnapshot(mirror.account, leavingOut: Self.isBookkeeping)
    try pull(location: location)
    let after = TreeSnapshot(mirror.account, leavingOut: Self.isBookkeeping)
    #expect(
      before.changes(to: after) == [], "a second run writes nothing", sourceLocation: location)
    #expect(bodyFetches == [], "a second run downloads nothing", sourceLocation: location)
  }

  /// Files that a run holds open: the lock, and the database with its journal.
  static func isBookkeeping(_ path: String) -> Bool {
    path == ".mirror" || path == ".mirror/lock" || path.hasPrefix(".mirror/state.db")
  }

  /// Commands of the last run that asked for whole messages.
  var bodyFetches: [String] {
    proxy.commands(named: ["FETCH"]).filter { $0.contains("BODY.PEEK[]") || $0.contains("BODY[]") }
  }

  /// Short messages that can be told apart by their tokens.
  ///
  /// - Parameter isPassedOn: their headers show that they came from another server.
  func append(
    _ tokens: [String], to mailbox: String = "INBOX", flags: [String] = [],
    date: Int64 = 1_600_000_000, isPassedOn: Bool = false
  ) throws {
    try client.append(
      tokens.enumerated().map { number, token in
        let message = SampleMessage(token: token, date: date + Int64(number), flags: flags)
        return isPassedOn ? message.passedOn() : message
      }, to: mailbox)
  }

  func fill(
    _ count: Int, seed: UInt64 = 1, mailbox: String = "INBOX",
    profile: MailGenerator.Profile = .list
  )
    throws
  {
    var generator = MailGenerator(seed: seed, profile: profile, count: count)
    try client.append(generator.messages(count), to: mailbox)
  }

  func local(_ token: String, in folder: String? = nil) throws -> LocalMessage? {
    try mirror.tree().message(with: token, in: folder)
  }
}

/// Expects that a tree shows exactly this state.
func expectSame(
  _ tree: MaildirTree, _ state: AccountState, _ oracle: MaildirOracle = MaildirOracle(),
  location: SourceLocation = #_sourceLocation
) {
  let problems = oracle.differences(tree, state)
  #expect(problems == [], sourceLocation: location)
}
