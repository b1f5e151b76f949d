import MailCore

/// Directories that a walk has met: one that can be reached by several ways (symbolic links) counts once. Where a path
/// was claimed for it, only there.
struct SeenDirectories {
  private var seen: Set<DirectoryIdentity> = []
  private var claims: [DirectoryIdentity: [String]] = [:]

  /// - Returns: false where it was met before.
  mutating func meet(_ directory: Directory) throws(MaildirError) -> Bool {
    seen.insert(try directory.identity).inserted
  }

  /// The first claim counts.
  mutating func claim(_ path: [String], for directory: Directory) throws(MaildirError) {
    let identity = try directory.identity
    if claims[identity] == nil { claims[identity] = path }
  }

  /// The path that was claimed for it; nil where none was.
  func claim(for directory: Directory) throws(MaildirError) -> [String]? {
    claims[try directory.identity]
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
