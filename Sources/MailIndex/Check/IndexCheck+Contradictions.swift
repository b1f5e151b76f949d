extension IndexCheck {
  /// Each selects rows that should not be.
  static let contradictions: [(sql: String, words: String)] = [
    (
      "SELECT 1 FROM file WHERE message NOT IN (SELECT id FROM message)",
      "a file without its message"
    ),
    (
      "SELECT 1 FROM message WHERE id NOT IN (SELECT message FROM file)",
      "a message without a file"
    ),
    (
      "SELECT 1 FROM message WHERE id NOT IN (SELECT id FROM message_text_docsize)",
      "a message without search text"
    ),
    (
      """
      SELECT 1 FROM message_text_docsize
      WHERE id NOT IN (SELECT id FROM message) AND id NOT IN (SELECT id FROM dead)
      """, "search text without its message"
    ),
    (
      """
      SELECT m.id FROM message AS m JOIN file AS f ON f.message = m.id GROUP BY m.id
      HAVING m.flags <> (max(f.flags & 1) | max(f.flags & 2) | max(f.flags & 4) | max(f.flags & 8)
        | min(f.flags & 16) | max(f.flags & 32))
      """, "a message whose flags are not its files'"
    ),
    (
      """
      SELECT 1 FROM thread AS t WHERE count <> (SELECT count(*) FROM message WHERE thread = t.id)
        OR unread <> (SELECT count(*) FROM message WHERE thread = t.id AND NOT flags & 1)
        OR latest <> (SELECT max(date) FROM message WHERE thread = t.id)
      """, "a thread whose counts are wrong"
    ),
    (
      "SELECT 1 FROM message WHERE thread IS NULL OR thread NOT IN (SELECT id FROM thread)",
      "a message without its thread"
    ),
    (
      """
      SELECT 1 FROM message AS m
      WHERE attachments <> (SELECT count(*) FROM attachment WHERE message = m.id)
      """, "a message whose attachments are not as many as it says"
    ),
    (
      "SELECT 1 FROM warning WHERE message NOT IN (SELECT id FROM message)",
      "a warning of no message"
    ),
    (
      """
      SELECT 1 FROM thread WHERE NOT EXISTS (SELECT 1 FROM message WHERE thread = thread.id)
      """, "a thread without messages"
    ),
    ("SELECT 1 FROM message WHERE id IN (SELECT id FROM dead)", "a message that counts as gone"),
    (
      "SELECT 1 FROM message WHERE id NOT IN (SELECT message FROM thread_node)",
      "a message without what its thread is made from"
    ),
    (
      "SELECT 1 FROM thread_node WHERE message NOT IN (SELECT id FROM message)",
      "what a thread is made from without its message"
    ),
    (
      """
      SELECT 1 FROM file WHERE mailbox NOT IN (SELECT id FROM mailbox)
      UNION ALL SELECT 1 FROM mailbox WHERE account NOT IN (SELECT id FROM account)
      UNION ALL SELECT 1 FROM message WHERE account NOT IN (SELECT id FROM account)
      UNION ALL SELECT 1 FROM send_entry WHERE account NOT IN (SELECT id FROM account)
      """, "a row whose folder or account is missing"
    ),
    (
      """
      SELECT 1 FROM message_keyword WHERE keyword NOT IN (SELECT id FROM keyword)
        OR message NOT IN (SELECT id FROM message)
      """, "a keyword without its name or message"
    ),
    (
      "SELECT 1 FROM attachment WHERE message NOT IN (SELECT id FROM message)",
      "an attachment without its message"
    ),
    (
      """
      SELECT 1 FROM message_address WHERE address NOT IN (SELECT id FROM address)
        OR message NOT IN (SELECT id FROM message)
      """, "an address of a message without the one or the other"
    ),
    (
      """
      SELECT 1 FROM message AS m
      WHERE addresses <> (SELECT count(*) FROM message_address WHERE message = m.id)
      """, "a message whose addresses are not as many as it says"
    ),
    (
      """
      SELECT 1 FROM address WHERE NOT is_own
        AND NOT EXISTS (SELECT 1 FROM message_address WHERE address = address.id)
      """, "an address that no message names"
    ),
    (
      """
      SELECT 1 FROM address AS p LEFT JOIN (
        SELECT address, count(*) AS count FROM message_address WHERE role = 1 GROUP BY address
      ) AS u ON u.address = p.id
      WHERE p.received <> ifnull(u.count, 0)
      """, "an address whose messages are not as many as it says"
    ),
    (
      """
      SELECT 1 FROM address AS p LEFT JOIN (
        SELECT a.address AS address, count(DISTINCT a.message) AS count FROM message_address AS a
        WHERE a.role > 1 AND EXISTS (
          SELECT 1 FROM message_address AS o JOIN address AS own ON own.id = o.address
          WHERE o.message = a.message AND o.role = 1 AND own.is_own) GROUP BY a.address
      ) AS u ON u.address = p.id
      WHERE p.sent <> ifnull(u.count, 0)
      """, "an address to which messages were not as many as it says"
    ),
    (
      """
      SELECT 1 FROM message AS m
      WHERE list_id IS NOT (SELECT min(list_id) FROM file WHERE message = m.id)
      """, "a message whose list is not its files'"
    ),
  ]
}
