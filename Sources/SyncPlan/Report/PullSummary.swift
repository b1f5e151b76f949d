import MailCore

/// What a pull did to one mailbox, or would do (`--dry-run`).
package struct MailboxOutcome: Sendable, Codable, Equatable {
  package var mailbox: String
  /// Messages downloaded, or linked because they were already here.
  package var new = 0
  /// Of the new ones, those that needed no download: found in the tree, or linked.
  package var adopted = 0
  /// Messages whose flags or keywords changed here.
  package var changed = 0
  /// Messages unlinked because the server expunged them.
  package var gone = 0
  /// Messages unlinked because they left the window.
  package var pruned = 0
  package var bytes: Int64 = 0
  /// The name this mailbox had before the server renamed it.
  package var renamedFrom: String?
  /// Of the new ones, those that the account did not have in any mailbox. Empty where nobody asked for them.
  package var arrived = UIDSet()
  /// No pull has brought all of this mailbox yet, nor of the account: what arrives is no news.
  package var isFirst = false

  /// What records of runs and `--format json` have of it.
  private enum CodingKeys: String, CodingKey {
    case mailbox, new, adopted, changed, gone, pruned, bytes, renamedFrom
  }

  package init(mailbox: String) { self.mailbox = mailbox }

  mutating func add(_ other: MailboxOutcome) {
    new += other.new
    adopted += other.adopted
    changed += other.changed
    gone += other.gone
    pruned += other.pruned
    bytes += other.bytes
    renamedFrom = renamedFrom ?? other.renamedFrom
    arrived = arrived.union(other.arrived)
    isFirst = isFirst || other.isFirst
  }

  package var isUnchanged: Bool {
    new == 0 && changed == 0 && gone == 0 && pruned == 0 && adopted == 0 && renamedFrom == nil
  }
}

/// What a pull of one account did.
package struct PullSummary: Sendable, Codable, Equatable {
  package var account: String
  package var dryRun: Bool
  package var new = 0
  package var changed = 0
  package var gone = 0
  package var mailboxesChanged = 0
  package var mailboxesTotal = 0
  package var bytes: Int64 = 0
  package var seconds: Double = 0
  /// Only mailboxes where something happened.
  package var mailboxes: [MailboxOutcome] = []
  /// Messages stay here that the server has lost: a push sends them.
  package var leavesPush = false
  /// Only some mailboxes were looked into, and what came has a copy in another: it may have been moved from there.
  package var mayLeaveMoves = false
  package var problems: [RunProblem] = []
  package var exitStatus: Int32 = 0
  /// The server refused the log-in, now or before: nothing comes of another try until a person has changed something.
  package var isLogInRefused = false
  /// The server accepted no further connection.
  package var isCrowded = false

  /// What records of runs and `--format json` have of it.
  private enum CodingKeys: String, CodingKey {
    case account, dryRun, new, changed, gone, mailboxesChanged, mailboxesTotal, bytes, seconds,
      mailboxes, problems, exitStatus
  }

  package init(account: String, dryRun: Bool = false) {
    self.account = account
    self.dryRun = dryRun
  }

  /// By mailboxes, without what a first pull of one brought.
  package var arrivals: [String: UIDSet] {
    Dictionary(
      mailboxes.filter { !$0.isFirst }.map { ($0.mailbox, $0.arrived) }, uniquingKeysWith: { $1 })
  }

  /// Adds up; a mailbox that comes twice (its connection was lost meanwhile) counts once.
  package mutating func add(_ outcome: MailboxOutcome) {
    guard !outcome.isUnchanged else { return }
    new += outcome.new
    changed += outcome.changed
    gone += outcome.gone + outcome.pruned
    bytes += outcome.bytes
    if let place = mailboxes.firstIndex(where: { $0.mailbox == outcome.mailbox }) {
      mailboxes[place].add(outcome)
    } else {
      mailboxesChanged += 1
      mailboxes.append(outcome)
    }
  }

  package mutating func add(_ problem: RunProblem) {
    problems.append(problem)
    let status = ExitStatus(rawValue: problem.exitStatus) ?? .inPart
    exitStatus = (ExitStatus(rawValue: exitStatus) ?? .done).combined(with: status).rawValue
  }
}
