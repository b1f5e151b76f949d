import IMAPWire
import Ledger
import MailCore

/// A mailbox to open, and the UIDVALIDITY under which its UIDs are known.
package struct MailboxTarget: Sendable {
  package var name: MailboxName
  /// The server's own spelling.
  package var rawName: [UInt8]
  /// Nil on first sight.
  package var uidValidity: UIDValidity?

  init(name: MailboxName, rawName: [UInt8], uidValidity: UIDValidity?) {
    self.name = name
    self.rawName = rawName
    self.uidValidity = uidValidity
  }

  package init(_ record: MailboxRecord) {
    self.init(
      name: record.mailboxName, rawName: record.rawName,
      uidValidity: record.uidValidity == 0 ? nil : UIDValidity(record.uidValidity))
  }

  /// Whatever its UIDs mean.
  package init(_ listing: MailboxListing) {
    self.init(name: listing.name, rawName: listing.rawName, uidValidity: nil)
  }
}

/// How to ask for what changed, in one flight with opening the mailbox.
package enum DeltaQuestion: Sendable, Equatable {
  /// First sight, or everything in doubt: all UIDs, and the marks of those up to `marksUpTo`.
  case everything(marksUpTo: UID?)
  /// CONDSTORE: all UIDs, and the marks changed since (RFC 7162 §3.1.4.1).
  case changedSince(ModSequence, marksUpTo: UID)
  /// QRESYNC: what vanished and changed since (RFC 7162 §3.2.5); of the UIDs only those from `newFrom`,
  /// or all of them.
  case quickResync(UIDValidity, ModSequence, newFrom: UID, listsAll: Bool)
}
