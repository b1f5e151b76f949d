import Ledger
import MailCore
import Maildir

extension MailboxRecord {
  /// As which of the mailbox's messages a pull gave a file its name, by the numbers that it has now; nil where the name tells
  /// of none of them. It is a hint: a file keeps its name wherever it goes, and whatever becomes of the message.
  package func uid(bornAs base: [UInt8]) -> UID? {
    guard let birth = BirthName(base: base), birth.uidValidity.rawValue == uidValidity,
      birth.isBorn(in: mailboxName)
    else { return nil }
    return birth.uid
  }

  /// Whether a pull downloaded the message since every mailbox was last visited: it may be what is gone from another mailbox.
  package func hasArrived(_ message: MessageRecord) -> Bool {
    message.uid.rawValue > settledCursor && uid(bornAs: message.name) == message.uid
  }
}
