import MailCore

/// STATUS data of one mailbox (RFC 9051 §7.3.4, RFC 7162 §3.1.7, RFC 8438, RFC 8474).
///
/// What the server left out, or sent as a negative number, is nil.
package struct MailboxStatus: Sendable, Equatable {
  /// The name as the server spelled it, undecoded.
  package var rawName: [UInt8]
  package var name: MailboxName
  package var messages: Int?
  package var recent: Int?
  package var unseen: Int?
  package var deleted: Int?
  package var uidNext: UID?
  package var uidValidity: UIDValidity?
  /// `.none` (0) where the mailbox keeps no mod-sequences.
  package var highestModSeq: ModSequence?
  package var size: Int64?
  package var mailboxID: String?

  package init(rawName: [UInt8], name: MailboxName) {
    self.rawName = rawName
    self.name = name
  }
}
