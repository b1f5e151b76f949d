import CLISupport
import MailCore
import MailIndex
import Outbox
import Queue
import Settings
import Sync
import Transport

/// Sends an account's queue, for the commands that push. It needs no run's lock: the queue has its own.
struct QueueSending: Sendable {
  let session: MirrorSession

  /// Blocks; nil where the account has no server to send with and nothing queued.
  ///
  /// - Parameter hasLocalCopy: whether the local Sent folder holds a message of this id, which goes up
  ///   by itself.
  func send(
    _ account: AccountSettings, urgently: Bool = true,
    hasLocalCopy: @escaping @Sendable (String) -> Bool = { _ in false }
  ) -> OutboxSummary? {
    guard let server = account.smtp else { return withoutServer(account) }
    var surroundings = OutboxRun.Surroundings(
      interrupt: session.interrupt, wireLog: session.wireLog(account))
    surroundings.hasLocalCopy = hasLocalCopy
    let root = session.configuration.root
    surroundings.queueChanged = { try? SendQueueView.refresh(root: root, account: account.name) }
    surroundings.mailboxes = {
      let factory = ConnectionFactory(
        server: account.imap, credentials: Credentials(for: account.imap),
        interrupt: session.interrupt, wireLog: session.wireLog(account))
      return try IMAPSentMailboxes(factory.makeSession())
    }
    return OutboxRun(
      account: account, server: server, root: root, credentials: Credentials(for: server),
      surroundings: surroundings
    ).run(urgently: urgently)
  }

  /// What a push would send, for `--dry-run`: no server is asked.
  func rehearse(_ account: AccountSettings) -> OutboxSummary? {
    let path = session.configuration.root + "/" + account.name
    guard let entries = try? OutboxReader.entries(account: path) else { return nil }
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
