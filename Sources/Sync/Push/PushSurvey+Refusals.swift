import Ledger
import SyncPlan

/// What the refusals of earlier runs say.
extension PushSurvey {
  /// Three refusals, and a mailbox is not asked again (DESIGN section 6).
  static func closed(_ refusals: [PushRefusal]) -> Set<Int64> {
    Set(
      refusals.filter { $0.subject == .mailbox && $0.attempts >= PushRefusal.most }.map(\.mailbox))
  }

  static func denied(_ refusals: [PushRefusal]) -> [Int64: Set<RefusalSubject>] {
    var denied: [Int64: Set<RefusalSubject>] = [:]
    for refusal in refusals where refusal.attempts >= PushRefusal.most {
      denied[refusal.mailbox, default: []].insert(refusal.subject)
    }
    return denied
  }

  static func lost(_ refusals: [PushRefusal]) -> Set<MessageKey> {
    Set(
      refusals.compactMap { refusal in
        guard case .lost(let uid) = refusal.subject else { return nil }
        return MessageKey(mailbox: refusal.mailbox, uid: uid)
      })
  }

  static func unkeepable(_ refusals: [PushRefusal]) -> [Int64: UnkeepableMarks] {
    var marks: [Int64: UnkeepableMarks] = [:]
    for refusal in refusals {
      guard let mark = UnkeepableMarks(refusal: refusal.subject) else { continue }
      marks[refusal.mailbox, default: UnkeepableMarks()].formUnion(mark)
    }
    return marks
  }
}
