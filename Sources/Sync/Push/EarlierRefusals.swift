import Ledger
import SyncPlan

/// What the refusals of earlier runs say.
extension [PushRefusal] {
  /// Refused in three runs for want of a right (`PushRefusal.most`): it is not asked for again.
  var denied: [MailboxKey: Set<RefusalSubject>] {
    var denied: [MailboxKey: Set<RefusalSubject>] = [:]
    for refusal in self where refusal.attempts >= PushRefusal.most {
      denied[refusal.mailbox, default: []].insert(refusal.subject)
    }
    return denied
  }

  var lost: Set<MessageKey> {
    Set(
      compactMap { refusal in
        guard case .lost(let uid) = refusal.subject else { return nil }
        return MessageKey(mailbox: refusal.mailbox, uid: uid)
      })
  }

  var unkeepable: [MailboxKey: UnkeepableMarks] {
    var marks: [MailboxKey: UnkeepableMarks] = [:]
    for refusal in self {
      guard let mark = UnkeepableMarks(refusal: refusal.subject) else { continue }
      marks[refusal.mailbox, default: UnkeepableMarks()].formUnion(mark)
    }
    return marks
  }
}
