import GRDB

/// Puts search text into an FTS5 table with the columns of `message_text`.
///
/// Rows go in by ascending number: FTS5 writes out what it has gathered whenever a number comes that
/// is not above the last.
struct SearchRows {
  private let insert: RowStatement

  init(_ db: Database) throws {
    insert = try RowStatement(
      db,
      """
      INSERT INTO message_text(rowid, subject, sender, recipients, cc, body, attachment)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """)
  }

  func add(_ id: Int64, _ text: SearchText) throws {
    try text.bytes.withUnsafeBytes { bytes in
      insert.bind(id, at: 1)
      for column in 0..<SearchText.columns {
        insert.bindUncopied(
          text: UnsafeRawBufferPointer(rebasing: bytes[text.range(of: column)]),
          at: Int32(column + 2))
      }
      try insert.run()
      for column in 0..<SearchText.columns { insert.bindNull(at: Int32(column + 2)) }
    }
  }
}
