/// A message that a push sent once more, or is to, because the server did not show what had been sent before. It may
/// still come to light: a server stored it late, or a replica caught up. Then there are two.
package struct SecondSend: Sendable, Equatable {
  package var mailbox: Int64
  package var contentHash: UInt64
  package var uidValidity: UInt32
  /// Both are at this UID or beyond.
  package var uidNext: UInt32
  /// When the first one was given up, Unix seconds.
  package var time: Int64

  package init(
    mailbox: Int64, contentHash: UInt64, uidValidity: UInt32, uidNext: UInt32, time: Int64
  ) {
    self.mailbox = mailbox
    self.contentHash = contentHash
    self.uidValidity = uidValidity
    self.uidNext = uidNext
    self.time = time
  }
}
