import GRDB

extension IndexReader {
  /// Where the files of messages lie that may report of mail which could not be delivered, the newest first: paths below
  /// the root as the last update saw them. They come from those in whose name mail systems write (RFC 3461 §6.2; Exchange
  /// has an address of its own for it).
  ///
  /// - Parameter date: none is older (Unix seconds, as the messages say).
  package func deliveryReports(account: String, since date: Int64, most: Int)
    throws(IndexError) -> [[UInt8]]
  {
    try read { db in
      try Self.paths(
        db,
        """
        SELECT CAST(f.path AS BLOB) FROM messages AS m JOIN files AS f ON f.message = m.id
        WHERE m.account = ? AND m.date >= ? AND (
          lower(m.sender_address) LIKE 'mailer-daemon%' OR lower(m.sender_address) LIKE 'postmaster%'
          OR lower(m.sender_address) LIKE 'microsoftexchange329e71ec88ae4615bbc36ab6ce41109e%'
          OR coalesce(m.sender_address, '') = '')
        ORDER BY m.date DESC LIMIT ?
        """, [account, date, most])
    }
  }
}
