import MailCore

/// Where a run of one account is (DESIGN section 5, the state machine that progress reports).
package enum RunStage: String, Sendable, Codable {
  case idle, connecting, authenticating
  case refreshingToken = "refreshing-token"
  case folders, headers,
    bodies, indexing, listening
  case retryScheduled = "retry-scheduled"
}

/// How far one mailbox is.
package struct MailboxProgress: Sendable {
  package var mailbox: String
  /// Messages delivered so far in this run, and how many this run means to deliver.
  package var messages: Int
  package var messagesExpected: Int
  /// Body bytes received so far.
  package var bytes: Int64

  package init(mailbox: String, messages: Int, messagesExpected: Int, bytes: Int64) {
    self.mailbox = mailbox
    self.messages = messages
    self.messagesExpected = messagesExpected
    self.bytes = bytes
  }
}

/// Something that a person must hear of: it did not go as it should, or it went unusually.
package struct RunProblem: Sendable, Codable, Equatable {
  /// Nil where the whole account is meant.
  package var mailbox: String?
  /// Nil where the whole mailbox is meant.
  package var uid: UInt32?
  /// Safe for terminals.
  package var problem: String
  package var remedy: String?
  /// 0 for a mere notice.
  package var exitStatus: Int32

  package init(
    mailbox: String? = nil, uid: UInt32? = nil, problem: String, remedy: String? = nil,
    exitStatus: ExitStatus = .inPart
  ) {
    self.mailbox = mailbox
    self.uid = uid
    self.problem = problem.visible
    self.remedy = remedy?.visible
    self.exitStatus = exitStatus.rawValue
  }

  package init(_ error: any Explained, mailbox: String? = nil, uid: UInt32? = nil) {
    let explanation = error.explanation
    self.init(
      mailbox: mailbox, uid: uid, problem: explanation.problem, remedy: explanation.remedy,
      exitStatus: explanation.exitStatus)
  }
}

/// Hears of a run while it goes on. Called from connection threads: it must be quick and never block.
package protocol RunObserver: Sendable {
  func entered(_ stage: RunStage, account: String)
  func progressed(_ progress: MailboxProgress, account: String)
  func noticed(_ problem: RunProblem, account: String)
}

/// Hears nothing.
package struct SilentObserver: RunObserver {
  package init() {}
  package func entered(_ stage: RunStage, account: String) {}
  package func progressed(_ progress: MailboxProgress, account: String) {}
  package func noticed(_ problem: RunProblem, account: String) {}
}
