import CLISupport
import MailCore
import Outbox
import Queue
import Settings
import Sync
import SyncPlan

/// A push of one account: what was done in the tree, then what waits to be sent.
struct WholePush: Sendable {
  let session: MirrorSession
  let options: PushOptions
  let reporter: RunReporter

  /// What came of it: the tree's part with the queue's as `queue`.
  struct Summary: Encodable, Sendable {
    var tree: PushSummary
    var queue: OutboxSummary?

    var exitStatuses: [Int32] { [tree.exitStatus, queue?.exitStatus ?? 0] }

    private enum CodingKeys: String, CodingKey { case queue }

    func encode(to encoder: any Encoder) throws {
      try tree.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(queue, forKey: .queue)
    }
  }

  func run(_ account: SelectedAccount) async -> Summary {
    let run = session.run(account.settings, observer: reporter)
    return await run.inSession { self.run(account, in: $0, wasPulled: run.wasPulled) }
  }

  /// The queue goes out whatever became of the tree: the two have different servers. Blocks.
  func run(_ account: SelectedAccount, in open: AccountSession, wasPulled: Bool) -> Summary {
    let name = account.settings.name
    let root = session.configuration.root
    var tree = PushSummary(account: name, dryRun: options.dryRun)
    // Who only sends has nothing to pull, and nothing to be told about that.
    if wasPulled || account.settings.smtp == nil {
      tree = open.push(options, advice: SentCopyAdvice(account.settings, root: root))
    }
    let sending = QueueSending(session: session)
    var queue: OutboxSummary?
    if options.dryRun {
      queue = sending.rehearse(account.settings)
    } else if StopSignals.received == nil {
      // Sending may take long: other runs may have the account meanwhile.
      if account.settings.smtp != nil { open.release() }
      // A push that another run kept from the tree says so by 75 anyway. One that had the tree waits for whoever began
      // to send meanwhile: all that it was asked to do is done then.
      let waits = tree.exitStatus != ExitStatus.busy.rawValue
      queue = sending.send(account.settings, waits: waits)
    }
    let summary = Summary(tree: tree, queue: queue)
    reporter.ended(summary)
    if let queue { sending.tell(queue) }
    return summary
  }

  func hasQueue(_ account: SelectedAccount) -> Bool {
    let path = session.configuration.root + "/" + account.settings.name
    return (try? OutboxReader.entries(account: path))?.isEmpty == false
  }
}

extension SentCopyAdvice {
  /// What the account's queue says.
  init(_ account: AccountSettings, root: String) {
    guard let server = account.smtp else {
      self = .none
      return
    }
    let path = root + "/" + account.name
    let rule = SentCopyRule(server)
    self.init(
      stands: {
        try SentCopyStand.all(account: path, rule: rule, at: .now()).mapValues { Stand($0) }
      }, messageID: { CopyHeader($0).messageID },
      isRenamed: { CopyHeader($0).isRenamed(CopyHeader($1), others: $2) })
  }
}

extension SentCopyAdvice.Stand {
  fileprivate init(_ stand: SentCopyStand) {
    switch stand {
    case .free: self = .free
    case .mayBeThere: self = .mayBeThere
    case .mayBeRenamed: self = .mayBeRenamed
    case .isComing: self = .isComing
    }
  }
}
