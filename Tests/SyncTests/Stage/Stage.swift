import Foundation
import MailCore
import MailTestKit
import Settings
import Sorting
import SyncPlan
import Testing
import Transport

@testable import Sync

/// An account in one process: its server is in memory, its tree in a temporary directory, and its runs are those of
/// ``AccountSession``, on the test's own thread. It begins pulled.
final class Stage {
  enum Run { case pull, push, revert }

  /// A command that is refused.
  struct Refusal: Sendable {
    var name: String
    /// What stands in it.
    var part = ""
    /// What the server says instead, say `NO [NOPERM] no`.
    var words: String
  }

  let account: MailAccount
  /// The account's directory.
  let path: String
  let fuse: Fuse
  let reader: Reader
  /// From now on.
  let refusals = Locked<[Refusal]>([])
  /// One of the commands that change something, counted from 0 since ``forget()``.
  let refusalOfOne = Locked<(number: Int, words: String)?>(nil)
  /// Changes what the server says from now on.
  let alter = Locked<ModelServer.Hook?>(nil)
  /// Takes effect with ``reopen()``.
  var sync: SyncSettings
  /// How long (seconds) the server may lag; with ``reopen()``, too.
  var lag = 0
  /// How many messages are committed together, where they are fewer than in a real run; with ``reopen()``, too.
  var batch: Int?

  private let directory: TemporaryDirectory
  private let dialect: Locked<ServerDialect>
  private let log = Locked<[(name: String, text: String)]>([])
  private let connections = Locked(0)
  private var session: AccountSession?

  /// - Parameter more: adds to the account before it is pulled.
  init(
    _ dialect: ServerDialect = .modern, count: Int = 4,
    more: (MailAccount) throws -> Void = { _ in },
    sync change: (inout SyncSettings) -> Void = { _ in }
  ) throws {
    directory = try TemporaryDirectory("stage")
    let root = directory.path + "/mail"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    path = root + "/personal"
    fuse = Fuse(root: root)
    reader = Reader(account: path)
    sync = SyncSettings()
    sync.fsync = false
    change(&sync)
    self.dialect = Locked(dialect)
    account = MailAccount(["INBOX", "Work", "Other"])
    account.add("Drafts", attributes: ["\\Drafts"])
    account.add("Trash", attributes: ["\\Trash"])
    if dialect.has("X-GM-EXT-1") { account.add(Self.allMail, attributes: ["\\All"]) }
    for number in 0..<count {
      account.deliver(SampleMessage(token: "m\(number)"), labelled: ["INBOX"])
    }
    try more(account)
    pull()
    forget()
  }

  deinit { session?.close() }

  static let allMail = "[Gmail]/All Mail"

  // MARK: Runs

  @discardableResult
  func pull(
    _ status: Int32? = 0, _ options: PullOptions = PullOptions(),
    location: SourceLocation = #_sourceLocation
  ) -> PullSummary {
    let summary = open().pull(options)
    buryTheDead()
    if let status {
      #expect(summary.exitStatus == status, "\(summary.problems)", sourceLocation: location)
    }
    return summary
  }

  @discardableResult
  func push(
    _ status: Int32? = 0, _ options: PushOptions = PushOptions(),
    location: SourceLocation = #_sourceLocation
  ) -> PushSummary {
    let summary = open().push(options, advice: .none)
    buryTheDead()
    if let status {
      #expect(summary.exitStatus == status, "\(summary.problems)", sourceLocation: location)
    }
    return summary
  }

  /// - Parameter steps: it dies when so many files were changed.
  @discardableResult
  func revert(
    _ status: Int32? = 0, _ options: RevertOptions = RevertOptions(), dyingAfter steps: Int? = nil,
    location: SourceLocation = #_sourceLocation
  ) -> RevertSummary {
    let (fuse, root, settings) = (fuse, directory.path + "/mail", settings)
    let summary = open().revert(options) { plan in
      try fuse.check()
      let tree = SortingTree(root: root, accounts: [settings])
      let files = RevertSteps(plan, account: "personal")
      guard let steps else { return try files.carryOut(in: tree, command: "revert") }
      try FileManager.default.createDirectory(
        atPath: root + "/.mirror", withIntermediateDirectories: true)
      var run = SortingRun(tree)
      _ = try run.perform(Array(files.steps.prefix(steps)), command: "revert")
      fuse.burn()
      throw Fuse.Died()
    }
    buryTheDead()
    if let status {
      #expect(summary.exitStatus == status, "\(summary.problems)", sourceLocation: location)
    }
    return summary
  }

