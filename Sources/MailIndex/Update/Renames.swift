import GRDB
import MailCore
import Maildir

/// Finds the files that only got another name or place: their content need not be read again.
///
/// A file is the one that was indexed if it has its inode and, where the base of its name differs,
/// also its size and time. A name whose inode changed is the same file still if size and time are as
/// they were (some file systems number anew at each mount; a rewrite of keywords changes the size).
struct Renames {
  struct Rename {
    let found: NewFile
    /// The row that it has.
    let old: Int64
  }

  private(set) var renames: [Rename] = []
  /// Files whose content must be read.
  let unknown: FoundList
  /// Rows whose file is gone indeed.
  private(set) var gone: [Int64] = []

  /// - Parameter scan: what it found is taken over.
  init(_ scan: inout TreeScan, vanished: [Int64], tree: MailTree, _ db: Database) throws {
    if scan.gone.isEmpty, vanished.isEmpty, scan.found.replaced.isEmpty {
      unknown = try scan.takeFound()
      return
    }
    let rows = try FileRows(db)
    var folders = OpenFolders(tree)
    var byInode: [Int64: [Int64]] = [:]
    var left: Set<Int64> = []
    for gone in scan.gone {
      byInode[gone.inode, default: []].append(gone.id)
      left.insert(gone.id)
    }
    for mailbox in vanished {
      let files = try RowStatement(db, "SELECT id, inode FROM file WHERE mailbox = ?")
      files.bind(mailbox, at: 1)
      try files.forEachRow {
        byInode[$0.number(1), default: []].append($0.number(0))
        left.insert($0.number(0))
      }
    }
    // Their names are other files' by now; their own may have moved, or be gone.
    for id in scan.found.replaced {
      guard let row = try rows.row(id) else { continue }
      byInode[row.inode, default: []].append(id)
      left.insert(id)
    }
    let hasCandidates = !left.isEmpty
    let list = try scan.takeFound()
    guard hasCandidates else {
      unknown = list
      return
    }
    var unknown = FoundFiles(in: scan.directory)
    while let found = try list.next() {
      let inode = Int64(bitPattern: found.inode)
      let folder = scan.folders[Int(found.folder)].folder
      let candidates = ([found.replaces] + (byInode[inode] ?? [])).filter { left.contains($0) }
      guard let old = try Self.match(found, folder, candidates, rows, &folders, db) else {
        // The row of that name is this file's from now on, if no other file has it.
        let replaces = left.remove(found.replaces) ?? 0
        unknown.add(
          NewFile(file: found.file, inode: found.inode, folder: found.folder, replaces: replaces))
        continue
      }
      left.remove(old)
      renames.append(Rename(found: found, old: old))
    }
    self.unknown = try unknown.list()
    gone = left.sorted()
  }

  private static func match(
    _ found: NewFile, _ folder: IndexedFolder, _ candidates: [Int64], _ rows: FileRows,
    _ folders: inout OpenFolders, _ db: Database
  ) throws -> Int64? {
    let file = found.file
    var facts: FileFacts?
    for candidate in candidates {
      guard let row = try rows.row(candidate) else { continue }
      if candidate != found.replaces, row.mailbox == folder.mailbox, row.file.base == file.base {
        return candidate
      }
      guard try isSameAccount(row.mailbox, folder, db) else { continue }
      if facts == nil {
        facts = (try? folders.folder(found.folder, folder.path)).flatMap {
          try? FolderEntries.facts(file, in: $0)
        }
      }
      if let facts, Int64(clamping: facts.size) == row.size, facts.modified == row.modified {
        return candidate
      }
    }
    return nil
  }

  private static func isSameAccount(_ mailbox: Int64, _ folder: IndexedFolder, _ db: Database)
    throws -> Bool
  {
    if mailbox == folder.mailbox { return true }
    return try Int64.fetchOne(
      db, sql: "SELECT account FROM mailbox WHERE id = ?", arguments: [mailbox]) == folder.account
  }
}
