import GRDB
import Ledger

// Which table keeps which record of the ledger.

extension MailboxRecord: FetchableRecord, MutablePersistableRecord {
  package static let databaseTableName = "mailbox"
  package mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

extension RunRecord: FetchableRecord, MutablePersistableRecord {
  package static let databaseTableName = "run"
  package mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

extension FailureRecord: FetchableRecord, PersistableRecord {
  package static let databaseTableName = "failure"
}

extension PushRefusal: FetchableRecord, PersistableRecord {
  package static let databaseTableName = "pushRefusal"
}

extension PushScan: FetchableRecord, PersistableRecord {
  package static let databaseTableName = "pushScan"
}

extension RefusalSubject: DatabaseValueConvertible {
  package var databaseValue: DatabaseValue { text.databaseValue }

  package static func fromDatabaseValue(_ value: DatabaseValue) -> RefusalSubject? {
    String.fromDatabaseValue(value).map { RefusalSubject(text: $0) }
  }
}

/// As text, so that a person's `sqlite3` shows it.
extension HexBytes: DatabaseValueConvertible {
  package var databaseValue: DatabaseValue { hex.databaseValue }

  package static func fromDatabaseValue(_ value: DatabaseValue) -> HexBytes? {
    String.fromDatabaseValue(value).flatMap { HexBytes(hex: $0) }
  }
}
