import GRDB
import GRDBSQLite
import Ledger
import MailCore

extension StateStore {
  /// How many messages of which mailboxes are out of view.
  package func outOfView() throws(StateError) -> [Int64: Int] {
    try read { db in
      var counts: [Int64: Int] = [:]
      let statement = try db.cachedStatement(
        sql: "SELECT mailbox, count(*) FROM message WHERE traits & 128 "
          + "AND uid <= 4294967295 AND NOT traits & 20 GROUP BY mailbox")
      try statement.rows([]) {
        counts[sqlite3_column_int64($0, 0)] = Int(sqlite3_column_int64($0, 1))
      }
      return counts
    }
  }
}

extension StateTransaction {
  /// Whether the server shows them.
  package func setOutOfView(_ isOutOfView: Bool, _ uids: UIDSet, in mailbox: Int64) throws {
    try setTraits(isOutOfView ? "traits | 128" : "traits & ~640", uids, in: mailbox)
  }

  /// They stay out of view.
  package func forgetGuess(_ uids: UIDSet, in mailbox: Int64) throws {
    try setTraits("traits & ~512", uids, in: mailbox)
  }

  private func setTraits(_ traits: String, _ uids: UIDSet, in mailbox: Int64) throws {
    for range in uids.ranges {
      try db.execute(
        sql: "UPDATE message SET traits = \(traits) WHERE mailbox = ? AND uid BETWEEN ? AND ?",
        arguments: [mailbox, Int64(range.lowerBound), Int64(range.upperBound)])
    }
  }
}
