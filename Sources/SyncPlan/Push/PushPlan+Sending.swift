import Ledger

extension PushPlan {
  /// Whether a change goes into the plan; where it has to wait, that is counted.
  mutating func sends(_ sending: Sending, from mailbox: MailboxKey, to target: MailboxKey? = nil)
    -> Bool
  {
    switch sending {
    case .send, .sendAfterMove: return true
    case .leave, .keepHere: return false
    case .wait(let reason): wait(mailbox, reason)
    case .waitAtTarget(let reason): wait(target ?? mailbox, reason)
    }
    return false
  }

  private mutating func wait(_ mailbox: MailboxKey, _ reason: WaitingChanges.Reason) {
    let place = waiting.firstIndex { $0.mailbox == mailbox && $0.reason == reason }
    if let place {
      waiting[place].count += 1
    } else {
      waiting.append(WaitingChanges(mailbox: mailbox, count: 1, reason: reason))
    }
  }
}
