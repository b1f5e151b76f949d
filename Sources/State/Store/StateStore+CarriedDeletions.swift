import GRDB
import Ledger
import MailCore

extension CarriedDeletions {
  fileprivate init(row: Row) {
    self.init(
      mailbox: row["mailbox"], time: row["time"], uidValidity: row["uidValidity"],
      uidNext: row["uidNext"], size: row["size"], uids: UIDSet(stored: row["uids"]) ?? UIDSet())
  }
}

extension StateStore {
  /// By mailbox, oldest first. Of mailboxes that were renumbered since, nothing: other messages have those UIDs.
  ///
  /// - Parameter time: Unix seconds.
  package func carriedDeletions(
    _ way: CarriedDeletions.Way = .toServer, since time: Int64
  ) throws(StateError) -> [CarriedDeletions] {
    try read { db in
      try Row.fetchAll(
        db,
        sql: "SELECT carried.* FROM \(way.rawValue) AS carried "
          + "JOIN mailbox ON mailbox.id = carried.mailbox "
          + "AND mailbox.uidValidity = carried.uidValidity "
          + "WHERE time > ? ORDER BY mailbox, time", arguments: [time]
      ).map { CarriedDeletions(row: $0) }
    }
  }
}

extension StateTransaction {
  /// Together with what the same run deleted there before. What is older than `time` is forgotten.
  package func add(
    _ deletions: CarriedDeletions, _ way: CarriedDeletions.Way = .toServer,
    forgettingBefore time: Int64
  ) throws {
    let table = way.rawValue
    try db.execute(sql: "DELETE FROM \(table) WHERE time <= ?", arguments: [time])
    var deletions = deletions
    let begun = try Row.fetchOne(
      db,
      sql: "SELECT * FROM \(table) WHERE mailbox = ? AND time = ? AND uidValidity = ?",
      arguments: [deletions.mailbox, deletions.time, deletions.uidValidity])
    if let begun = begun.map({ CarriedDeletions(row: $0) }) {
      deletions.uids = deletions.uids.union(begun.uids)
      deletions.size = max(deletions.size, begun.size)
    }
    try db.execute(
      sql: "INSERT OR REPLACE INTO \(table) VALUES (?, ?, ?, ?, ?, ?)",
      arguments: [
        deletions.mailbox, deletions.time, deletions.uidValidity, deletions.uidNext, deletions.size,
        deletions.uids.description,
      ])
  }

  package func forgetCarriedDeletions(_ way: CarriedDeletions.Way = .toServer) throws {
    try db.execute(sql: "DELETE FROM \(way.rawValue)")
  }
}
