/// The `thread` table: what a list of conversations shows.
extension ThreadStore {
  /// Writes a thread's row from its messages; takes it away where there are none.
  func writeRow(of thread: Int64) throws {
    var row = ThreadRow()
    try statement(
      """
      SELECT m.id, m.flags & 1, m.parent IS NULL, n.facts
      FROM message AS m CROSS JOIN thread_node AS n ON n.message = m.id WHERE m.thread = ?
      """
    ).forEachRow([thread]) {
      let place = ThreadFacts.place(packed: $0.bytes(3)) ?? (0, 0)
      row.add(
        ThreadRow.Member(
          id: $0.number(0), date: place.date, rank: place.rank, isUnread: $0.number(1) == 0,
          isRoot: $0.number(2) != 0))
    }
    guard let (root, latest) = row.ends else {
      try statement("DELETE FROM thread WHERE id = ?").run([thread])
      return
    }
    let write = try statement(
      """
      INSERT OR REPLACE INTO thread(id, account, latest, count, unread, root, last, subject)
      SELECT ?1, account, ?2, ?3, ?4, ?5, ?6, ?7 FROM message WHERE id = ?5
      """)
    write.bind([thread, latest.date, Int64(row.count), Int64(row.unread), root.id, latest.id])
    write.bind(try subject(of: root.id), at: 7)
    try write.run()
  }

  private func subject(of root: Int64) throws -> String? {
    var subject: String?
    try statement("SELECT subject FROM message WHERE id = ?").forEachRow([root]) {
      subject = ThreadRow.subject(root: $0.text(0))
    }
    return subject
  }

  /// Adds to a thread's row a message that is its latest and changes nothing else about it. False
  /// where the row has to be written anew.
  func extendRow(of thread: Int64, by message: Int64, _ facts: ThreadFacts) throws -> Bool {
    let latest = try statement("SELECT latest FROM thread WHERE id = ?").number([thread])
    guard let latest, facts.date > latest else { return false }
    try statement(
      """
      UPDATE thread SET latest = ?2, count = count + 1, unread = unread + (m.flags & 1 = 0),
        last = m.id
      FROM message AS m WHERE thread.id = ?1 AND m.id = ?3
      """
    ).run([thread, facts.date, message])
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
