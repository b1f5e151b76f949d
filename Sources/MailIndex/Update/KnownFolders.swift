import GRDB
import Maildir

/// The folders that the index has rows of, to be found by path.
///
/// Paths are compared by their bytes: what Swift's strings take for one, é in two spellings, may be two folders. An
/// ordered list and no dictionary: the first dictionary whose keys are of one more type makes the runtime look through
/// the conformances of the whole program, which takes longer than all these rows.
struct KnownFolders {
  struct Folder {
    let path: String
    let id: Int64
    let name: String
    let isSent: Bool
    let role: String?
    let stamp: FolderStamp
    let sums: FolderSums
  }

  private var folders: [Folder] = []
  private var isRemoved: [Bool] = []

  init(_ db: Database) throws {
    // By bytes, as they are compared below.
    let rows = try RowStatement(
      db,
      """
      SELECT path, id, name, is_sent, settled, new_modified, cur_modified, new_inode, cur_inode, role,
        \(FolderCount.columns)
      FROM mailbox ORDER BY path COLLATE BINARY
      """)
    try rows.forEachRow { row in
      folders.append(
        Folder(
          path: row.text(0), id: row.number(1), name: row.text(2), isSent: row.number(3) != 0,
          role: row.isNull(9) ? nil : row.text(9), stamp: Self.stamp(row, settled: row.number(4)),
          sums: FolderCount.sums(row, from: 10)))
    }
    isRemoved = Array(repeating: false, count: folders.count)
  }

  /// - Parameter settled: whose times are old enough to be believed: 1 for `new`, 2 for `cur`, 3 for both.
  private static func stamp(_ row: RowStatement.Row, settled: Int64) -> FolderStamp {
    FolderStamp(
      newModified: row.number(5), curModified: row.number(6), newInode: row.number(7),
      curInode: row.number(8), isNewSettled: settled & 1 != 0, isCurSettled: settled & 2 != 0)
  }

  /// The folder of that path, which is found once.
  mutating func remove(_ path: String) -> Folder? {
    var (low, high) = (0, folders.count)
    while low < high {
      let middle = (low + high) / 2
      if folders[middle].path.utf8.lexicographicallyPrecedes(path.utf8) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    guard low < folders.count, !isRemoved[low], folders[low].path.utf8.elementsEqual(path.utf8)
    else { return nil }
    isRemoved[low] = true
    return folders[low]
  }

  /// Those that were not found.
  var rest: [Folder] { folders.indices.filter { !isRemoved[$0] }.map { folders[$0] } }
}
