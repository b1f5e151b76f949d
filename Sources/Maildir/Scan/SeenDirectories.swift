import MailCore

/// Directories that a walk has met: one that can be reached by several ways (symbolic links) counts once. Where a path
/// was claimed for it, only there.
struct SeenDirectories {
  /// Device and inode. Text, because the first set of one more type makes the runtime look through the conformances of
  /// the whole program, which takes longer than the walk through a common tree.
  private typealias Identity = String

  private var seen: Set<Identity> = []
  private var claims: [Identity: [String]] = [:]

  /// - Returns: false where it was met before.
  mutating func meet(_ directory: Directory) throws(MaildirError) -> Bool {
    seen.insert(try identity(of: directory)).inserted
  }

  /// The first claim counts.
  mutating func claim(_ path: [String], for directory: Directory) throws(MaildirError) {
    let identity = try identity(of: directory)
    if claims[identity] == nil { claims[identity] = path }
  }

  /// The path that was claimed for it; nil where none was.
  func claim(for directory: Directory) throws(MaildirError) -> [String]? {
    claims[try identity(of: directory)]
  }

  private func identity(of directory: Directory) throws(MaildirError) -> Identity {
    let facts = try directory.facts()
    return "\(facts.device):\(facts.inode)"
  }

  /// Meets all directories above one: what leads up there leads out of the tree, and around.
  mutating func meetAll(above directory: Directory) throws(MaildirError) {
    var above = directory
    while let next = above.parent {
      let isNew = try meet(next)
      // The file system's root lies in itself.
      guard isNew else { return }
      above = next
    }
  }
}
