import GRDB
import GRDBSQLite
import Ledger
import MailCore

extension StateStore {
  /// Ascending by the hash of the name.
  package func surplus(in mailbox: Int64) throws(StateError) -> [SurplusFile] {
    try read { db in
      var found: [SurplusFile] = []
      let statement = try db.cachedStatement(
        sql: "SELECT nameHash, contentHash FROM surplus WHERE mailbox = ?")
      try statement.rows([mailbox]) {
        found.append(
          SurplusFile(
            nameHash: UInt64(bitPattern: sqlite3_column_int64($0, 0)),
            contentHash: UInt64(bitPattern: sqlite3_column_int64($0, 1))))
      }
      return found.sorted { $0.nameHash < $1.nameHash }
    }
  }
}

extension StateTransaction {
  /// These and no others.
  package func setSurplus(_ files: [SurplusFile], of mailbox: Int64) throws {
    try db.execute(sql: "DELETE FROM surplus WHERE mailbox = ?", arguments: [mailbox])
    for file in files {
      try db.execute(
        sql: "INSERT OR REPLACE INTO surplus VALUES (?, ?, ?)",
        arguments: [
          mailbox, Int64(bitPattern: file.nameHash), Int64(bitPattern: file.contentHash),
        ])
    }
  }

  /// The file turned out to be a message of another mailbox, wherever it lies.
  package func removeSurplus(nameHash: UInt64) throws {
    try db.execute(
      sql: "DELETE FROM surplus WHERE nameHash = ?", arguments: [Int64(bitPattern: nameHash)])
  }

  /// The file became a message's own.
  package func removeSurplus(nameHash: UInt64, from mailbox: Int64) throws {
    try db.execute(
      sql: "DELETE FROM surplus WHERE mailbox = ? AND nameHash = ?",
      arguments: [mailbox, Int64(bitPattern: nameHash)])
  }

  /// A person moved what these repeat out of the mailbox: what is left there repeats nothing.
  package func removeSurplus(contentHash: UInt64, from mailbox: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM surplus WHERE mailbox = ? AND contentHash = ?")
      .execute(arguments: [mailbox, Int64(bitPattern: contentHash)])
  }
}
