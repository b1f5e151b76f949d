/// The `thread` table: what a list of conversations shows.
extension ThreadStore {
  /// Writes a thread's row from its messages; takes it away where there are none.
  func writeRow(of thread: Int64) throws {
    var row = ThreadRow()
    try statement(
      """
      SELECT m.id, m.flags & 1, m.parent IS NULL, m.sender, m.sender_address, n.facts
      FROM message AS m CROSS JOIN thread_node AS n ON n.message = m.id WHERE m.thread = ?
      """
    ).forEachRow([thread]) {
      let place = ThreadFacts.place(packed: $0.bytes(5)) ?? (0, 0)
      row.add(
        ThreadRow.Member(
          id: $0.number(0), date: place.date, rank: place.rank, isUnread: $0.number(1) == 0,
          isRoot: $0.number(2) != 0, sender: $0.text(3), address: $0.text(4)))
    }
    guard let (root, latest) = row.ends else {
      try statement("DELETE FROM thread WHERE id = ?").run([thread])
      return
    }
    let write = try statement(
      """
      INSERT OR REPLACE INTO thread(id, account, latest, count, unread, participants, subject, snippet)
      SELECT ?1, r.account, ?2, ?3, ?4, ?5, r.subject, l.snippet
      FROM message AS r, message AS l WHERE r.id = ?6 AND l.id = ?7
      """)
    write.bind([thread, latest.date, Int64(row.count), Int64(row.unread), 0, root.id, latest.id])
    write.bind(row.participants, at: 5)
    try write.run()
  }

  /// Adds to a thread's row a message that is its latest and changes nothing else about it. False
  /// where the row has to be written anew.
  func extendRow(of thread: Int64, by message: Int64, _ facts: ThreadFacts) throws -> Bool {
    var old: (latest: Int64, participants: String)?
    try statement("SELECT latest, participants FROM thread WHERE id = ?").forEachRow([thread]) {
      old = ($0.number(0), $0.text(1))
    }
    guard let old, facts.date > old.latest else { return false }
    var sender = ("", "")
    try statement("SELECT sender, sender_address FROM message WHERE id = ?").forEachRow([message]) {
      sender = ($0.text(0), $0.text(1))
    }
    let participants = try Participants.appending(
      sender.0, address: sender.1, to: old.participants
    ) {
      let known = try statement(
        """
        SELECT 1 FROM message
        WHERE thread = ?1 AND id <> ?2 AND sender_address = ?3 COLLATE NOCASE LIMIT 1
        """)
      known.bind([thread, message])
      known.bind(sender.1, at: 3)
      return try known.number() != nil
    }
    let update = try statement(
      """
      UPDATE thread SET latest = ?2, count = count + 1, unread = unread + (m.flags & 1 = 0),
        snippet = m.snippet, participants = ?4
      FROM message AS m WHERE thread.id = ?1 AND m.id = ?3
      """)
    update.bind([thread, facts.date, message])
    update.bind(participants, at: 4)
    try update.run()
    return true
  }

  func countUnread(_ thread: Int64) throws {
    try statement(
      """
      UPDATE thread SET unread =
        (SELECT count(*) FROM message WHERE message.thread = ?1 AND flags & 1 = 0)
      WHERE id = ?1
      """
    ).run([thread])
  }
}
