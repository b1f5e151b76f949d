import MailCore
import Maildir

/// A message that the server has, and that it does not hand out: what else it tells of it shows which file may be the message.
struct UndeliveredMessage: Sendable {
  /// Nil where it does not hand out the header, either.
  var headerHash: HeaderHash?
  /// INTERNALDATE, Unix seconds.
  var date: Int64?
  /// RFC822.SIZE; nil where the server counts wrong.
  var size: Int64?

  /// - Parameter date: the INTERNALDATE that the file was pulled with.
  func mayBe(_ digest: MessageDigest, of date: Int64) -> Bool {
    if let headerHash { return headerHash == digest.headerHash }
    return self.date == date && size == Int64(clamping: digest.serverSize)
  }
}
