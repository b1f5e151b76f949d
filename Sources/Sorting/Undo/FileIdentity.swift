import Maildir

/// What a file keeps through every rename: by it a file is known again under another name, and told from another file
/// that has its name. An inode alone is no proof: a file system gives it anew.
package struct FileIdentity: Codable, Sendable, Hashable {
  var inode: UInt64
  var size: UInt64
  /// Nanoseconds since 1970.
  var modified: Int64

  init(_ facts: FileFacts) {
    inode = facts.inode
    size = facts.size
    modified = facts.modified
  }

  /// As a move to another file system leaves it.
  func isCopied(from other: FileIdentity) -> Bool {
    size == other.size && modified == other.modified
  }
}
