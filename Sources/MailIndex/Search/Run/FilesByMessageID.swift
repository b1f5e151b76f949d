import GRDB

extension IndexReader {
  /// Where the files of a message lie, as the last update saw them: paths below the root, their flags' names as they
  /// were then.
  ///
  /// - Parameter messageID: in the one form that `MessageIDs` gives, without angle brackets.
  package func files(messageID: String, account: String) throws(IndexError) -> [[UInt8]] {
    try read { db in
      try Self.paths(
        db,
        """
        SELECT CAST(f.path AS BLOB) FROM messages AS m JOIN files AS f ON f.message = m.id
        WHERE m.message_id = ? AND m.account = ? LIMIT 100
        """, [messageID, account])
    }
  }

  /// - Parameter sql: selects paths as blobs.
  static func paths(_ db: Database, _ sql: String, _ arguments: StatementArguments) throws
    -> [[UInt8]]
  {
    try DatabaseValue.fetchAll(db, sql: sql, arguments: arguments).compactMap { value in
      if case .blob(let data) = value.storage { Array(data) } else { nil }
    }
  }
}
