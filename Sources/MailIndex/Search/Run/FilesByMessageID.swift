import GRDB

extension IndexReader {
  /// Where the files of a message lie, as the last update saw them: paths below the root, their flags' names as they
  /// were then.
  ///
  /// - Parameter messageID: in the one form that `MessageIDs` gives, without angle brackets.
  package func files(messageID: String, account: String) throws(IndexError) -> [[UInt8]] {
    try read { db in
      try DatabaseValue.fetchAll(
        db,
        sql: """
          SELECT CAST(f.path AS BLOB) FROM messages AS m JOIN files AS f ON f.message = m.id
          WHERE m.message_id = ? AND m.account = ? LIMIT 100
          """, arguments: [messageID, account]
      ).compactMap { value in
        if case .blob(let data) = value.storage { Array(data) } else { nil }
      }
    }
  }
}
