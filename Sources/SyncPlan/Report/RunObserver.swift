import MailCore

/// Where a run of one account is: the state machine that progress reports.
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
