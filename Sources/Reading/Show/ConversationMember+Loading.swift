import GRDB
import MailIndex

extension ConversationMember {
  /// All messages of a conversation, in no order.
  static func all(ofThread id: Int64, _ db: Database) throws -> [ConversationMember] {
    try Row.fetchAll(
      db.cachedStatement(sql: "SELECT id, parent, date, flags FROM message WHERE thread = ?"),
      arguments: [id]
    ).map(ConversationMember.init)
  }

  /// One message with the conversation it belongs to; nil where it is gone.
  static func one(_ id: Int64, _ db: Database) throws -> (thread: Int64, member: Self)? {
    let statement = try db.cachedStatement(
      sql: "SELECT id, parent, date, flags, thread FROM message WHERE id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [id]) else { return nil }
    return (row[4] ?? id, ConversationMember(row))
  }

  private init(_ row: Row) {
    self.init(
      id: row[0], parent: row[1], date: row[2],
      isUnread: !IndexFlags(rawValue: row[3]).contains(.seen))
  }
}
