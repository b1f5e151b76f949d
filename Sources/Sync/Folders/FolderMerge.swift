import Ledger
import MailCore
import Maildir
import State

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A folder whose directory cannot get its new place: another folder lies there (another mailbox's parent, or a person's
/// own), or it is on another disk. Its messages go there one by one.
struct FolderMerge {
  let context: AccountContext
  let mailbox: MailboxKey
  /// Which directory it was when that was begun. In another, which was put there since, only the mailbox's own messages
  /// are meant.
  let inode: Int64

  /// Goes on where an earlier run was cut off.
  func merge(_ old: FolderPath, into new: FolderPath) throws {
    let tree = context.tree
    guard let here = try context.folders.inode(of: old) else {
      return try tree.removeRemains(of: old)
    }
    let own = here == inode ? nil : try knownStems()
    let source = try MaildirFolder.open(old, in: tree)
    let target = try MaildirFolder.create(new, in: tree, fsync: context.policy.fsync)
    // Readers may give files other names meanwhile, and bring new ones.
    var isIts = own == nil
    for _ in 0..<3 where try moveAll(source, to: target, own) { isIts = true }
    if context.policy.fsync {
      try target.syncDirectories()
      try source.syncDirectories()
    }
    // Stays where messages are in it; one that a person began there is none of ours.
    if isIts { try? tree.dissolveFolder(old, fsync: context.policy.fsync) }
  }

  /// - Returns: whether there were any.
  private func moveAll(_ source: MaildirFolder, to target: MaildirFolder, _ own: Set<MessageStem>?)
    throws -> Bool
  {
    var files: [MessageFile] = []
    try FolderScan.forEachFile(in: source) { file in
      if own?.contains(file.stem) ?? true { files.append(file) }
    }
    for file in files {
      do throws(MaildirError) {
        // A keyword without a letter there stays agreed, and is taken off by nobody.
        _ = try source.move(
          file, to: target, policy: context.policy, letters: .translatedAsFarAsPossible)
      } catch {
        guard case .vanished = error else { throw error }
      }
    }
    return !files.isEmpty
  }

  private func knownStems() throws -> Set<MessageStem> {
    var stems = Set<MessageStem>()
    try context.state.forEachName(in: mailbox) { _, name in stems.insert(MessageStem(of: name)) }
    return stems
  }
}

extension MaildirError {
  /// Whether a folder that could not be moved can still give up its messages.
  var leavesMerging: Bool {
    switch self {
    case .nameTaken: true
    // A mount point, or another disk.
    case .system(_, _, let code): code == EBUSY || code == EXDEV
    default: false
    }
  }
}
