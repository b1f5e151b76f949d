import Ledger
import MailCore
import SyncPlan

extension PushSurvey {
  /// New messages and copies that the server refused, each time so far: they wait, and a push tries them again.
  func refusedUploads(_ refusals: [PushRefusal]) -> [RunProblem] {
    var reasons: [Reason: Int] = [:]
    for upload in plan.uploads {
      let subject = RefusalSubject.upload(upload.file.digest.contentHash)
      let refusal = refusals.first { $0.mailbox == upload.mailbox && $0.subject == subject }
      guard let refusal else { continue }
      let reason = Reason(
        mailbox: name(upload.mailbox), words: String(refusal.reason.prefix(300)),
        obstacle: refusal.obstacle, isCopy: upload.source != nil)
      reasons[reason, default: 0] += 1
    }
    return reasons.sorted { ($0.key.mailbox, $0.key.words) < ($1.key.mailbox, $1.key.words) }.map {
      let count =
        $0.key.isCopy
        ? Quantities.count($0.value, "copy", "copies") : Quantities.count($0.value, "new message")
      return RunProblem(
        mailbox: $0.key.mailbox,
        problem: "The server refused \(count) (\($0.key.words.visible)): "
          + ($0.value == 1 ? "it stays here." : "they stay here."),
        remedy: RefusalRemedy(
          change: $0.key.isCopy ? .copy : .message, obstacle: $0.key.obstacle
        ).words)
    }
  }

  /// Other changes that the server refused and that still wait here.
  func refusedChanges(_ refusals: [PushRefusal]) -> [RunProblem] {
    refusals.compactMap { refusal in
      let words = "(\(String(refusal.reason.prefix(300)).visible))"
      func remedy(_ change: RefusalRemedy.Change) -> String {
        RefusalRemedy(
          change: change, obstacle: refusal.obstacle,
          isGivenUp: refusal.attempts >= PushRefusal.most
        ).words
      }
      switch refusal.subject {
      case .create(let name):
        guard actions.contains(where: { $0.kind == .create && $0.mailbox == name }) else {
          return nil
        }
        return RunProblem(
          mailbox: name,
          problem: "The server refuses to make this mailbox \(words): its folder stays here.",
          remedy: remedy(.creation))
      case .rename(let name):
        guard actions.contains(where: { $0.kind == .rename && $0.detail == name }) else {
          return nil
        }
        return RunProblem(
          mailbox: self.name(refusal.mailbox),
          problem: "The server refuses the new name “\(name.visible)” \(words): the folder waits.",
          remedy: remedy(.rename))
      default:
        guard let what = pending(refusal) else { return nil }
        return RunProblem(
          mailbox: name(refusal.mailbox),
          problem: "The server refused \(what) \(words): they stay here.", remedy: remedy(.change))
      }
    }
  }

  /// In words; nil where nothing of the kind waits.
  private func pending(_ refusal: PushRefusal) -> String? {
    let mailbox = refusal.mailbox
    let isClosed = plan.waiting.contains { $0.mailbox == mailbox && $0.reason == .readOnly }
    switch refusal.subject {
    case .mailbox: return isClosed ? "changes of this mailbox" : nil
    case .marks:
      let waits = plan.marks.contains { $0.mailbox == mailbox }
      return waits || isClosed ? "flags or keywords" : nil
    case .deletions:
      let waits = plan.deletions.contains { $0.mailbox == mailbox }
      return waits || isClosed ? "deletions" : nil
    case .moves(let target):
      let waits = plan.moves.contains { $0.from == mailbox && $0.to == target }
      return waits || isClosed ? "moves to “\(name(target).visible)”" : nil
    case .uploads, .labels, .rename, .create, .upload, .edit, .flag, .keyword, .lost, .tries:
      return nil
    }
  }

  private struct Reason: Hashable {
    var mailbox: String
    var words: String
    var obstacle: PushRefusal.Obstacle?
    var isCopy: Bool
  }
}

extension [PushRefusal] {
  /// ` (words)`, of those that were asked to become mailboxes, by name.
  var namesRefused: [String: String] {
    reduce(into: [:]) { names, refusal in
      guard case .create(let name) = refusal.subject, !refusal.reason.isEmpty else { return }
      names[name] = " (\(String(refusal.reason.prefix(300)).visible))"
    }
  }
}
