import GRDB

/// Reads what lists show of messages and threads, by their numbers.
package struct HitReader {
  private let db: Database

  package init(_ db: Database) { self.db = db }

  /// In the order given; numbers of no message are left out.
  package func hits(_ numbers: some Sequence<Int64>) throws -> [SearchHit] {
    try numbers.compactMap(hit)
  }

  private func hit(_ number: Int64) throws -> SearchHit? {
    let statement = try db.cachedStatement(
      sql: """
        SELECT m.id, m.message_key, m.thread, a.name, m.date, m.sender, m.recipients, m.cc, m.subject,
          m.snippet, m.flags, m.size, m.attachments, m.list_id
        FROM message AS m JOIN account AS a ON a.id = m.account WHERE m.id = ?
        """)
    guard let row = try Row.fetchOne(statement, arguments: [number]) else { return nil }
    let count: Int = row[12]
    return SearchHit(
      id: row[0], messageID: row[1], threadID: row[2], account: row[3], date: row[4], from: row[5],
      to: row[6], cc: row[7], subject: row[8], snippet: row[9],
      flags: IndexFlags(rawValue: row[10]), size: row[11], attachmentCount: count, listID: row[13],
      keywords: try keywords(number), files: try files(number),
      attachments: count > 0 ? try attachments(number) : [])
  }

  private func keywords(_ number: Int64) throws -> [String] {
    let statement = try RowStatement(
      db,
      """
      SELECT k.name FROM message_keyword AS mk JOIN keyword AS k ON k.id = mk.keyword
      WHERE mk.message = ? ORDER BY k.name
      """)
    statement.bind(number, at: 1)
    var names: [String] = []
    try statement.forEachRow { names.append($0.text(0)) }
    return names
  }

  private func files(_ number: Int64) throws -> [FoundFile] {
    let statement = try db.cachedStatement(
      sql: """
        SELECT b.name, b.path, f.subdirectory, CAST(f.name AS BLOB)
        FROM file AS f JOIN mailbox AS b ON b.id = f.mailbox WHERE f.message = ? ORDER BY f.id
        """)
    return try Row.fetchAll(statement, arguments: [number]).map { row in
      var path: [UInt8] = Array((row[1] as String).utf8)
      if !path.isEmpty { path.append(UInt8(ascii: "/")) }
      path += Array((row[2] as Int64 == 0 ? "new/" : "cur/").utf8)
      try row.withUnsafeData(atIndex: 3) { name in path += name.map(Array.init) ?? [] }
      return FoundFile(folder: row[0], path: path)
    }
  }

  private func attachments(_ number: Int64) throws -> [FoundAttachment] {
    let statement = try db.cachedStatement(
      sql: """
        SELECT section, file_name, media_type, size, disposition, content_id, warning, is_here
        FROM attachment WHERE message = ?
        """)
    return try Row.fetchAll(statement, arguments: [number]).map { row in
      FoundAttachment(
        section: row[0], fileName: row[1], mediaType: row[2], size: row[3], disposition: row[4],
        contentID: row[5], warning: row[6], isHere: row[7])
    }.sorted { Self.sectionOrder($0).lexicographicallyPrecedes(Self.sectionOrder($1)) }
  }

  /// `1.10` comes after `1.9`.
  private static func sectionOrder(_ attachment: FoundAttachment) -> [Int] {
    attachment.section.split(separator: ".").map { Int($0) ?? 0 }
  }

  /// In the order given; numbers of no thread are left out.
  package func threads(_ numbers: some Sequence<Int64>) throws -> [ThreadHit] {
    try numbers.compactMap(thread)
  }

  private func thread(_ number: Int64) throws -> ThreadHit? {
    let statement = try db.cachedStatement(
      sql: """
        SELECT t.id, a.name, coalesce(t.subject, r.subject, ''), t.latest, t.count, t.unread,
          ifnull(l.snippet, '')
        FROM thread AS t JOIN account AS a ON a.id = t.account
          LEFT JOIN message AS r ON r.id = t.root LEFT JOIN message AS l ON l.id = t.last
        WHERE t.id = ?
        """)
    let members = try db.cachedStatement(
      sql: """
        SELECT id, message_key, sender, \(IndexSchema.senderAddress), date FROM message AS m
        WHERE thread = ? ORDER BY date, id
        """)
    guard let row = try Row.fetchOne(statement, arguments: [number]) else { return nil }
    var participants = Participants()
    let messages = try Row.fetchAll(members, arguments: [number]).map { row in
      participants.add(sender: row[2], address: row[3], date: row[4])
      return ThreadMember(id: row[0], messageID: row[1])
    }
    return ThreadHit(
      id: row[0], account: row[1], subject: row[2], latestDate: row[3], messageCount: row[4],
      unreadCount: row[5], participants: participants.list, snippet: row[6], messages: messages)
  }
}
