import GRDB
import GRDBSQLite
import Ledger
import MailCore

extension StateStore {
  /// The records of one mailbox whose UIDs lie in `range`, ascending.
  package func messages(in mailbox: MailboxKey, _ range: ClosedRange<UInt32> = 0...UInt32.max)
    throws(StateError) -> [MessageRecord]
  {
    var records: [MessageRecord] = []
    try forEachMessage(in: mailbox, range) { records.append($0) }
    return records
  }

  /// The records of those of the UIDs that there are, ascending.
  package func messages(in mailbox: MailboxKey, _ uids: UIDSet) throws(StateError)
    -> [MessageRecord]
  {
    try read { db in
      var records: [MessageRecord] = []
      for range in uids.ranges {
        try Self.forEach(in: mailbox, range, db) { records.append($0) }
      }
      return records
    }
  }

  package func message(in mailbox: MailboxKey, _ uid: UID) throws(StateError) -> MessageRecord? {
    try messages(in: mailbox, uid.rawValue...uid.rawValue).first
  }

  package func forEachMessage(
    in mailbox: MailboxKey, _ range: ClosedRange<UInt32> = 0...UInt32.max,
    _ body: (MessageRecord) throws -> Void
  ) throws(StateError) {
    try read { try Self.forEach(in: mailbox, range, $0, body) }
  }

  private static func forEach(
    in mailbox: MailboxKey, _ range: ClosedRange<UInt32>, _ db: Database,
    _ body: (MessageRecord) throws -> Void
  ) throws {
    let sql = """
      SELECT \(MessageRecord.columns) FROM message
      WHERE mailbox = ? AND uid BETWEEN ? AND ? ORDER BY uid
      """
    let statement = try db.cachedStatement(sql: sql)
    try statement.rows([mailbox, Int64(range.lowerBound), Int64(range.upperBound)]) {
      try body(MessageRecord(row: $0))
    }
  }

