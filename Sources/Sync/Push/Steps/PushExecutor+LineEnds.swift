import Maildir
import Remote
import SyncPlan

/// Yahoo refuses a message whose last line does not end: it gets the line end on the way, the file stays as it is.
/// ``DigestProbe/Found/holds(_:)`` knows it again.
extension PushExecutor {
  /// - Parameter last: the last byte of what is sent.
  func missingLineEnd(behind last: UInt8?) -> [UInt8] {
    remote.session.quirks.contains(.finalLineEnd) && last != 10 ? [13, 10] : []
  }

  /// Reads all of it, where the server is such a one: how long the message is must be known before it is sent.
  func missingLineEnd(of file: UnknownFile, in folder: MaildirFolder) throws -> [UInt8] {
    guard remote.session.quirks.contains(.finalLineEnd) else { return [] }
    var last: UInt8?
    try folder.readServerBytes(of: file.file, asCame: file.digest.asCame, policy: policy) {
      last = $0.last ?? last
    }
    return missingLineEnd(behind: last)
  }
}
