import GRDB
import MIME
import MailCore

/// Writes messages and what hangs on them; threads and search text are others' work. Lives in one
/// write transaction.
struct MessageRows {
  private let insertMessage: RowStatement
  private let insertAttachment: RowStatement
  private let insertAddress: RowStatement

  init(_ db: Database) throws {
    insertMessage = try RowStatement(
      db,
      """
      INSERT INTO message(id, account, thread, parent, link, content_hash, date, flags, size,
        attachments, base_subject_hash, is_reply, message_key, sender, sender_address, recipients,
        cc, subject, list_id, snippet, addresses)
      VALUES (?1, ?2, ?1, NULL, 0, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
        ?18)
      """)
    insertAttachment = try RowStatement(
      db, "INSERT OR REPLACE INTO attachment VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    insertAddress = try RowStatement(db, "INSERT OR IGNORE INTO message_address VALUES (?, ?, ?)")
  }

  func insert(
    _ id: Int64, _ message: ParsedMessage, account: Int64, flags: IndexFlags,
    addresses: inout AddressBook
  ) throws {
    let people = try insertPeople(of: message, id, &addresses)
    let row = insertMessage
    row.bind(id, at: 1)
    row.bind(account, at: 2)
    row.bind(message.contentHash, at: 3)
    row.bind(message.date, at: 4)
    row.bind(flags.rawValue, at: 5)
    row.bind(message.size, at: 6)
    row.bind(Int64(message.attachments.count), at: 7)
    row.bind(message.baseSubjectHash, at: 8)
    row.bind(message.isReply ? 1 : 0, at: 9)
    row.bind(message.key, at: 10)
    row.bind(message.sender, at: 11)
    row.bind(message.senderAddress, at: 12)
    row.bind(message.recipients, at: 13)
    row.bind(message.cc, at: 14)
    row.bind(message.subject, at: 15)
    row.bind(message.listID, at: 16)
    row.bind(message.snippet, at: 17)
    row.bind(Int64(people), at: 18)
    try row.run()
    for attachment in message.attachments { try insert(attachment, of: id) }
  }

  /// Returns how many rows that made.
  private func insertPeople(
    of message: ParsedMessage, _ id: Int64, _ addresses: inout AddressBook
  ) throws -> Int {
    var rows: Set<PersonRow> = []
    for person in message.addresses {
      let address = try addresses.id(of: person, date: message.date)
      guard rows.insert(PersonRow(role: person.role.rawValue, address: address)).inserted else {
        continue
      }
      insertAddress.bind(id, at: 1)
      insertAddress.bind(person.role.rawValue, at: 2)
      insertAddress.bind(address, at: 3)
      try insertAddress.run()
    }
    return rows.count
  }

  private struct PersonRow: Hashable {
    let role: Int64
    let address: Int64
  }

  private func insert(_ attachment: AttachmentInfo, of message: Int64) throws {
    let row = insertAttachment
    row.bind(message, at: 1)
    row.bind(attachment.section, at: 2)
    row.bind(attachment.fileName, at: 3)
    row.bind(attachment.mediaType, at: 4)
    row.bind(Int64(attachment.size), at: 5)
    row.bind(attachment.disposition.map(Self.word), at: 6)
    row.bind(attachment.contentID, at: 7)
    row.bind(attachment.warning?.name, at: 8)
    try row.run()
  }

  private static func word(_ disposition: Disposition) -> String {
    switch disposition {
    case .inline: "inline"
    case .attachment: "attachment"
    case .other: "other"
    }
  }
}
