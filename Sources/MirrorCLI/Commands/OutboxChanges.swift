import ArgumentParser
import CLISupport
import MailCore
import Queue
import Settings

/// What the commands that change queued messages have in common: which ones.
struct OutboxSelection: ParsableArguments {
  @Argument(help: "Ids, or so many letters of them as no other has.") var id: [String] = []
  @Flag(help: "All that this can be done to.") var all = false

  func validate() throws {
    guard all != !id.isEmpty else { throw ValidationError("Give ids, or --all.") }
  }
}

/// What all have that change queued messages.
struct OutboxChangeOptions: ParsableArguments {
  @OptionGroup var common: CommonOptions
  @Flag(help: "Tell what would be done, and do nothing.")
  var dryRun = false
}

/// A change of a queued message, in JSON.
struct OutboxChange: Encodable {
  var account: String
  var id: String
  /// What was done, or would be, in words.
  var change: String
  var dryRun: Bool

  var text: String { "\(id): \(dryRun ? "would be " : "")\(change)" }
}

extension OutboxSelection {
  /// Changes each; what cannot be is told, and stands in no other's way.
  ///
  /// - Parameters:
  ///   - fits: which ones `--all` is about, where there is such an option.
  ///   - body: returns what was done, in words.
  func change(
    _ options: OutboxChangeOptions, fitting fits: KeyPath<QueueEntry, Bool>? = nil,
    _ body: (Outbox, QueueID) throws -> String
  ) throws {
    let session = try MirrorSession(options.common)
    let queue = try QueuedMessages(session.configuration, account: nil)
    let messages =
      if all, let fits {
        try queue.all().filter { $0.entry[keyPath: fits] }
      } else {
        try queue.matching(id)
      }
    var changes: [OutboxChange] = []
    var statuses: [Int32] = []
    for message in messages {
      do {
        let outbox = try queue.outbox(of: message.account, rehearses: options.dryRun)
        let change = OutboxChange(
          account: message.account.name, id: message.entry.id.text,
          change: try body(outbox, message.entry.id), dryRun: options.dryRun)
        session.report.line(change.text)
        try session.report.record(change)
        changes.append(change)
        if !options.dryRun { queue.tellIndex(message.account) }
      } catch let error as any Explained {
        let words = error.explanation
        session.report.problem(
          "\(message.account.name)/outbox \(message.entry.id)", words.problem,
          remedy: words.remedy)
        statuses.append(words.exitStatus.rawValue)
      }
    }
    try session.report.document(changes)
    try session.end(with: statuses)
  }
}

struct OutboxRetryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Send messages again with the next push.",
    discussion: """
      They go to all but those who have them. One whose outcome is unknown, or that came back, \
      may arrive twice then: that is yours to decide, so --all leaves it out.
      """)

  @OptionGroup var options: OutboxChangeOptions
  @OptionGroup var selection: OutboxSelection

  func run() async throws {
    try selection.change(options, fitting: \.isSafeToRetry) {
      try $0.retry($1, at: .now())
      return "queued again"
    }
  }
}

extension QueueEntry {
  fileprivate var isQueued: Bool { state == .queued }
  fileprivate var isHeld: Bool { state == .held }
}

struct OutboxHoldCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hold", abstract: "Keep messages from being sent until they are released.")

  @OptionGroup var options: OutboxChangeOptions
  @OptionGroup var selection: OutboxSelection

  func run() async throws {
    try selection.change(options, fitting: \.isQueued) {
      try $0.hold($1, reason: HoldReason.byHand, at: .now())
      return "held"
    }
  }
}

struct OutboxReleaseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "release", abstract: "Let messages go that were held, by hand or by a restore.",
    discussion: """
      What came out of a backup may have been sent since: look into Sent before you release it.
      """)

  @OptionGroup var options: OutboxChangeOptions
  @OptionGroup var selection: OutboxSelection

  func run() async throws {
    try selection.change(options, fitting: \.isHeld) {
      try $0.release($1, at: .now())
      return "released"
    }
  }
}

struct OutboxDiscardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "discard", abstract: "Remove messages from the queue, unsent.",
    discussion: """
      Their bytes are gone then; `mirror outbox show --raw` keeps a copy. One that some have got stays until its copy \
      is in Sent; who was refused is told no more.
      """)

  @OptionGroup var options: OutboxChangeOptions
  @Argument(help: "Ids, or so many letters of them as no other has.") var id: [String]

  func run() async throws {
    var selection = OutboxSelection()
    selection.id = id
    selection.all = false
    try selection.change(options) {
      switch try $0.discard($1, at: .now()) {
      case .removed: "discarded"
      case .keptForCopy: "given up for the others; it stays until a push has filed its copy in Sent"
      }
    }
  }
}
