import Ledger
import MailCore
import Remote

/// Of which mailboxes UIDs were found to mean the messages that pulls saw under them, in this run. The size of one message
/// tells, which is asked for with the opening.
final class ProvenNumbers {
  private let context: AccountContext
  private let known: KnownMailboxes
  /// Those of which nothing can be asked, too.
  private var proven: Set<MailboxKey> = []

  /// What is asked about a mailbox.
  struct Question {
    fileprivate let numbers: KnownNumbers
    /// The newest that a pull has seen.
    let message: MessageRecord
  }

  init(_ context: AccountContext, _ known: KnownMailboxes) {
    self.context = context
    self.known = known
  }

  /// Nil where it was asked, or nothing can be.
  func question(about mailbox: MailboxKey) throws -> Question? {
    guard !proven.contains(mailbox), let record = known.records[mailbox], record.forwardCursor > 0
    else { return nil }
    let seen = UIDSet(1...record.forwardCursor)
    let numbers = KnownNumbers(
      context: context, mailbox: record,
      uids: try context.state.uids(.known, in: mailbox).intersection(seen))
    guard let message = try numbers.probe() else {
      proven.insert(mailbox)
      return nil
    }
    return Question(numbers: numbers, message: message)
  }

  /// - Parameter size: of the message that was asked about.
  func meanOthers(_ question: Question, size: Int64?, _ open: borrowing OpenMailbox) throws -> Bool
  {
    let mailbox = question.numbers.mailbox.id
    if let local = try context.folders.local(ofMailbox: mailbox),
      try question.numbers.meanOthers(question.message, size: size, local, open)
    {
      return true
    }
    proven.insert(mailbox)
    return false
  }

  /// - Returns: whether the size alone proves it.
  func prove(_ question: Question, size: Int64?) -> Bool {
    guard size == question.message.serverSize else { return false }
    proven.insert(question.numbers.mailbox.id)
    return true
  }
}
