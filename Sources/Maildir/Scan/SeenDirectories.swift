import MailCore

/// Directories that a walk has met: one that can be reached by several ways (symbolic links) counts once.
struct SeenDirectories {
  private struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  private var seen: Set<Identity> = []

  /// - Returns: false where it was met before.
  mutating func meet(_ directory: Directory) throws(MaildirError) -> Bool {
    let facts = try directory.facts()
    return seen.insert(Identity(device: facts.device, inode: facts.inode)).inserted
  }

  /// Meets all directories above one: what leads up there leads out of the tree, and around.
  mutating func meetAll(above directory: Directory) throws(MaildirError) {
    var above = directory
    while let next = above.parent, try meet(next) { above = next }
  }
}