  /// Date and size of every message, also of those that a window left out, as far as they are known. What a person asked
  /// for beyond the window has no size: it does not count.
  package func forEachSize(
    in mailbox: MailboxKey, _ body: (UID, _ date: Int64, _ size: Int64) throws -> Void
  ) throws(StateError) {
    try read { db in
      let statement = try db.cachedStatement(
        sql: "SELECT uid, internalDate, iif(traits & 256, 0, max(serverSize, size)) FROM message "
          + "WHERE mailbox = ? AND uid BETWEEN 1 AND 4294967295 "
          + "AND (internalDate <> 0 OR NOT traits & 4) ORDER BY uid")
      try statement.rows([mailbox]) { row in
        try body(
          UID(UInt32(truncatingIfNeeded: sqlite3_column_int64(row, 0))),
          sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2))
      }
    }
  }

  /// Whether the date of any message is not known: one that a window by days left out.
  package func hasUndated(in mailbox: MailboxKey) throws(StateError) -> Bool {
    try read {
      try Bool.fetchOne(
        $0,
        sql: "SELECT EXISTS (SELECT 1 FROM message WHERE mailbox = ? "
          + "AND uid BETWEEN 1 AND 4294967295 AND internalDate = 0 AND traits & 4)",
        arguments: [mailbox]) ?? false
    }
  }

  /// Which records of a mailbox a look-up means.
  package enum Selection: Sendable {
    /// All that the server is not known to have expunged: kept, pruned, or missing in the tree.
    case known
    /// Those that a window left out.
    case pruned
    /// Of these, those that are to come all the same.
    case keptAway
    /// Those that ought to have a file.
    case withFiles
    /// Those that the server expunged and whose files are still to be unlinked.
    case expunged
    /// Those with files that the server shows no longer, though nothing says that they were expunged.
    case outOfView
    /// Of these, those that were never seen under the MAILBOXID that the mailbox has now.
    case notUnderNewID
    /// Those whose files were taken for them though they hold something else.
    case differing

    fileprivate var condition: String {
      switch self {
      case .known: "uid <= 4294967295 AND NOT traits & 16"
      case .pruned: "uid <= 4294967295 AND traits & 4 AND NOT traits & 64"
      case .keptAway: "uid <= 4294967295 AND traits & 260 = 260 AND NOT traits & 64"
      case .withFiles: "uid <= 4294967295 AND name <> '' AND NOT traits & 20"
      case .expunged: "uid <= 4294967295 AND traits & 16"
      case .outOfView: "uid <= 4294967295 AND traits & 128 AND NOT traits & 20"
      case .notUnderNewID: "uid <= 4294967295 AND traits & 65664 = 65664 AND NOT traits & 20"
      case .differing: "uid <= 4294967295 AND traits & 40 = 40 AND NOT traits & 20"
      }
    }
  }

  package func uids(_ selection: Selection, in mailbox: MailboxKey) throws(StateError) -> UIDSet {
    try read { db in
      var set = UIDSet()
      let statement = try db.cachedStatement(
        sql: "SELECT uid FROM message WHERE mailbox = ? AND \(selection.condition) ORDER BY uid")
      try statement.rows([mailbox]) {
        set.insert(UID(UInt32(truncatingIfNeeded: sqlite3_column_int64($0, 0))))
      }
      return set
    }
  }

  /// Messages for which the server said something that is not in the tree yet.
  package func unapplied(in mailbox: MailboxKey) throws(StateError) -> [MessageRecord] {
    try read { db in
      var found: [MessageRecord] = []
      let statement = try db.cachedStatement(
        sql: """
          SELECT \(MessageRecord.columns) FROM message
          WHERE mailbox = ? AND remoteFlags IS NOT NULL AND uid <= 4294967295
          AND NOT traits & 20 ORDER BY uid
          """)
      try statement.rows([mailbox]) { found.append(MessageRecord(row: $0)) }
      return found
    }
  }

  /// Mailboxes with such messages.
  package func mailboxesWithUnapplied() throws(StateError) -> Set<MailboxKey> {
    try read {
      try MailboxKey.fetchSet(
        $0, sql: "SELECT DISTINCT mailbox FROM message WHERE remoteFlags IS NOT NULL")
    }
  }

  /// Mailboxes with files still to be unlinked.
  package func mailboxesWithExpunged() throws(StateError) -> Set<MailboxKey> {
    try read {
      try MailboxKey.fetchSet($0, sql: "SELECT DISTINCT mailbox FROM message WHERE traits & 16")
    }
  }

  /// How many messages of which mailboxes are out of view.
  package func outOfView() throws(StateError) -> [MailboxKey: Int] {
    try read { db in
      var counts: [MailboxKey: Int] = [:]
      let statement = try db.cachedStatement(
        sql: "SELECT mailbox, count(*) FROM message WHERE traits & 128 "
          + "AND uid <= 4294967295 AND NOT traits & 20 GROUP BY mailbox")
      try statement.rows([]) {
        counts[MailboxKey(row: $0, 0)] = Int(sqlite3_column_int64($0, 1))
      }
      return counts
    }
  }

  package func messageCount(_ selection: Selection, in mailbox: MailboxKey) throws(StateError)
    -> Int
  {
    try read {
      try Int.fetchOne(
        $0, sql: "SELECT count(*) FROM message WHERE mailbox = ? AND \(selection.condition)",
        arguments: [mailbox]) ?? 0
    }
  }

  /// Whether any message of the mailbox is recorded to have a file.
  package func holdsFiles(_ mailbox: MailboxKey) throws(StateError) -> Bool {
    try read {
      try Bool.fetchOne(
        $0, sql: "SELECT EXISTS (SELECT 1 FROM message WHERE mailbox = ? AND name <> '')",
        arguments: [mailbox]) ?? false
    }
  }

  /// Base names of all the mailbox's files, as raw bytes valid during the call only; those of orphans, too, without a
  /// UID.
  package func forEachName(
    in mailbox: MailboxKey, _ body: (UID?, UnsafeRawBufferPointer) throws -> Void
  ) throws(StateError) {
    try forEachFile(in: mailbox) { uid, name, _ in try body(uid, name) }
  }

  /// The same, and what each holds.
  package func forEachFile(
    in mailbox: MailboxKey, _ body: (UID?, UnsafeRawBufferPointer, ContentHash) throws -> Void
  ) throws(StateError) {
    try read { db in
      let statement = try db.cachedStatement(
        sql: "SELECT uid, name, contentHash FROM message WHERE mailbox = ? AND name <> '' "
          + "ORDER BY uid")
      try statement.rows([mailbox]) { row in
        let uid = UInt32(exactly: sqlite3_column_int64(row, 0)).map { UID($0) }
        let bytes = UnsafeRawBufferPointer(
          start: sqlite3_column_blob(row, 1), count: Int(sqlite3_column_bytes(row, 1)))
        try body(uid, bytes, ContentHash(row: row, 2))
      }
    }
  }

  /// Where else the account holds this message, by EMAILID or X-GM-MSGID.
  package func copies(of identity: String) throws(StateError) -> [PlacedMessage] {
    try placed(
      "WHERE emailID = ? AND uid <= 4294967295 AND NOT traits & 4 LIMIT 20", [identity])
  }

  /// Messages with this content in any mailbox.
  ///
  /// The index for it is made when it is first asked for: a first pull never asks, and filling an index in the order of
  /// hashes would triple what the state costs it.
  package func copies(ofContent contentHash: ContentHash) throws(StateError) -> [PlacedMessage] {
    try makeContentIndex()
    return try placed(
      "WHERE contentHash = ? AND contentHash <> 0 AND uid <= 4294967295 AND NOT traits & 20 LIMIT 20",
      [contentHash])
  }

  /// The same, and those that the server expunged, whose records are still here.
  package func copiesAndExpunged(ofContent contentHash: ContentHash) throws(StateError)
    -> [PlacedMessage]
  {
    try makeContentIndex()
    return try placed(
      "WHERE contentHash = ? AND contentHash <> 0 AND uid <= 4294967295 AND NOT traits & 4 LIMIT 20",
      [contentHash])
  }

  /// - Parameter condition: what stands after the table's name.
  func placed(_ condition: String, _ arguments: [any DatabaseValueConvertible]) throws(StateError)
    -> [PlacedMessage]
  {
    try read { db in
      var found: [PlacedMessage] = []
      let statement = try db.cachedStatement(
        sql: "SELECT \(MessageRecord.columns), mailbox FROM message " + condition)
      try statement.rows(arguments) {
        found.append((MailboxKey(row: $0, 14), MessageRecord(row: $0)))
      }
      return found
    }
  }

  /// How many records have this content, whatever became of their messages; 3 at most.
  package func recordCount(ofContent contentHash: ContentHash) throws(StateError) -> Int {
    try read {
      try Int.fetchOne(
        $0,
        sql: "SELECT count(*) FROM (SELECT 1 FROM message WHERE contentHash = ? "
          + "AND contentHash <> 0 LIMIT 3)", arguments: [contentHash]) ?? 0
    }
  }

  /// Makes the index without which messages cannot be found by their content, where it is not there yet.
  package func makeContentIndex() throws(StateError) {
    guard try !hasContentIndex() else { return }
    try write {
      try $0.execute(
        sql: "CREATE INDEX messageByContent ON message(contentHash) WHERE contentHash <> 0")
    }
  }

  func hasContentIndex() throws(StateError) -> Bool {
    try read {
      try Bool.fetchOne(
        $0, sql: "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'messageByContent')")
        ?? false
    }
  }

  /// Runs `body` in one transaction: all of it is on disk when this returns, or none.
  package func transaction(_ body: (StateTransaction) throws -> Void) throws(StateError) {
    try write {
      let transaction = StateTransaction(db: $0)
      try body(transaction)
      try transaction.endScans()
    }
  }
}
