import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An account on a real server, a second person who changes it, and `mirror watch` over its tree.
final class WatchStage {
  let client: IMAPTestClient
  let mirror: MirrorProgram
  let proxy: TCPProxy
  let user: String
  private(set) var watch: Child
  private let manner: Manner

  static let isPossible = DovecotServer.isInstalled && MirrorProgram.binary != nil

  /// How the watch is run.
  struct Manner {
    var arguments: [String] = []
    /// A command that runs it.
    var under: [String] = []
    var environment: [String: String] = [:]
    /// The tree's root, elsewhere than in the program's home.
    var root: String?
    /// A pull comes before it.
    var pullsFirst = false
  }

  /// - Parameters:
  ///   - prepare: fills the account before the watch begins.
  ///   - settings: keys of the account's `watch` table.
  convenience init(
    _ options: DovecotServer.Options = .init(), settings: String = "", _ manner: Manner = .init(),
    prepare: (IMAPTestClient) throws -> Void = { _ in }
  ) throws {
    let server = try DovecotServer.shared(options)
    let user = DovecotServer.newUser("w")
    let client = try server.client(user)
    try prepare(client)
    try self.init(user, client, port: server.port, settings: settings, manner)
  }

  convenience init(cyrus server: CyrusServer, settings: String) throws {
    let user = DovecotServer.newUser("w")
    try self.init(user, server.client(user), port: server.port, settings: settings, .init())
  }

  private init(
    _ user: String, _ client: IMAPTestClient, port: UInt16, settings: String, _ manner: Manner
  ) throws {
    (self.user, self.client) = (user, client)
    proxy = try TCPProxy(to: port)
    var account = AccountSettings(port: proxy.port, user: user)
    account.watch = settings
    mirror = try MirrorProgram(account, root: manner.root)
    self.manner = manner
    if manner.pullsFirst { try mirror.pull() }
    watch = try Self.start(mirror, manner)
    try wait("the watch listens") { listens }
  }

  deinit {
    guard !watch.hasEnded else { return }
    watch.signal(SIGCONT)
    watch.signal(SIGKILL)
    _ = try? watch.wait(limit: 10)
  }

  private static func start(_ mirror: MirrorProgram, _ manner: Manner) throws -> Child {
    try Child(
      manner.under + mirror.command(["watch", "--format", "jsonl"] + manner.arguments),
      environment: mirror.environment.merging(manner.environment) { $1 })
  }

  /// Ends what is left of the watch, and begins another.
  func startAgain() throws {
    watch.signal(SIGKILL)
    _ = try watch.wait(limit: 10)
    watch = try Self.start(mirror, manner)
  }

  /// Asks the watch to end, as a service manager does. How long that takes is the plan's, which is tested without a clock.
  @discardableResult
  func stop(location: SourceLocation = #_sourceLocation) throws -> Outcome {
    watch.signal(SIGTERM)
    let outcome = try watch.wait(limit: Self.hanging)
    #expect(
      outcome.ending == .exited(0), "\(outcome.summary.suffix(2000))", sourceLocation: location)
    return outcome
  }

  // MARK: What it says

  struct Event: Decodable {
    var event: String
    var account: String?
    var state: String?
    var by: String?
    var mailbox: String?
    var path: String?
    var id: Int64?
    var subject: String?
    var new: Int?
    var marked: Int?
    var recipients: [String]?
    var problem: String?
  }

  var events: [Event] {
    watch.outputSoFar.split(separator: "\n").compactMap {
      try? JSONDecoder().decode(Event.self, from: Data($0.utf8))
    }
  }

  func events(_ name: String) -> [Event] { events.filter { $0.event == name } }

  /// It is at rest after its first look.
  var listens: Bool { events.last { $0.event == "state" }?.state == "listening" }

  var way: String? { events.last { $0.state == "listening" }?.by }

  // MARK: Waiting

  /// Seconds after which something counts as hanging, on a machine that is a hundred times slower, too; less than any time
  /// after which a watch does by itself what a test wants to see come of something else.
  static let hanging = 300.0

  struct TooSlow: Error, CustomStringConvertible {
    var description: String
  }

  /// Waits until something is so. The limit is no budget.
  ///
  /// - Returns: how long it took.
  @discardableResult
  func wait(_ what: String, limit: Double = hanging, until isSo: () throws -> Bool) throws -> Double
  {
    let began = monotonicSeconds()
    var nap = 0.02
    while try !isSo() {
      guard monotonicSeconds() - began < limit, !watch.hasEnded else {
        throw TooSlow(
          description:
            "\(what): not within \(limit) s\n\(watch.outputSoFar.suffix(3000))\n\(watch.errorsSoFar.suffix(3000))"
        )
      }
      pause(nap)
      nap = min(nap * 1.2, 0.3)
    }
    return monotonicSeconds() - began
  }

  func append(_ token: String, to mailbox: String = "INBOX", flags: [String] = []) throws {
    try client.append(SampleMessage(token: token, flags: flags), to: mailbox)
  }

  func local(_ token: String, in folder: String? = nil) throws -> LocalMessage? {
    try? mirror.tree().message(with: token, in: folder)
  }

  /// How long it takes until a message that comes now is in the tree.
  @discardableResult
  func arrival(_ token: String, in mailbox: String = "INBOX", limit: Double = hanging) throws
    -> Double
  {
    try append(token, to: mailbox)
    return try wait("\(token) arrives", limit: limit) { try local(token, in: mailbox) != nil }
  }

  func flags(_ token: String, in mailbox: String = "INBOX") throws -> Set<String>? {
    try client.messages(in: mailbox).first { contains($0.bytes, Array(token.utf8)) }?.flags
  }

  /// Renames the file as a mail reader does that marks it.
  func mark(_ token: String, _ letters: String, in folder: String = "INBOX") throws {
    let message = try #require(try local(token, in: folder))
    let place = "\(mirror.account)/\(folder)"
    try #require(
      rename(
        "\(mirror.account)/\(message.path)", "\(place)/cur/\(message.base):2,\(letters)") == 0)
  }

  /// Expects that both sides are the same when all has come to rest: looks at everything, as after events were lost, lie
  /// a minute apart.
  func expectEqual(location: SourceLocation = #_sourceLocation) throws {
    let oracle = MaildirOracle()
    var problems: [String] = []
    let end = monotonicSeconds() + Self.hanging
    repeat {
      pause(0.2)
      problems = try oracle.differences(mirror.tree(), client.state()).map { "\($0)" }
    } while !problems.isEmpty && monotonicSeconds() < end
    #expect(problems == [], "\(watch.outputSoFar.suffix(3000))", sourceLocation: location)
  }
}
