import MailCore

/// The server's side of one mailbox, as one flight brought it.
package struct MailboxDelta: Sendable {
  package var uidValidity: UIDValidity
  /// 0 where the server did not say.
  package var uidNext: UInt32
  /// EXISTS at the moment of the listing.
  package var exists: Int
  package var highestModSeq: ModSequence
  /// Every UID the server listed; nil when only the new ones were asked for.
  package var listed: UIDSet?
  /// UIDs from the question's `newFrom` up.
  package var new = UIDSet()
  package var vanished = UIDSet()
  /// Servers of this kind name messages in VANISHED that are there.
  package var vanishedIsDoubtful = false
  package var marks = MarkTable()
  /// RFC822.SIZE of messages, where it was asked for.
  package var sizes: [UID: Int64] = [:]
  /// RFC822.SIZE of the one message that was asked for to see whether numbers mean what they did.
  package var probedSize: Int64?
  package var mailboxID: String?

  package init(uidValidity: UIDValidity, uidNext: UInt32, exists: Int, highestModSeq: ModSequence) {
    self.uidValidity = uidValidity
    self.uidNext = uidNext
    self.exists = exists
    self.highestModSeq = highestModSeq
  }
}