  /// Takes the last change by a command back.
  func undo() throws -> SortingRun.Outcome {
    var run = UndoRun(SortingTree(root: directory.path + "/mail", accounts: [settings]))
    return try run.perform(run.record())
  }

  /// Whatever comes of it.
  func play(_ run: Run) {
    switch run {
    case .pull: pull(nil)
    case .push: push(nil)
    case .revert: revert(nil)
    }
  }

  /// The next run opens the account anew, as another process would, with the settings as they are then.
  func reopen(_ change: (inout ServerDialect) -> Void = { _ in }) {
    session?.close()
    session = nil
    dialect.change(change)
  }

  private func buryTheDead() {
    guard fuse.isBurnt else { return }
    reopen()
    fuse.arm(nil)
    removeUnfinished()
  }

  /// What a dead process left in `tmp` the next run removes; here the process lives on.
  private func removeUnfinished() {
    let files = FileManager.default
    for path in files.enumerator(atPath: path)?.compactMap({ $0 as? String }) ?? []
    where path.contains("/tmp/mirror.") {
      try? files.removeItem(atPath: self.path + "/" + path)
    }
  }

  private var settings: Settings.AccountSettings {
    let server = ServerSettings(
      host: "memory", port: 143, tls: .none, user: "u", secret: .password(Secret("pw")),
      connections: 1)
    return Settings.AccountSettings(name: "personal", imap: server, sync: sync)
  }

  private func open() -> AccountSession {
    if let session { return session }
    let run = AccountRun(
      account: settings, root: directory.path + "/mail", observer: SilentObserver(),
      interrupt: Interrupt(),
      environment: [
        "HOME": directory.path, "XDG_STATE_HOME": directory.path + "/state",
        "MIRROR_RETRY_SECONDS": "0,0,0", "MIRROR_LAG_SECONDS": "\(lag)",
        "MIRROR_BATCH_MESSAGES": batch.map(String.init) ?? "",
      ],
      makeStream: connect, opened: { [fuse] in fuse.watch($0) })
    let opened = AccountSession(run)
    session = opened
    return opened
  }

  // MARK: The server

  private var connect: @Sendable () throws -> any ByteStream {
    let (account, fuse, log, alter) = (account, fuse, log, alter)
    let (refusals, refusalOfOne, connections) = (refusals, refusalOfOne, connections)
    var dialect = dialect.value
    let refusing = dialect.refusing
    dialect.refusing = { command in
      let isChange = Self.changing.contains(command.name)
      if isChange, (try? fuse.begin()) == nil { return "NO nobody is there" }
      if isChange, let one = refusalOfOne.value {
        let number = log.value.count { Self.changing.contains($0.name) }
        if number == one.number { return one.words }
      }
      let refusal = refusals.value.first {
        command.name == $0.name && ($0.part.isEmpty || command.text.contains($0.part))
      }
      return refusal?.words ?? refusing?(command)
    }
    let speaking = dialect
    return {
      try fuse.check()
      let number = connections.change { count in
        count += 1
        return count - 1
      }
      let connection = ModelConnection(account, speaking, number: number) { command, honest in
        if fuse.isBurnt { return [.hangUp] }
        log.change { $0.append((command.name, command.text)) }
        let replies = alter.value?(command, honest) ?? honest
        if Self.changing.contains(command.name) { fuse.end() }
        return fuse.isBurnt ? [.hangUp] : replies
      }
      return MemoryStream(connection, fuse)
    }
  }

  private static let changing: Set<String> = [
    "UID STORE", "UID COPY", "UID MOVE", "UID EXPUNGE", "EXPUNGE", "CLOSE", "APPEND", "CREATE",
    "DELETE", "RENAME", "SUBSCRIBE", "UNSUBSCRIBE",
  ]

  /// What came since ``forget()``, without tags.
  var commands: [String] { log.value.map(\.text) }
  /// Of these, those that change something on the server.
  var changes: [String] {
    log.value.filter { Self.changing.contains($0.name) }.map(\.text)
  }
  /// Those of the changes that are called so.
  func changes(named name: String) -> [String] {
    log.value.filter { $0.name == name }.map(\.text)
  }
  /// Those that asked for whole messages.
  var bodyFetches: [String] {
    commands.filter { $0.contains("BODY.PEEK[]") || $0.contains("BODY[]") }
  }

  func forget() { log.value = [] }
}
