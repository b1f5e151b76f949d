import GRDB
import Ledger

// Which table keeps which record of the ledger.

extension AccountRecord: FetchableRecord, PersistableRecord {
  package static let databaseTableName = "account"
}

extension MailboxRename.Change: FetchableRecord, PersistableRecord {
  package static let databaseTableName = "mailboxRename"
}

extension FolderRelocation: FetchableRecord, PersistableRecord {
  package static let databaseTableName = "folderRelocation"
}

extension FolderRelocation.Companion: FetchableRecord, PersistableRecord {
  package static let databaseTableName = "relocatedAlong"
}

extension MailboxRecord: FetchableRecord, PersistableRecord {
  package static let databaseTableName = "mailbox"
}

extension RunRecord: FetchableRecord, PersistableRecord {
  package static let databaseTableName = "run"
}

extension FailureRecord: FetchableRecord, PersistableRecord {
  package static let databaseTableName = "failure"
}

extension PushScan: FetchableRecord, PersistableRecord {
  package static let databaseTableName = "pushScan"
}

/// As text, so that a person's `sqlite3` shows it.
extension HexBytes: DatabaseValueConvertible {
  package var databaseValue: DatabaseValue { hex.databaseValue }

  package static func fromDatabaseValue(_ value: DatabaseValue) -> HexBytes? {
    String.fromDatabaseValue(value).flatMap { HexBytes(hex: $0) }
  }
}

extension ViewNames: DatabaseValueConvertible {
  package var databaseValue: DatabaseValue { lines.databaseValue }

  package static func fromDatabaseValue(_ value: DatabaseValue) -> ViewNames? {
    String.fromDatabaseValue(value).map { ViewNames(lines: $0) }
  }
}
