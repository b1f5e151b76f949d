import MailCore

/// Deletions of one mailbox that wait for a word of the person's (promise 4), with what was seen when they were
/// held back: by the next run the tree may look harmless.
package struct DeletionHold: Sendable, Equatable {
  package enum Cause: String, Sendable {
    case folder, half, many, all
    /// Other directories were in the folder's place.
    case replaced
    /// With what pushes of the last day had deleted.
    case halfInDay, manyInDay
  }

  package var mailbox: MailboxKey
  package var cause: Cause
  /// Messages that were gone from the mailbox's folder.
  package var count: Int
  /// Of how many: those of the folder, or all that were gone.
  package var total: Int
  /// Nil for whatever is gone when the tree is next looked at: the messages got other UIDs.
  package var uids: UIDSet?

  package init(mailbox: MailboxKey, cause: Cause, count: Int, total: Int, uids: UIDSet?) {
    self.mailbox = mailbox
    self.cause = cause
    self.count = count
    self.total = total
    self.uids = uids
  }

  package func holds(_ uid: UID) -> Bool { uids?.contains(uid) ?? true }
}

extension UIDSet {
  /// Reads `description` back; nil where it cannot be read, or is empty.
  package init?(stored text: String) {
    var ranges: [ClosedRange<UInt32>] = []
    for part in text.split(separator: ",") {
      let ends = part.split(separator: ":").map { UInt32($0) }
      guard let first = ends.first, let low = first, let last = ends.last, let high = last,
        low <= high
      else { return nil }
      ranges.append(low...high)
    }
    guard !ranges.isEmpty else { return nil }
    self.init(ranges: ranges)
  }
}
