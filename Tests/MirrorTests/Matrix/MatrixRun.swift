import Foundation
import MailTestKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One row: an account on its server, a second person who changes it, and the program with its tree.
final class MatrixRun {
  let account: MatrixAccount
  let mirror: MirrorProgram
  let proxy: TCPProxy
  let reader: Reader
  /// What the server announces after the log-in, and before it.
  private(set) var capabilities: Set<String> = []
  /// Every command that the program has sent so far.
  var sent: [String] = []
  private(set) var problems: [String] = []

  init(_ row: MatrixRow) throws {
    account = try row.start()
    proxy = try TCPProxy(to: account.port)
    var settings = AccountSettings(port: proxy.port, user: account.user)
    settings.imap = account.imap
    settings.watch = "poll = \"5s\""
    mirror = try MirrorProgram(settings)
    reader = Reader(mirror)
    let client = try account.client()
    capabilities = client.capabilities
    let there = try client.mailboxes()
    for name in ["Work", "Drafts", "Trash"] where !there.contains(mailbox(name)) {
      try client.create(mailbox(name))
    }
    try client.append((0..<7).map { SampleMessage(token: "m\($0)", date: 1_600_000_000 + $0) })
    try client.append([SampleMessage(token: "w0")], to: mailbox("Work"))
    // One that is empty has another UIDVALIDITY at each look, where mailutils keeps it in the first message.
    if !account.unstableFields.isEmpty {
      for name in ["Drafts", "Trash"] {
        try client.append([SampleMessage(token: "first-in-\(name)")], to: mailbox(name))
      }
    }
    client.logout()
  }

  func mailbox(_ name: String) -> String { account.prefix + name }
  func folder(_ name: String) -> String {
    mailbox(name).replacingOccurrences(of: String(account.separator), with: "/")
  }

  var canExpunge: Bool { capabilities.contains("UIDPLUS") }

  // MARK: Runs

  func expect(_ isSo: Bool, _ what: @autoclosure () -> String) {
    if !isSo { problems.append(what()) }
  }

  /// What was found since the last call.
  func takeProblems() -> [String] {
    defer { problems = [] }
    return problems
  }

  @discardableResult func run(_ verb: String, _ status: Int32 = 0) throws -> Outcome {
    proxy.forget()
    let arguments = verb == "pull" ? ["pull", "--no-index"] : [verb]
    let outcome = try mirror.run(arguments, limit: 120)
    expect(outcome.ending == .exited(status), "\(verb): \(outcome.summary.suffix(600))")
    if verb == "pull" {
      expect(proxy.changingCommands == [], "a pull changes \(proxy.changingCommands)")
    }
    sent += proxy.commands
    return outcome
  }

  /// Both directions, then the tree has to be the server's, and another run of either changes nothing.
  func settle(pushes: Bool = true) throws {
    if pushes { try run("push") }
    try run("pull")
    try compare()
    let before = TreeSnapshot(mirror.account, leavingOut: Scenario.isBookkeeping)
    try run("pull")
    let fetched = proxy.commands(named: ["FETCH"]).filter { $0.contains("BODY.PEEK[]") }
    expect(fetched == [], "a second pull asks for \(fetched.prefix(3))")
    let changes = before.changes(
      to: TreeSnapshot(mirror.account, leavingOut: Scenario.isBookkeeping))
    expect(changes == [], "a second pull writes \(changes.prefix(5))")
    try run("push")
    expect(proxy.changingCommands == [], "a second push sends \(proxy.changingCommands)")
  }

  func compare() throws {
    var oracle = MaildirOracle()
    let separator = String(account.separator)
    oracle.folder = { $0.replacingOccurrences(of: separator, with: "/") }
    oracle.unstableFields = account.unstableFields
    var state = try server { try $0.state() }
    if !canExpunge {
      // What was moved on or deleted stays there, marked, until somebody expunges it.
      state = state.mapValues { $0.filter { !$0.flags.contains("\\Deleted") } }
    }
    problems += try oracle.differences(mirror.tree(), state)
  }

  // MARK: The other person

  /// Each look has a session of its own: some servers show an old one what it has seen before.
  func server<Result>(_ work: (IMAPTestClient) throws -> Result) throws -> Result {
    let client = try account.client()
    defer { client.logout() }
    return try work(client)
  }

  /// Where a message lies on the server, but for those that are marked `\Deleted`, with its flags.
  func places(_ token: String) throws -> [(mailbox: String, uid: UInt32, flags: Set<String>)] {
    try server { client in
      try client.mailboxes().flatMap { name in
        try client.messages(in: name).filter {
          contains($0.bytes, Array("<\(token)@".utf8)) && !$0.flags.contains("\\Deleted")
        }.map { (name, $0.uid, $0.flags) }
      }
    }
  }

  func expect(_ token: String, in names: String..., flag: String? = nil) throws {
    let found = try places(token)
    let wanted = names.map { $0 == "INBOX" ? $0 : mailbox($0) }
    expect(
      found.map(\.mailbox).sorted() == wanted.sorted(),
      "\(token) is in \(found.map(\.mailbox)), not in \(wanted)")
    if let flag {
      expect(found.allSatisfy { $0.flags.contains(flag) }, "\(token) is not \(flag) there")
    }
  }

  private func place(_ token: String) throws -> (mailbox: String, uid: UInt32) {
    guard let place = try places(token).first else { throw KitError("\(token) is nowhere") }
    return (place.mailbox, place.uid)
  }

  func storeThere(_ token: String, _ change: String, _ flags: [String]) throws {
    let (name, uid) = try place(token)
    try server { try $0.store([uid], change, flags, in: name) }
  }

  /// With every other message that is marked there, where the server can do no better.
  func expungeThere(_ token: String) throws {
    let (name, uid) = try place(token)
    try server { client in
      try client.store([uid], "+FLAGS", ["\\Deleted"], in: name)
      try client.command(canExpunge ? "UID EXPUNGE \(uid)" : "EXPUNGE")
    }
  }

  func moveThere(_ token: String, to name: String) throws {
    let (home, uid) = try place(token)
    if capabilities.contains("MOVE") {
      return try server { try $0.move([uid], from: home, to: mailbox(name)) }
    }
    try server { try $0.copy([uid], from: home, to: mailbox(name)) }
    try server { client in
      try client.store([uid], "+FLAGS", ["\\Deleted"], in: home)
      try client.command(canExpunge ? "UID EXPUNGE \(uid)" : "EXPUNGE")
    }
  }

  func append(_ tokens: [String], to name: String = "INBOX", flags: [String] = []) throws {
    try server { client in
      try client.append(
        tokens.map { SampleMessage(token: $0, flags: flags) },
        to: name == "INBOX" ? name : mailbox(name))
    }
  }

  /// Whether new keywords may be set in the INBOX.
  func takesKeywords() throws -> Bool {
    try server { client in
      try client.select("INBOX")
      return client.permanentFlags.contains("\\*")
    }
  }

  // MARK: The mail reader

  func local(_ token: String, in name: String? = nil) throws -> LocalMessage {
    guard let found = try mirror.tree().message(with: "<\(token)@", in: name.map(folder)) else {
      throw KitError("no file of \(token)")
    }
    return found
  }
}
