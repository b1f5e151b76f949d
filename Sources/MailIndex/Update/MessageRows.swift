import GRDB

/// Writes messages and what hangs on them; threads and search text are others' work. Lives in one
/// write transaction.
struct MessageRows {
  private let messages: RowInsert<MessageRow>
  private let attachments: RowInsert<AttachmentRow>
  private let insertAddress: RowStatement

  init(_ db: Database) throws {
    messages = try RowInsert(db, into: "message", MessageRow.columns)
    attachments = try RowInsert(
      db, "INSERT OR REPLACE", into: "attachment", AttachmentRow.columns)
    insertAddress = try RowStatement(db, "INSERT OR IGNORE INTO message_address VALUES (?, ?, ?)")
  }

  func insert(
    _ id: Int64, _ message: ParsedMessage, account: Int64, flags: IndexFlags,
    addresses: inout AddressBook
  ) throws {
    let people = try insertPeople(of: message, id, &addresses)
    try messages.run(
      MessageRow(id: id, account: account, flags: flags, people: people, parsed: message))
    for attachment in message.attachments {
      try attachments.run(AttachmentRow(message: id, attachment: attachment))
    }
  }

  /// Returns how many rows that made.
  private func insertPeople(
    of message: ParsedMessage, _ id: Int64, _ addresses: inout AddressBook
  ) throws -> Int {
    var rows = 0
    for person in message.addresses {
      let address = try addresses.id(of: person, date: message.date)
      insertAddress.bind(id, at: 1)
      insertAddress.bind(person.role.rawValue, at: 2)
      insertAddress.bind(address, at: 3)
      // Nothing changes where a message names a person twice in one role.
      try insertAddress.run()
      rows += insertAddress.changes
    }
    return rows
  }
}
