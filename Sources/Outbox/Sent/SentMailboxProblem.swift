import MailCore
import Queue

package enum SentMailboxProblem: Error, Equatable, Sendable {
  /// No mailbox is marked \Sent, and none is called so.
  case none
  /// For a reason that has no words of its own.
  case copyNotFiled(QueueID, reason: String)

  static let laterCopy = "It is tried again with the next push."
}

extension SentMailboxProblem: Explained {
  package var explanation: Explanation {
    switch self {
    case .none:
      Explanation(
        problem: "The server has no mailbox for sent mail, so no copy was filed.",
        remedy: "Create one called Sent, or set sent-copy = \"server\".", exitStatus: .inPart)
    case .copyNotFiled(let id, let reason):
      Explanation(
        problem:
          "The copy of \(id) for the Sent mailbox could not be filed: \(reason.withoutPeriod).",
        remedy: Self.laterCopy, exitStatus: .inPart)
    }
  }
}
