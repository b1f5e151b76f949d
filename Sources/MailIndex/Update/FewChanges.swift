import GRDB
import Maildir

/// What changed in a folder where the sums of its directories tell it: one file more or less in each at most, as when
/// a message came or a reader opened one.
struct FewChanges {
  /// Entries of the pass.
  private(set) var added: [Int] = []
  /// Rows whose file is not there.
  private(set) var gone: [KnownFiles.Entry] = []

  /// - Returns: nil where more may have changed, or the directories never rested.
  init?(
    _ pass: FolderPass, _ folder: IndexedFolder, _ subdirectories: Set<Subdirectory>,
    _ store: IndexStore
  ) throws(IndexError) {
    if pass.isRaced { return nil }
    for subdirectory in subdirectories {
      let (now, before) = (pass.sums[subdirectory], folder.sums[subdirectory])
      if now == before { continue }
      if let index = pass.entry(in: subdirectory, adding: now - before) {
        added.append(index)
        continue
      }
      let row = try store.read {
        try Self.row(in: subdirectory, of: folder.mailbox, missing: before - now, $0)
      }
      guard let row else { return nil }
      gone.append(row)
    }
  }

  /// The one row that makes such a difference.
  private static func row(
    in subdirectory: Subdirectory, of mailbox: Int64, missing sum: DirectorySum, _ db: Database
  ) throws -> KnownFiles.Entry? {
    let nameHash = Int64(bitPattern: sum.names)
    let rows = try RowStatement(
      db,
      """
      SELECT inode, id FROM file WHERE mailbox = ?1 AND subdirectory = ?2 AND name_hash = ?3
      """)
    rows.bind(mailbox, at: 1)
    rows.bind(Int64(subdirectory.rawValue), at: 2)
    rows.bind(nameHash, at: 3)
    var found: KnownFiles.Entry?
    try rows.forEachRow {
      let entry = KnownFiles.Entry(nameHash: nameHash, inode: $0.number(0), id: $0.number(1))
      if DirectorySum(nameHash: nameHash, inode: entry.inode) == sum { found = entry }
    }
    return found
  }
}
