import GRDB
import MailCore

/// Flags, keywords and list of a message, from those of its files. Lives in one write transaction.
struct MarkRows {
  private let db: Database
  private let files: RowStatement
  private let setFlags: RowStatement
  private let flags: RowStatement
  private let setList: RowStatement
  private let keywords: RowStatement
  private let insertKeyword: RowStatement
  private let deleteKeyword: RowStatement
  private let findName: RowStatement
  private let insertName: RowStatement

  init(_ db: Database) throws {
    self.db = db
    files = try RowStatement(
      db, "SELECT flags, keywords, letters, list_id FROM file WHERE message = ?")
    setFlags = try RowStatement(db, "UPDATE message SET flags = ?2 WHERE id = ?1")
    flags = try RowStatement(db, "SELECT flags FROM message WHERE id = ?")
    setList = try RowStatement(
      db, "UPDATE message SET list_id = ?2 WHERE id = ?1 AND list_id IS NOT ?2")
    keywords = try RowStatement(
      db,
      """
      SELECT k.name FROM message_keyword AS m JOIN keyword AS k ON k.id = m.keyword
      WHERE m.message = ?
      """)
    insertKeyword = try RowStatement(db, "INSERT OR IGNORE INTO message_keyword VALUES (?, ?)")
    deleteKeyword = try RowStatement(
      db, "DELETE FROM message_keyword WHERE keyword = ? AND message = ?")
    findName = try RowStatement(db, "SELECT id FROM keyword WHERE name = ?")
    insertName = try RowStatement(db, "INSERT INTO keyword(name) VALUES (?) RETURNING id")
  }

  /// What the files of a message make together; nil when there is none.
  private func marks(of message: Int64) throws -> Marks? {
    var any: IndexFlags = []
    var all = IndexFlags.trashed
    var marks = Marks()
    var isThere = false
    files.bind(message, at: 1)
    try files.forEachRow { row in
      isThere = true
      let flags = IndexFlags(rawValue: row.number(0))
      any.formUnion(flags)
      all.formIntersection(flags)
      for column: Int32 in 1...2 where !row.isNull(column) {
        marks.keywords = marks.keywords.union(FileRows.keywords(row.text(column)))
      }
      guard !row.isNull(3) else { return }
      let list = row.text(3)
      // As SQLite's min() finds it.
      if marks.listID.map({ list.utf8.lexicographicallyPrecedes($0.utf8) }) ?? true {
        marks.listID = list
      }
    }
    marks.flags = any.subtracting(.trashed).union(all)
    return isThere ? marks : nil
  }

  private struct Marks {
    var flags: IndexFlags = []
    var keywords = Keywords.none
    var listID: String?
  }

  /// Brings the message's row up to date with its files. Returns whether its flags changed; nil when
  /// it has no file left.
  func refresh(_ message: Int64) throws -> Bool? {
    guard let marks = try marks(of: message) else { return nil }
    try set(marks.keywords, of: message)
    setList.bind(message, at: 1)
    setList.bind(marks.listID, at: 2)
    try setList.run()
    flags.bind(message, at: 1)
    guard let old = try flags.number(), old != marks.flags.rawValue else { return false }
    setFlags.bind(message, at: 1)
    setFlags.bind(marks.flags.rawValue, at: 2)
    try setFlags.run()
    return true
  }

  private func set(_ wanted: Keywords, of message: Int64) throws {
    var names: [String] = []
    keywords.bind(message, at: 1)
    try keywords.forEachRow { names.append($0.text(0)) }
    let old = Keywords(names)
    if old == wanted { return }
    for name in wanted.subtracting(old) { try add(name, to: message) }
    for name in old.subtracting(wanted) {
      findName.bind(name, at: 1)
      guard let id = try findName.number() else { continue }
      deleteKeyword.bind(id, at: 1)
      deleteKeyword.bind(message, at: 2)
      try deleteKeyword.run()
    }
  }

  func add(_ keyword: String, to message: Int64) throws {
    findName.bind(keyword, at: 1)
    var id = try findName.number()
    if id == nil {
      insertName.bind(keyword, at: 1)
      id = try insertName.number()
    }
    guard let id else { return }
    insertKeyword.bind(id, at: 1)
    insertKeyword.bind(message, at: 2)
    try insertKeyword.run()
  }
}
