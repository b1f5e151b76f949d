import IMAPWire
import MailCore
import Remote
import SyncPlan

/// A server whose UIDVALIDITY is the time of the last look (GNU mailutils over Maildir, while new mail lies there) cannot
/// be mirrored: the UIDs of one look mean other messages, or none, at the next, also between two commands of a push.
struct NumberedByClock {
  let mailbox: PulledMailbox

  /// So far may the server's clock and ours be apart, in seconds.
  private static let clockSkew: Int64 = 900
  /// UIDVALIDITY counts seconds.
  private static let pause = 1.1

  /// A mailbox that was deleted and made anew just now has a UIDVALIDITY of this minute, too: only that it is another one
  /// a moment later tells them apart.
  ///
  /// - Throws: ``SyncError/numberedByClock(_:)``
  func check(_ delta: MailboxDelta, _ remote: borrowing OpenMailbox) throws {
    let (validity, known) = (delta.uidValidity, mailbox.record.uidValidity)
    // Over mbox mailutils has nowhere to keep the number of one that is empty, and there is nothing that it could number.
    guard known != 0, validity.rawValue != known, delta.exists > 0,
      abs(Int64(validity.rawValue) - mailbox.context.started) < Self.clockSkew
    else { return }
    guard mailbox.context.interrupt.wait(seconds: Self.pause) else { throw SyncError.interrupted }
    if let now = try remote.validityNow(), now != validity {
      throw SyncError.numberedByClock(mailbox.name)
    }
  }
}
