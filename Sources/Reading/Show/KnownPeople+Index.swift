import GRDB
import Warnings

extension KnownPeople {
  /// How much earlier than a message its sender must have written to be known, in minutes: not by a mail before this one.
  private static let acquaintance: Int64 = 30 * 24 * 60

  /// The people whom the index knows: whoever own mail was sent to, and whoever wrote a month before; and
  /// the lists whose mail came then.
  ///
  /// - Parameter date: of the message that is looked at, Unix seconds.
  init(_ db: Database, before date: Int64) {
    self.init(
      addresses: { name in
        (try? String.fetchAll(
          db.cachedStatement(
            sql: "SELECT address FROM address WHERE sent > 0 AND name = ? COLLATE NOCASE LIMIT 50"),
          arguments: [name])) ?? []
      },
      knows: { address in
        // Numbers of messages are minutes.
        let isKnown = try? Bool.fetchOne(
          db.cachedStatement(
            sql: """
              SELECT a.is_own OR a.sent > 0 OR EXISTS(
                SELECT 1 FROM message_address AS m
                WHERE m.address = a.id AND m.role = 1 AND m.message < ?)
              FROM address AS a WHERE a.address = ?
              """), arguments: [date / 60 - Self.acquaintance, address])
        return isKnown ?? false
      },
      domains: {
        let addresses = try? String.fetchAll(
          db.cachedStatement(
            sql: "SELECT address FROM address WHERE sent > 0 ORDER BY last_sent DESC LIMIT 5000"))
        return KnownPeople.domains(of: addresses ?? [])
      },
      knowsList: { id in
        let isKnown = try? Bool.fetchOne(
          db.cachedStatement(
            sql: "SELECT EXISTS(SELECT 1 FROM file WHERE list_id = ? AND message < ?)"),
          arguments: [id, date / 60 - Self.acquaintance])
        return isKnown ?? false
      })
  }
}
