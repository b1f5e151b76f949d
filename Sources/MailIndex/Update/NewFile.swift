import MailCore
import Maildir

/// A file in the tree that the index does not have in this place.
struct NewFile: Sendable {
  let file: MessageFile
  /// As the directory tells it.
  let inode: UInt64
  /// Place in the list of scanned folders.
  let folder: Int32
  /// The row that it replaces: the same name with another inode. 0 for none.
  let replaces: Int64
}

extension IndexFlags {
  init(_ flags: MessageFlags) {
    var set: IndexFlags = []
    if flags.contains(.seen) { set.insert(.seen) }
    if flags.contains(.answered) { set.insert(.replied) }
    if flags.contains(.flagged) { set.insert(.flagged) }
    if flags.contains(.draft) { set.insert(.draft) }
    if flags.contains(.deleted) { set.insert(.trashed) }
    if flags.contains(.forwarded) { set.insert(.passed) }
    self = set
  }
}
