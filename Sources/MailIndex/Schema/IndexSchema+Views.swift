extension IndexSchema {
  /// The stable part, documented in mirror-index(5).
  static let views = """
    CREATE VIEW accounts AS
      SELECT id, name, path,
        (SELECT count(*) FROM message WHERE account = a.id) AS message_count,
        (SELECT count(*) FROM message WHERE account = a.id AND flags & 1 = 0) AS unread_count
      FROM account AS a;

    CREATE VIEW messages AS
      SELECT m.id AS id, a.name AS account, m.message_key AS message_id, m.thread AS thread_id,
        m.parent AS parent_id,
        CASE m.link WHEN 1 THEN 'in-reply-to' WHEN 2 THEN 'references' WHEN 3 THEN 'thread-index'
          WHEN 4 THEN 'subject' END AS parent_source,
        m.date AS date, m.sender AS sender, \(senderAddress) AS sender_address,
        m.recipients AS recipients, m.cc AS cc, m.subject AS subject, m.list_id AS list_id,
        m.size AS size, m.attachments AS attachment_count, m.snippet AS snippet,
        m.text_cut AS is_text_cut,
        m.flags & 1 = 0 AS is_unread, m.flags & 4 <> 0 AS is_flagged,
        m.flags & 2 <> 0 AS is_replied, m.flags & 32 <> 0 AS is_forwarded,
        m.flags & 8 <> 0 AS is_draft, m.flags & 16 <> 0 AS is_trashed
      FROM message AS m JOIN account AS a ON a.id = m.account;

    CREATE VIEW files AS
      SELECT f.id AS id, f.message AS message, a.name AS account, b.name AS mailbox,
        CASE b.path WHEN '' THEN '' ELSE b.path || '/' END
          || CASE f.subdirectory WHEN 0 THEN 'new/' ELSE 'cur/' END || f.name AS path,
        CASE WHEN f.flags & 8 THEN 'D' ELSE '' END || CASE WHEN f.flags & 4 THEN 'F' ELSE '' END
          || CASE WHEN f.flags & 32 THEN 'P' ELSE '' END
          || CASE WHEN f.flags & 2 THEN 'R' ELSE '' END
          || CASE WHEN f.flags & 1 THEN 'S' ELSE '' END
          || CASE WHEN f.flags & 16 THEN 'T' ELSE '' END AS flags,
        f.size AS size, f.modified / 1000000000 AS modified
      FROM file AS f JOIN mailbox AS b ON b.id = f.mailbox JOIN account AS a ON a.id = b.account;

    CREATE VIEW threads AS
      SELECT t.id AS id, a.name AS account, ifnull(t.subject, r.subject) AS subject,
        t.latest AS latest_date, t.count AS message_count, t.unread AS unread_count,
        (\(participants)) AS participants,
        l.snippet AS snippet
      FROM thread AS t JOIN account AS a ON a.id = t.account
        LEFT JOIN message AS r ON r.id = t.root LEFT JOIN message AS l ON l.id = t.last;

    CREATE VIEW attachments AS
      SELECT message, section, file_name, media_type, size, disposition, content_id, warning, is_here,
        CASE WHEN hash IS NOT NULL THEN printf('%016x', hash) END AS hash
      FROM attachment;

    CREATE VIEW warnings AS SELECT message, kind, detail FROM warning;

    CREATE VIEW mailboxes AS
      SELECT b.id AS id, a.name AS account, b.name AS name, b.path AS path, b.total AS total,
        b.unread AS unread, b.role AS role
      FROM mailbox AS b JOIN account AS a ON a.id = b.account;

    CREATE VIEW keywords AS
      SELECT mk.message AS message, k.name AS keyword
      FROM message_keyword AS mk JOIN keyword AS k ON k.id = mk.keyword;

    CREATE VIEW message_addresses AS
      SELECT ma.message AS message,
        CASE ma.role WHEN 1 THEN 'from' WHEN 2 THEN 'to' WHEN 3 THEN 'cc' WHEN 4 THEN 'bcc' END
          AS role,
        p.name AS name, p.address AS address
      FROM message_address AS ma JOIN address AS p ON p.id = ma.address;

    -- rank: how much the address is in use: mail to it counts ten times mail from it (up to a hundred
    -- of each), and half of it is gone after ninety days.
    CREATE VIEW addresses AS
      SELECT address, name, sent AS sent_count, received AS received_count,
        NULLIF(max(last_sent, last_received), 0) AS last_date, is_own,
        10.0 * min(sent, 100)
            / (1 + max(0, strftime('%s', 'now') - last_sent) / 7776000.0)
          + 1.0 * min(received, 100)
            / (1 + max(0, strftime('%s', 'now') - last_received) / 7776000.0) AS rank
      FROM address;

    CREATE VIEW send_queue AS
      SELECT q.id AS id, a.name AS account, q.message_key AS message_id, q.subject AS subject,
        q.queued AS queued, q.state AS state, q.attempts AS attempts,
        q.next_attempt AS next_attempt, q.error AS error, q.recipients AS recipients
      FROM send_entry AS q JOIN account AS a ON a.id = q.account;

    """

  /// Of message `m`: what ``SenderAddress`` left out is in the sender.
  static let senderAddress = """
    ifnull(m.sender_address, substr(m.sender, instr(m.sender, '<') + 1,
      length(m.sender) - instr(m.sender, '<') - (instr(m.sender, '<') > 0)))
    """

  /// Those who wrote the messages of thread `t`, in the order of their first message: a JSON array, each address once,
  /// without regard to case, with the name that is last by its bytes. The same as ``Participants``.
  private static let participants = """
    SELECT json_group_array(json_object('name', name, 'address', address)) FROM (
          SELECT max(CASE WHEN quoted GLOB '"*"' AND length(quoted) > 1
              THEN replace(replace(substr(quoted, 2, length(quoted) - 2), '\\"', '"'), '\\\\', '\\')
              ELSE quoted END) AS name, max(address) AS address
          FROM (
            SELECT date, address,
              CASE WHEN sender = address THEN ''
                WHEN address <> '' AND substr(sender, -length(address) - 1) = address || '>'
                THEN rtrim(substr(sender, 1, length(sender) - length(address) - 2))
                ELSE sender END AS quoted
            FROM (SELECT date, sender, \(senderAddress) AS address
              FROM message AS m WHERE m.thread = t.id AND m.sender <> ''))
          GROUP BY lower(CASE address WHEN '' THEN quoted ELSE address END)
          ORDER BY min(date), lower(CASE address WHEN '' THEN quoted ELSE address END))
    """
}
