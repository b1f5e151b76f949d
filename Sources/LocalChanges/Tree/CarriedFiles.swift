import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// Files named after a message that no pull has seen, in another folder than its mailbox's: another machine pulled it, a
/// person moved it there, and the tree was carried here. Downloaded where it was born, it would be there twice.
package struct CarriedFiles: Sendable {
  private var files: [(birth: BirthName, file: MessageFile, folder: FolderPath)] = []

  /// Reads the names in folders that changed since the last whole pull began.
  package init(tree: AccountTree, layout: LayoutStyle, state: StateStore) throws {
    let since = try state.fact(Fact.wholePull).flatMap { Int64($0) }
    let records = try state.mailboxes().filter { !$0.isGone && $0.uidValidity != 0 }
    let birthplaces = Dictionary(
      records.map { (BirthName.hash(of: $0.mailboxName), $0) }, uniquingKeysWith: { $1 })
    let homes = Dictionary(
      try records.map { (try $0.folderPath(), BirthName.mark(of: $0.mailboxName)) },
      uniquingKeysWith: { $1 })
    for path in try tree.readableFolders(layout).folders {
      do throws(MaildirError) {
        let folder = try MaildirFolder.open(path, in: tree)
        // The clock for files runs in steps.
        if let since, try folder.lastChange() / 1_000_000_000 < since - 2 { continue }
        let home = homes[path] ?? []
        try FolderScan.forEachFile(in: folder) { file in
          let behindDate = file.name.drop { $0 != UInt8(ascii: ".") }
          if !home.isEmpty, behindDate.starts(with: home) { return }
          guard let birth = BirthName(base: file.base),
            let birthplace = birthplaces[birth.mailboxHash],
            birthplace.uidValidity == birth.uidValidity.rawValue,
            birth.uid.rawValue > birthplace.forwardCursor
          else { return }
          files.append((birth, file, path))
        }
      } catch {
        if error.stopsRun { throw error }  // Else it went away just now.
      }
    }
  }

  package func files(bornIn mailbox: MailboxName) -> [(MessageFile, FolderPath)] {
    files.filter { $0.birth.isBorn(in: mailbox) }.map { ($0.file, $0.folder) }
  }
}
