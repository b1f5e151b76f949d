import MailCore

/// What one push deleted of one mailbox on the server, and what the mailbox's folder had then: bit by bit several pushes
/// could do what none would be let do at once (DESIGN promise 4).
package struct CarriedDeletions: Sendable, Equatable {
  package var mailbox: Int64
  /// When the push began, Unix seconds.
  package var time: Int64
  package var uidValidity: UInt32
  /// Messages below it were there then.
  package var uidNext: UInt32
  /// How many messages ought to have had a file.
  package var size: Int
  package var uids: UIDSet

  package init(
    mailbox: Int64, time: Int64, uidValidity: UInt32, uidNext: UInt32, size: Int, uids: UIDSet
  ) {
    self.mailbox = mailbox
    self.time = time
    self.uidValidity = uidValidity
    self.uidNext = uidNext
    self.size = size
    self.uids = uids
  }
}
