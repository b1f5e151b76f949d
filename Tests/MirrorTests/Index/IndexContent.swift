import MailTestKit

/// What an index says, in words that don't depend on the order in which it came to know: no row numbers.
struct IndexContent: Equatable {
  private var rows: [String: [String]] = [:]

  /// Every view by path or Message-ID, and every word of the text with the messages it stands in.
  private static let questions = [
    "files": """
    SELECT f.path, f.account, f.mailbox, f.flags, f.size, coalesce(m.message_id, ''), m.date,
      m.subject, m.sender, m.recipients, m.cc, m.snippet, m.size, m.attachment_count, m.is_unread,
      m.is_flagged, m.is_replied, m.is_draft, coalesce(m.parent_source, ''),
      coalesce(p.message_id, '')
    FROM files AS f JOIN messages AS m ON m.id = f.message LEFT JOIN messages AS p ON p.id = m.parent_id
    """,
    "messages": "SELECT count(*), count(DISTINCT thread_id) FROM messages",
    "threads": """
    SELECT t.account, t.subject, t.latest_date, t.message_count, t.unread_count, t.participants,
      t.snippet, (SELECT group_concat(path, ' ') FROM (SELECT path FROM files WHERE message IN
        (SELECT id FROM messages WHERE thread_id = t.id) ORDER BY path))
    FROM threads AS t
    """,
    "attachments": """
    SELECT (SELECT min(path) FROM files AS f WHERE f.message = a.message), section,
      coalesce(file_name, ''), media_type, a.size, coalesce(disposition, ''),
      coalesce(content_id, ''), coalesce(warning, ''), coalesce(hash, '')
    FROM attachments AS a
    """,
    "mailboxes": "SELECT account, name, path, total, unread, coalesce(role, '') FROM mailboxes",
    "accounts": "SELECT name, path, message_count, unread_count FROM accounts",
    "people": """
    SELECT (SELECT min(path) FROM files AS f WHERE f.message = a.message), role, lower(address)
    FROM message_addresses AS a
    """,
    "keywords": """
    SELECT (SELECT min(path) FROM files AS f WHERE f.message = k.message), keyword FROM keywords AS k
    """,
    "addresses": """
    SELECT lower(address), sent_count, received_count, coalesce(last_date, 0), is_own FROM addresses
    """,
    "text": """
    CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, message_text, instance);
    SELECT term, col, count(*), sum(m.date), sum((m.date % 9973) * (m.date % 9973))
    FROM words AS w JOIN messages AS m ON m.id = w.doc GROUP BY 1, 2
    """,
  ]

  init(_ index: IndexProgram) throws {
    for (name, question) in Self.questions {
      rows[name] = try index.sql(question).map { $0.joined(separator: " | ") }.sorted()
    }
  }

  /// A few lines for every question that has another answer there.
  func differences(_ other: IndexContent) -> [String] {
    rows.keys.sorted().flatMap { name -> [String] in
      let (here, there) = (rows[name] ?? [], other.rows[name] ?? [])
      guard here != there else { return [] }
      let (first, second) = (Set(here), Set(there))
      return ["\(name): \(here.count) rows and \(there.count)"]
        + first.subtracting(second).sorted().prefix(3).map { "\(name), only the first: \($0)" }
        + second.subtracting(first).sorted().prefix(3).map { "\(name), only the second: \($0)" }
    }
  }
}
