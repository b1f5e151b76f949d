import MailCore

/// One mailbox as the last run left it, with its cursors.
///
/// All numbers are the server's own; 0 stands for "not known".
package struct MailboxRecord: Codable, Sendable, Equatable {
  package let id: MailboxKey
  /// Decoded name, NFC.
  package var name: String
  /// The bytes the server uses for the name: what goes back to it.
  package var rawName: [UInt8] {
    get { rawNameBlob.bytes }
    set { rawNameBlob = HexBytes(newValue) }
  }
  private var rawNameBlob: HexBytes
  package var delimiter: String?
  /// Its place below the account's directory.
  package var folder: FolderPath
  /// MAILBOXID of RFC 8474, where the server gives one.
  package var mailboxID: String?
  package var specialUse: String?
  package var uidValidity: UInt32 = 0
  package var uidNext: UInt32 = 0
  /// EXISTS as of the last complete pass; ``uncounted`` where it cannot be what the server has.
  package var exists: Int = 0
  package var highestModSeq: Int64 = 0
  /// Every UID up to here is known: new mail lies above it.
  package var forwardCursor: UInt32 = 0
  /// The forward cursor as the last pull left it that visited every mailbox: what lies above it has come since, and may
  /// be what is gone from another mailbox.
  package var settledCursor: UInt32 = 0
  /// Every UID from here to the forward cursor is known: history lies below it. 1 when history is whole.
  package var backwardCursor: UInt32 = 0
  /// Set durably before the first delivery, cleared when a pass is complete:
  /// while it is set, the folder may hold files that no row tells of.
  package var isDirty: Bool = false
  /// Modification times of `new` and `cur` when the folder last agreed with this state, in nanoseconds.
  package var newModified: Int64 = 0
  package var curModified: Int64 = 0
  /// Which directories those were: others that were put in their place may have their times.
  package var newInode: Int64 = 0
  package var curInode: Int64 = 0
  /// The server no longer lists it; its folder stays as a local one.
  package var isGone: Bool = false
  /// Messages before this moment are not kept here (Unix seconds); nil when the window is open, ``keepsNothing``
  /// where it is shut.
  package var windowStart: Int64?
  /// The folder may not match this record: the tree, or the state, came back from elsewhere. Until a whole pass with a
  /// trusted listing is through, nothing counts as deleted, and what is missing is downloaded.
  package var needsAdoption: Bool = false

  /// It was mirrored while the configuration named it, and is not now: what lies in its folder stays.
  package var isLeftOut: Bool = false

  /// Since when (Unix seconds) the server has shown less than it did before, in run after run; nil where it does not.
  package var behindSince: Int64?

  /// UIDs up to here were other messages' before, under the same UIDVALIDITY: the name of a file may tell of those.
  package var earlierNumbers: UInt32 = 0

  package init(
    id: MailboxKey, name: String, rawName: [UInt8], delimiter: String?, folder: FolderPath
  ) {
    self.id = id
    self.name = name
    rawNameBlob = HexBytes(rawName)
    self.delimiter = delimiter
    self.folder = folder
  }

  /// No server counts as many, so that the mailbox is looked at.
  package static let uncounted = -1

  /// A window that is shut.
  package static let shutWindow = Int64.max

  /// The mailbox is not mirrored, and known only so that messages can be moved to it: no pull looks into it. What is put
  /// into its folder goes up like anything else, and leaves the tree when the server has it there. So a file that is
  /// missing in this folder never counts as deleted.
  package var keepsNothing: Bool { windowStart == Self.shutWindow }

  /// The mailbox is mirrored from now on: what lies in its folder is matched with the messages that a pull finds.
  package mutating func openWindow() {
    windowStart = nil
    (uidValidity, uidNext, exists, highestModSeq) = (0, 0, 0, 0)
    (forwardCursor, settledCursor, backwardCursor) = (0, 0, 0)
    needsAdoption = true
  }

  /// The mailbox is mirrored again: what went from its folder meanwhile is downloaded.
  package mutating func mirrorAgain() {
    isLeftOut = false
    needsAdoption = true
    // A push has recorded it as what a window leaves out.
    windowStart = Self.shutWindow - 1
  }

  package var mailboxName: MailboxName { MailboxName(name, delimiter: delimiter?.first) }

  /// History is downloaded, or recorded as pruned, down to UID 1.
  package var hasWholeHistory: Bool { uidValidity != 0 && backwardCursor == 1 }
}
