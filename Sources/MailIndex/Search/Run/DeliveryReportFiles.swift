import GRDB

extension IndexReader {
  /// Where the files of reports lie that tell of mail which could not be delivered, the newest first: paths below the root
  /// as the last update saw them.
  ///
  /// - Parameter date: none is older (Unix seconds, as the reports say).
  package func deliveryReports(account: String, since date: Int64, most: Int)
    throws(IndexError) -> [[UInt8]]
  {
    try read { db in
      try DatabaseValue.fetchAll(
        db,
        sql: """
          SELECT CAST(f.path AS BLOB) FROM messages AS m JOIN files AS f ON f.message = m.id
          WHERE m.account = ? AND m.date >= ? AND m.attachment_count > 0
            AND EXISTS (
              SELECT 1 FROM attachments AS a WHERE a.message = m.id AND a.media_type IN
                ('message/delivery-status', 'message/global-delivery-status'))
          ORDER BY m.date DESC LIMIT ?
          """, arguments: [account, date, most]
      ).compactMap { value in
        if case .blob(let data) = value.storage { Array(data) } else { nil }
      }
    }
  }
}
