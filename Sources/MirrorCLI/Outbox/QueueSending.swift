import CLISupport
import Foundation
import LocalChanges
import MailCore
import MailIndex
import Outbox
import Queue
import Remote
import Settings
import Sync
import Transport

/// Sends an account's queue, for the commands that push. It needs no run's lock: the queue has its own.
struct QueueSending: Sendable {
  let session: MirrorSession
  /// As ``OutboxSurroundings/awaitsOutcome``.
  var awaitsOutcome: @Sendable (Bool) -> Void = { _ in }
  var parts: OutboxRun.Parts = [.messages, .copies]
  /// Where copies are filed; nil: over a connection of its own.
  var mailboxes: (@Sendable () throws -> any SentMailboxes)?

  /// Blocks; nil where the account has no server to send with and nothing queued.
  ///
  /// - Parameter waits: for another run that is sending, rather than to say that there is one.
  func send(_ account: AccountSettings, urgently: Bool = true, waits: Bool = false)
    -> OutboxSummary?
  {
    guard let server = account.smtp else { return withoutServer(account) }
    let root = session.configuration.root
    let past = TreePast(root: root, account: account.name)
    if let vanished = OutboxSummary(ifVanished: past, account: account.name) { return vanished }
    var surroundings = OutboxSurroundings(
      interrupt: session.interrupt, wireLog: session.wireLog(account))
    surroundings.restoredTree = { past.wasRestored ? Self.restored : nil }
    surroundings.restoreNoted = { past.noted() }
    surroundings.awaitsOutcome = awaitsOutcome
    if waits { surroundings.patience = Self.patience }
    let local = LocalMailboxes(root: root, account: account)
    surroundings.hasLocalCopy = { try local.sentHolds($0, since: $1) }
    surroundings.wasSent = { local.note($0) }
    surroundings.temporaryDirectory =
      ProcessInfo.processInfo.environment["TMPDIR"] ?? surroundings.temporaryDirectory
    surroundings.queueChanged = { try? SendQueueView.refresh(root: root, account: account.name) }
    surroundings.mailboxes = {
      if let mailboxes { return try mailboxes() }
      let factory = ConnectionFactory(
        server: account.imap, credentials: session.credentials(account, for: account.imap),
        interrupt: session.interrupt, wireLog: session.wireLog(account))
      return try IMAPSentMailboxes(factory.openSession())
    }
    return OutboxRun(
      account: account, server: server, root: root,
      credentials: session.credentials(account, for: server), surroundings: surroundings
    ).run(urgently: urgently, parts)
  }

  /// Seconds: as long as a server may take to answer the end of one message (RFC 5321 §4.5.3.2.6).
  private static let patience = 600.0
  private static let restored =
    "the mail tree was restored, moved or copied, and it may have been sent since"

  /// What a push would send, for `--dry-run`: no server is asked.
  func rehearse(_ account: AccountSettings) -> OutboxSummary? {
    let root = session.configuration.root
    let past = TreePast(root: root, account: account.name)
    // The tree's own part of the push says so, where there is no other.
    if account.smtp != nil,
      let vanished = OutboxSummary(ifVanished: past, account: account.name)
    {
      return vanished
    }
    guard let entries = try? OutboxReader.entries(account: root + "/" + account.name) else {
      return nil
    }
    let waiting = entries.filter { $0.state == .queued }
    guard !waiting.isEmpty else { return nil }
    var summary = OutboxSummary(account: account.name)
    summary.waitingCount = waiting.count
    for entry in waiting {
      summary.messages.append(OutboxSummary.Message(entry))
      let count = Quantities.count(entry.phase.open.count, "recipient")
      session.report.line(
        "\(account.name)/outbox: send “\(entry.envelope?.subject ?? entry.id.text)” to \(count)")
    }
    return summary
  }

  private func withoutServer(_ account: AccountSettings) -> OutboxSummary? {
    let path = session.configuration.root + "/" + account.name
    let waits = (try? OutboxReader.entries(account: path))?.contains { $0.state == .queued }
    guard waits == true else { return nil }
    var summary = OutboxSummary(account: account.name)
    summary.add(AcceptanceError.noServer(account: account.name).explanation)
    return summary
  }

  /// Problems on standard error, and a line where something was sent.
  func tell(_ summary: OutboxSummary) {
    for problem in summary.problems {
      session.report.problem(problem.subject, problem.problem, remedy: problem.remedy)
    }
    if summary.sentCount > 0 || (summary.waitingCount > 0 && summary.exitStatus != 0)
      || session.report.verbosity > 0
    {
      session.report.line(
        "\(summary.account): \(Quantities.count(summary.sentCount, "queued message")) sent, "
          + "\(summary.waitingCount) waiting")
    }
  }
}

extension OutboxSummary {
  /// Nil where the tree is where it was: an empty mount point must not be taken for an empty queue.
  init?(ifVanished past: TreePast, account: String) {
    do {
      try past.checkMount()
      return nil
    } catch let error as any Explained {
      self.init(account: account)
      add(error.explanation)
    } catch {
      return nil
    }
  }
}
