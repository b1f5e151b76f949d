import GRDB
import Ledger

extension StateStore {
  /// Of mailboxes that were renumbered since, nothing: other messages have those UIDs.
  ///
  /// - Parameter time: Unix seconds.
  package func secondSends(since time: Int64) throws(StateError) -> [SecondSend] {
    try read { db in
      try Row.fetchAll(
        db,
        sql: "SELECT sent.* FROM secondSend AS sent JOIN mailbox ON mailbox.id = sent.mailbox "
          + "AND mailbox.uidValidity = sent.uidValidity WHERE time > ? ORDER BY sent.mailbox",
        arguments: [time]
      ).map { row in
        SecondSend(
          mailbox: row["mailbox"], contentHash: UInt64(bitPattern: row["contentHash"]),
          uidValidity: row["uidValidity"], uidNext: row["uidNext"], time: row["time"])
      }
    }
  }
}

extension StateTransaction {
  /// What is older than `time` is forgotten.
  package func add(_ sends: [SecondSend], forgettingBefore time: Int64) throws {
    guard !sends.isEmpty else { return }
    try db.execute(sql: "DELETE FROM secondSend WHERE time <= ?", arguments: [time])
    for send in sends {
      try db.execute(
        sql: "INSERT INTO secondSend VALUES (?, ?, ?, ?, ?)",
        arguments: [
          send.mailbox, Int64(bitPattern: send.contentHash), send.uidValidity, send.uidNext,
          send.time,
        ])
    }
  }
}
