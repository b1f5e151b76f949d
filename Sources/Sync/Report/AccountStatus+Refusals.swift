import Ledger
import MailCore
import SyncPlan

extension PushSurvey {
  /// New messages that the server refused, each time so far: they wait, and a push tries them again.
  func refusedUploads(_ refusals: [PushRefusal]) -> [RunProblem] {
    var reasons: [Reason: Int] = [:]
    for upload in plan.uploads where upload.source == nil {
      let subject = RefusalSubject.upload(upload.file.digest.contentHash)
      let refusal = refusals.first { $0.mailbox == upload.mailbox && $0.subject == subject }
      guard let refusal else { continue }
      let words = String(refusal.reason.prefix(300))
      reasons[Reason(mailbox: name(upload.mailbox), words: words), default: 0] += 1
    }
    return reasons.sorted { ($0.key.mailbox, $0.key.words) < ($1.key.mailbox, $1.key.words) }.map {
      RunProblem(
        mailbox: $0.key.mailbox,
        problem: "The server refused \(Quantities.count($0.value, "new message")) "
          + "(\($0.key.words.visible)): here they stay.",
        remedy: "Each push tries them again.")
    }
  }

  private struct Reason: Hashable {
    var mailbox: String
    var words: String
  }
}
