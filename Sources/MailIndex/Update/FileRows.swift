import GRDB
import MailCore
import Maildir

/// Writes the rows of files, and keeps the counts of their folders. Lives in one write transaction.
struct FileRows {
  /// What a row holds that changes with the file.
  struct Row {
    var message: Int64
    var mailbox: Int64
    var file: MessageFile
    var inode: Int64
    var size: Int64
    var modified: Int64
    var keywords: Keywords
    /// Spelled out from the letters in the name.
    var letters: Keywords
    /// The list that this copy of the message came through.
    var listID: String?
  }

  private var counts: [Int64: FolderCount] = [:]
  private let db: Database
  private let insertRow: RowStatement
  private let updateRow: RowStatement
  private let deleteRow: RowStatement
  private let find: RowStatement

  init(_ db: Database) throws {
    self.db = db
    insertRow = try RowStatement(
      db,
      """
      INSERT INTO file(message, mailbox, subdirectory, name_hash, inode, flags, size, modified, name,
        keywords, letters, list_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    updateRow = try RowStatement(
      db,
      """
      UPDATE file SET message = ?, mailbox = ?, subdirectory = ?, name_hash = ?, inode = ?,
        flags = ?, size = ?, modified = ?, name = ?, keywords = ?, letters = ?,
        list_id = ? WHERE id = ?
      """)
    deleteRow = try RowStatement(db, "DELETE FROM file WHERE id = ?")
    find = try RowStatement(
      db,
      """
      SELECT message, mailbox, subdirectory, name, inode, size, modified, keywords, letters, list_id
      FROM file WHERE id = ?
      """)
  }

  static func flags(of file: MessageFile) -> IndexFlags { IndexFlags(file.fileName.flags) }

  mutating func insert(_ row: Row) throws {
    bind(row, to: insertRow)
    try insertRow.run()
    counts[row.mailbox, default: FolderCount()].add(row)
  }

  /// Gives a row another content; `old` is what it has.
  mutating func update(_ id: Int64, from old: Row, to row: Row) throws {
    bind(row, to: updateRow)
    updateRow.bind(id, at: 13)
    try updateRow.run()
    counts[old.mailbox, default: FolderCount()].remove(old)
    counts[row.mailbox, default: FolderCount()].add(row)
  }

  mutating func delete(_ id: Int64, _ row: Row) throws {
    deleteRow.bind(id, at: 1)
    try deleteRow.run()
    counts[row.mailbox, default: FolderCount()].remove(row)
  }

  func row(_ id: Int64) throws -> Row? {
    var found: Row?
    find.bind(id, at: 1)
    try find.forEachRow { row in
      found = Row(
        message: row.number(0), mailbox: row.number(1),
        file: MessageFile(
          subdirectory: row.number(2) == 0 ? .new : .cur, name: Array(row.bytes(3))),
        inode: row.number(4), size: row.number(5), modified: row.number(6),
        keywords: Self.keywords(row.text(7)), letters: Self.keywords(row.text(8)),
        listID: row.isNull(9) ? nil : row.text(9))
    }
    return found
  }

  /// Writes the counts of the folders; call before the commit.
  mutating func write() throws {
    for (mailbox, count) in counts { try count.added(to: mailbox, db) }
    counts = [:]
  }

  private func bind(_ row: Row, to statement: RowStatement) {
    statement.bind(row.message, at: 1)
    statement.bind(row.mailbox, at: 2)
    statement.bind(Int64(row.file.subdirectory.rawValue), at: 3)
    row.file.name.withUnsafeBytes { name in
      statement.bind(KnownFiles.hash(row.file.subdirectory, name), at: 4)
      statement.bind(name: name, at: 9)
    }
    statement.bind(row.inode, at: 5)
    statement.bind(Self.flags(of: row.file).rawValue, at: 6)
    statement.bind(row.size, at: 7)
    statement.bind(row.modified, at: 8)
    statement.bind(Self.text(row.keywords), at: 10)
    statement.bind(Self.text(row.letters), at: 11)
    statement.bind(row.listID, at: 12)
  }

  /// A line each; line feeds in a keyword, and backslashes, have one before them.
  static func text(_ keywords: Keywords) -> String? {
    if keywords.isEmpty { return nil }
    let lines = keywords.map {
      $0.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    }
    return lines.joined(separator: "\n")
  }

  static func keywords(_ text: String) -> Keywords {
    text.isEmpty ? .none : Keywords(text.split(separator: "\n").map(unescaped))
  }

  private static func unescaped(_ line: Substring) -> String {
    guard line.utf8.contains(UInt8(ascii: "\\")) else { return String(line) }
    var name = ""
    var isEscaped = false
    for scalar in line.unicodeScalars {
      if !isEscaped, scalar == "\\" {
        isEscaped = true
        continue
      }
      name.unicodeScalars.append(isEscaped && scalar == "n" ? "\n" : scalar)
      isEscaped = false
    }
    return name
  }
}
