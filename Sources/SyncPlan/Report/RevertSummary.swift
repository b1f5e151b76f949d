import MailCore
import Settings

/// What the person asked of a revert.
package struct RevertOptions: Sendable {
  /// Mailbox names to keep to; empty means the whole account.
  package var mailboxes: [String]
  package var dryRun: Bool

  package init(mailboxes: [String] = [], dryRun: Bool = false) {
    self.mailboxes = mailboxes
    self.dryRun = dryRun
  }

  package func choose(_ name: MailboxName) -> Bool {
    mailboxes.isEmpty || mailboxes.contains { FolderPatterns.pattern($0, matches: name) }
  }
}

/// One thing that a revert did, or would do, to a number of messages.
package struct RevertAction: Sendable, Codable, Equatable {
  package enum Kind: String, Sendable, Codable {
    case rename, mark, move
    /// Downloaded again.
    case restore
    /// An edited file: the server's message takes its place.
    case setAside = "set-aside"
    /// Exists only here, and stays.
    case keep
    /// A copy made here of a message that the server has: it stays, and a push would make it there, too.
    case keepCopy = "keep-copy"
    case keepFolder = "keep-folder"

    package var isKept: Bool {
      switch self {
      case .keep, .keepCopy, .keepFolder: true
      case .rename, .mark, .move, .restore, .setAside: false
      }
    }
  }

  package var kind: Kind
  package var mailbox: String
  /// Where it was moved to; what is set or taken away, for marks; the name that a folder had.
  package var detail: String?
  package var count: Int

  package init(_ kind: Kind, mailbox: String, detail: String? = nil, count: Int = 1) {
    self.kind = kind
    self.mailbox = mailbox
    self.detail = detail
    self.count = count
  }
}

/// What a revert of one account did.
package struct RevertSummary: Sendable, Codable, Equatable {
  package var account: String
  package var dryRun: Bool
  /// Messages whose flags or keywords are the server's again.
  package var marked = 0
  /// Moved back.
  package var moved = 0
  /// Deleted here, and wanted again: downloaded by this run, or by the next pull.
  package var restored = 0
  /// Edited files that were set aside.
  package var setAside = 0
  /// Folders that have their names again.
  package var folders = 0
  /// Messages, copies and folders that exist only here.
  package var kept = 0
  package var seconds: Double = 0
  package var actions: [RevertAction] = []
  package var problems: [RunProblem] = []
  package var exitStatus: Int32 = 0
  package var isLogInRefused = false
  /// The server accepted no further connection.
  package var isCrowded = false
  /// Mailboxes of which something is to be downloaded.
  package var awaited: Set<String> = []

  private enum CodingKeys: String, CodingKey {
    case account, dryRun, marked, moved, restored, setAside, folders, kept, seconds, actions,
      problems, exitStatus
  }

  package init(account: String, dryRun: Bool = false) {
    self.account = account
    self.dryRun = dryRun
  }

  package mutating func add(_ action: RevertAction) {
    guard action.count > 0 else { return }
    switch action.kind {
    case .rename: folders += action.count
    case .mark: marked += action.count
    case .move: moved += action.count
    case .restore: restored += action.count
    case .setAside: setAside += action.count
    case .keep, .keepCopy, .keepFolder: kept += action.count
    }
    let place = actions.firstIndex {
      $0.kind == action.kind && $0.mailbox == action.mailbox && $0.detail == action.detail
    }
    if let place { actions[place].count += action.count } else { actions.append(action) }
  }

  package mutating func add(_ problem: RunProblem) {
    problems.append(problem)
    let status = ExitStatus(rawValue: problem.exitStatus) ?? .inPart
    exitStatus = (ExitStatus(rawValue: exitStatus) ?? .done).combined(with: status).rawValue
  }

  /// The pull that brings what was deleted or edited here.
  package mutating func add(_ pull: PullSummary) {
    for problem in pull.problems { add(problem) }
    seconds += pull.seconds
    isLogInRefused = isLogInRefused || pull.isLogInRefused
    isCrowded = isCrowded || pull.isCrowded
    if pull.exitStatus == 0 { awaited = [] }
  }
}

/// What became of a plan's files.
package struct RevertedFiles: Sendable {
  package var actions: [RevertAction] = []
  package var problems: [RunProblem] = []

  package init() {}
}
