import MailCore
import Outbox
import Queue
import Settings

/// One account's queue: what waits, what needs somebody.
struct QueueExamination {
  let account: AccountSettings
  let status: QueueStatus

  /// Nothing where nothing is queued.
  func findings() -> [Finding] {
    let wrong = status.problems.map { problem in
      Finding.wrong(
        "queue", "\(problem.subject): \(problem.problem)", problem.remedy,
        ExitStatus(rawValue: status.exitStatus) ?? .inPart)
    }
    let queued = status.count(.queued)
    guard queued > 0 else { return wrong }
    guard account.smtp != nil else {
      return wrong + [.wrong("queue", AcceptanceError.noServer(account: account.name))]
    }
    return wrong + [.fine("queue", "\(queued) waiting for the next push")]
  }
}
