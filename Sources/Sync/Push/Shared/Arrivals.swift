import Ledger
import MailCore

/// New messages, and copies of what the server had, once they are there.
struct Arrivals: PushPart {
  let desk: PushDesk

  /// The message is there: file and UID belong together, and the draft that it replaces is to go.
  ///
  /// - Parameter identity: the server's for the message, where it is known by now.
  func arrived(_ step: PushStep, at uid: UID, identity: String? = nil) throws {
    var record = step.record
    record.uid = uid
    if let identity { record.identity = identity }
    let old = try journal.source(of: step)
    try write { transaction in
      if let old, let source = step.source {
        try transaction.hide(old, in: source.mailbox)
        var replaced = step
        replaced.stage = .copied(at: uid)
        try transaction.put(replaced)
      } else {
        try transaction.removeStep(step.number)
      }
      try transaction.put(record, in: step.target)
      try known.forgetCount(of: step.target, transaction)
      try transaction.removeRefusal(mailbox: step.target, subject: .upload(step.record.contentHash))
      try transaction.removeRefusal(mailbox: step.target, subject: .uploads)
    }
    report.countSent(record.serverSize)
    count(step.source == nil ? .upload : .replace, step.target)
  }

  /// The server said that the message is at this UID: whether it can be, or another has that.
  func isFree(_ uid: UID, in mailbox: MailboxKey) throws -> Bool {
    guard let record = try state.message(in: mailbox, uid) else { return true }
    // Gmail tells of the message that it had, which a window may have left out here.
    return known.labels != nil && record.isPruned && !record.traits.contains(.leaving)
  }
}
