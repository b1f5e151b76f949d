import GRDB

/// Merges the segments of the search text after a build, in short steps: each segment costs every
/// query a look, and few large ones take less room.
struct SearchMerge {
  let store: IndexStore
  /// Up to so many, a merge costs more than it brings.
  static let enough = 24
  /// Pages a step: 8 MiB.
  private static let step = 2000

  func run() throws(IndexError) {
    let segments = try store.read {
      try Int.fetchOne($0, sql: "SELECT count(DISTINCT segid) FROM message_text_idx") ?? 0
    }
    guard segments > Self.enough else { return }
    while try merge() {}
  }

  /// Returns whether there was something to do: a merge that finds nothing changes one row at most.
  private func merge() throws(IndexError) -> Bool {
    try store.write { db in
      let before = db.totalChangesCount
      try db.execute(
        sql: "INSERT INTO message_text(message_text, rank) VALUES('merge', \(Self.step))")
      return db.totalChangesCount - before >= 2
    }
  }
}
