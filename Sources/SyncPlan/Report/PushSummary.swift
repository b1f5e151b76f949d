import MailCore

/// One thing that a push did, or would do, to a number of messages.
package struct PushAction: Sendable, Codable, Equatable {
  package enum Kind: String, Sendable, Codable {
    case rename, create, mark, move, upload, replace, trash, expunge
    /// Copied by the server from one mailbox to another.
    case copy
    /// Gmail: removed from one mailbox, and kept in others.
    case unlabel
    /// Waits for `--allow-mass-delete`, for a pull, or for good.
    case held, waiting, refused, edited
  }

  package var kind: Kind
  package var mailbox: String
  /// The other mailbox of a move or rename; what is set or removed, for marks; else why it waits.
  package var detail: String?
  package var count: Int

  package init(_ kind: Kind, mailbox: String, detail: String? = nil, count: Int = 1) {
    self.kind = kind
    self.mailbox = mailbox
    self.detail = detail
    self.count = count
  }
}

/// What a push of one account did.
package struct PushSummary: Sendable, Codable, Equatable {
  package var account: String
  package var dryRun: Bool
  /// Messages whose flags or keywords were sent.
  package var marked = 0
  /// To another mailbox, or copied there by the server.
  package var moved = 0
  /// Of `moved`, those that stay where they were, too.
  package var copied = 0
  package var uploaded = 0
  /// Moved to Trash, or expunged.
  package var deleted = 0
  /// Mailboxes made or renamed.
  package var folders = 0
  /// Changes that could not be carried out now: held, refused, waiting.
  package var pending = 0
  package var bytes: Int64 = 0
  package var seconds: Double = 0
  package var actions: [PushAction] = []
  package var problems: [RunProblem] = []
  package var exitStatus: Int32 = 0
  /// The server refused the log-in, now or before: nothing comes of another try until a person has changed something.
  package var isLogInRefused = false
  /// The server accepted no further connection.
  package var isCrowded = false

  /// What records of runs and `--format json` have of it.
  private enum CodingKeys: String, CodingKey {
    case account, dryRun, marked, moved, copied, uploaded, deleted, folders, pending, bytes,
      seconds, actions, problems, exitStatus
  }

  package init(account: String, dryRun: Bool = false) {
    self.account = account
    self.dryRun = dryRun
  }

  package mutating func add(_ action: PushAction) {
    guard action.count > 0 else { return }
    switch action.kind {
    case .mark: marked += action.count
    case .move, .unlabel: moved += action.count
    case .copy:
      moved += action.count
      copied += action.count
    case .upload, .replace: uploaded += action.count
    case .trash, .expunge: deleted += action.count
    case .rename, .create: folders += action.count
    case .held, .waiting, .refused, .edited: pending += action.count
    }
    let place = actions.firstIndex {
      $0.kind == action.kind && $0.mailbox == action.mailbox && $0.detail == action.detail
    }
    if let place {
      actions[place].count += action.count
    } else {
      actions.append(action)
    }
  }

  package mutating func add(_ problem: RunProblem) {
    problems.append(problem)
    let status = ExitStatus(rawValue: problem.exitStatus) ?? .inPart
    exitStatus = (ExitStatus(rawValue: exitStatus) ?? .done).combined(with: status).rawValue
  }
}
