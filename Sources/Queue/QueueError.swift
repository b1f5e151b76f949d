import MailCore
import Maildir

/// Why the queue cannot do what it was asked.
package enum QueueError: Error, Equatable, Sendable {
  case files(MaildirError)
  case noSuchEntry(String)
  case ambiguous(String, [QueueID])
  case damaged(QueueID, QueueDamage)
  case notAllowed(QueueID, QueueTransitionError)
  /// It was sent, and the queue has no more than its records.
  case inSentOnly(QueueID)
  /// Sent, released or changed otherwise while it was edited.
  case changedMeanwhile(QueueID)
  /// Another push has the queue in hand.
  case senderBusy
}

extension QueueError: Explained {
  package var explanation: Explanation {
    switch self {
    case .files(let error): error.explanation
    case .noSuchEntry(let text):
      Explanation(
        problem: "The queue holds no message “\(text.visible)”.",
        remedy: "`mirror outbox` lists what is there.", exitStatus: .usage)
    case .ambiguous(let text, let ids):
      Explanation(
        problem: "“\(text.visible)” begins the ids of \(ids.count) messages: "
          + ids.prefix(5).map(\.text).joined(separator: ", ") + ".",
        remedy: "Give more letters of the id.", exitStatus: .usage)
    case .damaged(let id, let damage):
      Explanation(
        problem: "The queued message \(id) is parked: \(damage.words.visible).",
        remedy: damage.remedy(id), exitStatus: .inPart)
    case .inSentOnly(let id):
      Explanation(
        problem: "The message \(id) was sent, and the queue keeps only its record: "
          + "it cannot be sent again, edited or held here.",
        remedy: "Its copy lies in Sent: send that anew from your mail reader."
          + " `mirror outbox discard \(id)` forgets the record.", exitStatus: .inPart)
    case .changedMeanwhile(let id):
      Explanation(
        problem: "The queued message \(id) was changed or sent while it was edited.",
        remedy: "`mirror outbox show \(id)` tells what became of it.", exitStatus: .inPart)
    case .notAllowed(let id, let error):
      Explanation(
        problem: "The queued message \(id) is \(error.state.rawValue), so that cannot be done now.",
        remedy: error.state == .sending
          ? "Wait until the push is over." : "`mirror outbox show \(id)` tells more.",
        exitStatus: .inPart)
    case .senderBusy:
      Explanation(
        problem: "Another push is sending this account’s queue.",
        again: "Wait until it is done and run again.", exitStatus: .busy)
    }
  }
}
