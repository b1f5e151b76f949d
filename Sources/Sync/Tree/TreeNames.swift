import MailCore
import Maildir

/// All message files of an account by base name, for a run that adopts: eight bytes a file, and the files whose name
/// tells that they were born in another folder than they lie in.
struct TreeNames: Sendable {
  private var hashes: [UInt64] = []
  private var strays: [(birth: BirthName, file: MessageFile, folder: FolderPath)] = []

  init() {}

  init(tree: AccountTree, layout: LayoutStyle) throws {
    var homes: [FolderPath: (birth: BirthName, file: MessageFile)] = [:]
    for path in try tree.folders(layout) {
      let folder = try MaildirFolder.open(path, in: tree)
      // Most files lie where they were born: only those of another mailbox than the folder's first are kept in memory.
      var home: UInt64?
      try FolderScan.forEachFile(in: folder) { file in
        hashes.append(file.baseHash)
        guard let birth = BirthName(base: file.base) else { return }
        home = home ?? birth.mailboxHash
        if homes[path] == nil { homes[path] = (birth, file) }
        if birth.mailboxHash != home { strays.append((birth, file, path)) }
      }
    }
    // The first may itself have been moved here.
    for (path, first) in homes { strays.append((first.birth, first.file, path)) }
    hashes.sort()
  }

  func contains(_ base: [UInt8]) -> Bool {
    let hash = XXH3.hash(base)
    var low = 0
    var high = hashes.count
    while low < high {
      let middle = (low + high) / 2
      if hashes[middle] < hash { low = middle + 1 } else { high = middle }
    }
    return low < hashes.count && hashes[low] == hash
  }

  func files(bornIn mailbox: MailboxName, _ validity: UIDValidity) -> [(MessageFile, FolderPath)] {
    strays.filter { $0.birth.uidValidity == validity && $0.birth.isBorn(in: mailbox) }
      .map { ($0.file, $0.folder) }
  }
}
