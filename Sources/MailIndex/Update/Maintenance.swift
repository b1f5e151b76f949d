import GRDB

/// Gives the disk what the index no longer needs, in short steps, where it is worth it.
struct Maintenance {
  let store: IndexStore

  /// Pages: 8 MiB.
  private static let little: Int64 = 2048
  /// Freed in one transaction.
  private static let step = 500

  func run() throws(IndexError) {
    guard try free() > Self.little, try free() * 4 > size() else { return }
    try giveBack()
  }

  /// However little it is: a first build leaves free what its search text took before it was merged, and most indexes
  /// hardly grow from then on.
  func giveBack() throws(IndexError) {
    var last = Int64.max
    while true {
      let left = try free()
      guard left > 0, left < last else { return }
      last = left
      try store.write { db in
        // The pragma frees a page with each step of its statement.
        _ = try Row.fetchAll(db, sql: "PRAGMA incremental_vacuum(\(Self.step))")
      }
    }
  }

  private func free() throws(IndexError) -> Int64 { try number("PRAGMA freelist_count") }
  private func size() throws(IndexError) -> Int64 { try number("PRAGMA page_count") }

  private func number(_ sql: String) throws(IndexError) -> Int64 {
    try store.read { try RowStatement($0, sql).number() ?? 0 }
  }
}
