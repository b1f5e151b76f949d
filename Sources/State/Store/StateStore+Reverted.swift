import GRDB
import GRDBSQLite
import Ledger
import MailCore

/// Messages whose edited files a revert sets aside. Looked up by an index that has no others.
extension StateStore {
  package func beingReverted() throws(StateError) -> [MailboxKey: [MessageRecord]] {
    try read { db in
      var found: [MailboxKey: [MessageRecord]] = [:]
      let statement = try db.cachedStatement(
        sql: "SELECT \(MessageRecord.columns), mailbox FROM message INDEXED BY messageReverted "
          + "WHERE traits & 8192 AND uid <= 4294967295 AND NOT traits & 20")
      try statement.rows([]) {
        found[MailboxKey(row: $0, 14), default: []].append(MessageRecord(row: $0))
      }
      return found
    }
  }
}

extension StateTransaction {
  package func setReverted(_ isBegun: Bool, _ uids: UIDSet, in mailbox: MailboxKey) throws {
    try set(.beingReverted, isBegun, uids, in: mailbox)
  }
}
