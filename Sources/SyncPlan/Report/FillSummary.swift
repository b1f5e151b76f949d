import MailCore
import Settings

/// What the person asked of a fill, or of its reverse.
package struct FillOptions: Sendable {
  package enum Direction: Sendable, Equatable {
    /// What is missing is fetched.
    case fill
    /// Large parts are given back to the server.
    case stub
  }

  package var direction: Direction
  /// Base names of files; nil for all.
  package var names: Set<[UInt8]>?
  /// Mailbox names to keep to; empty means the whole account.
  package var mailboxes: [String]
  package var dryRun: Bool

  package init(
    _ direction: Direction, names: Set<[UInt8]>? = nil, mailboxes: [String] = [],
    dryRun: Bool = false
  ) {
    self.direction = direction
    self.names = names
    self.mailboxes = mailboxes
    self.dryRun = dryRun
  }

  package func choose(_ name: MailboxName) -> Bool {
    mailboxes.isEmpty || mailboxes.contains { FolderPatterns.pattern($0, matches: name) }
  }
}

/// What a fill of one account did, or would do; or its reverse.
package struct FillSummary: Sendable, Codable, Equatable {
  package var account: String
  package var dryRun: Bool
  /// Messages that are whole now, or stubs again; in a dry run, those that would be.
  package var messages = 0
  /// Of these messages, whole.
  package var bytes: Int64 = 0
  /// Asked for, and still to come: the next pull brings them.
  package var waiting = 0
  package var seconds: Double = 0
  package var problems: [RunProblem] = []
  package var exitStatus: Int32 = 0
  package var isLogInRefused = false
  /// The server accepted no further connection.
  package var isCrowded = false

  private enum CodingKeys: String, CodingKey {
    case account, dryRun, messages, bytes, waiting, seconds, problems, exitStatus
  }

  package init(account: String, dryRun: Bool = false) {
    self.account = account
    self.dryRun = dryRun
  }

  package mutating func add(_ problem: RunProblem) {
    problems.append(problem)
    let status = ExitStatus(rawValue: problem.exitStatus) ?? .inPart
    exitStatus = (ExitStatus(rawValue: exitStatus) ?? .done).combined(with: status).rawValue
  }
}
