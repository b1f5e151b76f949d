import GRDB
import GRDBSQLite
import Ledger
import MailCore

/// Messages of which parts stay on the server, and those that were such. Looked up by an index that has no others.
extension StateStore {
  /// How many there are, of how many bytes.
  package struct OnDemandCounts: Sendable, Equatable {
    package var stubs = 0
    /// Of the whole messages, with what of them is here.
    package var bytes: Int64 = 0
    package var wanted = 0
    package var wantedBytes: Int64 = 0

    package init() {}
  }

  private static let isOnDemand = "traits & 7680 AND uid <= 4294967295 AND NOT traits & 20"

  /// Those that have any of these traits.
  package func onDemand(_ traits: MessageRecord.Traits) throws(StateError) -> [PlacedMessage] {
    try placed(
      "INDEXED BY messageOnDemand WHERE \(Self.isOnDemand) AND traits & ? ORDER BY mailbox, uid",
      [traits.rawValue])
  }

  /// Whether anything is there but stubs that stay as they are: found at once, however many of those there are.
  package func hasOnDemandWork() throws(StateError) -> Bool {
    try read {
      try Bool.fetchOne(
        $0,
        sql: "SELECT EXISTS (SELECT 1 FROM message INDEXED BY messageOnDemandWork "
          + "WHERE traits & 7168)") ?? false
    }
  }

  package func hasOnDemand(_ traits: MessageRecord.Traits) throws(StateError) -> Bool {
    try read {
      try Bool.fetchOne(
        $0,
        sql: "SELECT EXISTS (SELECT 1 FROM message INDEXED BY messageOnDemand "
          + "WHERE \(Self.isOnDemand) AND traits & ?)",
        arguments: [traits.rawValue]) ?? false
    }
  }

  package func onDemandCounts() throws(StateError) -> OnDemandCounts {
    try read { db in
      var counts = OnDemandCounts()
      let statement = try db.cachedStatement(
        sql: "SELECT count(*) FILTER (WHERE traits & 512), "
          + "sum(serverSize) FILTER (WHERE traits & 512), "
          + "count(*) FILTER (WHERE traits & 1024), "
          + "sum(serverSize) FILTER (WHERE traits & 1024) FROM message INDEXED BY messageOnDemand WHERE \(Self.isOnDemand)"
      )
      try statement.rows([]) {
        counts.stubs = Int(sqlite3_column_int64($0, 0))
        counts.bytes = sqlite3_column_int64($0, 1)
        counts.wanted = Int(sqlite3_column_int64($0, 2))
        counts.wantedBytes = sqlite3_column_int64($0, 3)
      }
      return counts
    }
  }

  /// Hashes of the headers of messages, in any mailbox, that have any of these traits.
  package func headers(withAny traits: MessageRecord.Traits) throws(StateError) -> Set<HeaderHash> {
    try read { db in
      var found: Set<HeaderHash> = []
      let statement = try db.cachedStatement(
        sql: "SELECT DISTINCT headerHash FROM message WHERE traits & ? AND headerHash <> 0")
      try statement.rows([traits.rawValue]) {
        found.insert(HeaderHash(row: $0, 0))
      }
      return found
    }
  }
}
