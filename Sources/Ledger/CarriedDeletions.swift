import MailCore

/// What one run deleted of one mailbox, and what the mailbox's folder had then: bit by bit several runs could do what
/// none would be let do at once (promises 3 and 4).
package struct CarriedDeletions: Sendable, Equatable {
  /// Which way a deletion went.
  package enum Way: String, Sendable {
    /// A push deleted on the server what was deleted here.
    case toServer = "carriedDeletions"
    /// A pull deleted here the oldest messages, which the server shows no longer without saying that they are expunged.
    case toTree = "followedDeletions"
  }

  package var mailbox: MailboxKey
  /// When the run began, Unix seconds.
  package var time: Int64
  package var uidValidity: UInt32
  /// Messages below it were there then.
  package var uidNext: UInt32
  /// How many messages ought to have had a file.
  package var size: Int
  package var uids: UIDSet

  package init(
    mailbox: MailboxKey, time: Int64, uidValidity: UInt32, uidNext: UInt32, size: Int, uids: UIDSet
  ) {
    self.mailbox = mailbox
    self.time = time
    self.uidValidity = uidValidity
    self.uidNext = uidNext
    self.size = size
    self.uids = uids
  }
}
