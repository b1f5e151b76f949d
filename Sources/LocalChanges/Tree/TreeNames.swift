import MailCore
import Maildir

/// All message files of an account by base name, for a run that adopts: eight bytes a file, and the files whose name
/// tells that they were born in another folder than they lie in.
package struct TreeNames: Sendable {
  private var hashes: [NameHash] = []
  private var strays: [(birth: BirthName, file: MessageFile, folder: FolderPath)] = []
  /// By its hash, the mailbox that each folder's first file was born in.
  private var homes: [FolderPath: BirthName.MailboxHash] = [:]
  private var tree: AccountTree?

  package init() {}

  package init(tree: AccountTree, layout: LayoutStyle) throws {
    self.tree = tree
    for path in try tree.folders(layout) {
      let folder = try MaildirFolder.open(path, in: tree)
      // Most files lie where they were born: only those of another mailbox than the folder's first are kept in memory.
      try FolderScan.forEachFile(in: folder) { file in
        hashes.append(file.baseHash)
        guard let birth = BirthName(base: file.base) else { return }
        if homes[path] == nil { homes[path] = birth.mailboxHash }
        if birth.mailboxHash != homes[path] { strays.append((birth, file, path)) }
      }
    }
    hashes.sortAscending()
  }

  package func contains(_ base: [UInt8]) -> Bool { hashes.holds(NameHash(of: base)) }

  /// Files that were born in a mailbox and lie in other folders than its own.
  package func files(bornIn mailbox: MailboxName, _ validity: UIDValidity, except own: FolderPath)
    throws
    -> [(MessageFile, FolderPath)]
  {
    func isMeant(_ birth: BirthName) -> Bool {
      birth.uidValidity == validity && birth.isBorn(in: mailbox)
    }
    var found = strays.filter { isMeant($0.birth) && $0.folder != own }
      .map { ($0.file, $0.folder) }
    // The first file of a folder may itself have been moved there, and others with it.
    guard let tree else { return found }
    let hash = BirthName.hash(of: mailbox)
    for (path, home) in homes where home == hash && path != own {
      try FolderScan.forEachFile(in: try MaildirFolder.open(path, in: tree)) { file in
        if let birth = BirthName(base: file.base), isMeant(birth) { found.append((file, path)) }
      }
    }
    return found
  }
}
