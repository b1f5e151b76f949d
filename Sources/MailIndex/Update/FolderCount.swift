import GRDB
import Maildir

/// How many files of a folder have rows, how many of them are unread, and their sums: kept in the folder's row, in the
/// transaction that changes the files'.
struct FolderCount: Equatable {
  private(set) var total: Int64 = 0
  private(set) var unread: Int64 = 0
  private(set) var sums = FolderSums()

  mutating func add(_ row: FileRows.Row) {
    let subdirectory = row.file.subdirectory
    total += 1
    unread += Self.isUnread(row) ? 1 : 0
    sums[subdirectory] = sums[subdirectory] + Self.sum(row)
  }

  mutating func remove(_ row: FileRows.Row) {
    let subdirectory = row.file.subdirectory
    total -= 1
    unread -= Self.isUnread(row) ? 1 : 0
    sums[subdirectory] = sums[subdirectory] - Self.sum(row)
  }

  private static func isUnread(_ row: FileRows.Row) -> Bool {
    !FileRows.flags(of: row.file).contains(.seen)
  }

  private static func sum(_ row: FileRows.Row) -> DirectorySum {
    let hash = row.file.name.withUnsafeBytes { KnownFiles.hash(row.file.subdirectory, $0) }
    return DirectorySum(nameHash: hash, inode: row.inode)
  }

  // MARK: In the database

  /// Columns of `mailbox`, in the order of ``init(_:from:)``.
  static let columns = "new_names, new_files, cur_names, cur_files"

  static func sums(_ row: RowStatement.Row, from column: Int32) -> FolderSums {
    func sum(_ column: Int32) -> DirectorySum {
      DirectorySum(
        names: UInt64(bitPattern: row.number(column)),
        files: UInt64(bitPattern: row.number(column + 1)))
    }
    return FolderSums(new: sum(column), cur: sum(column + 2))
  }

  /// Adds this to what the folder has. Not by SQLite, whose sums do not wrap around.
  func added(to mailbox: Int64, _ db: Database) throws {
    let find = try RowStatement(
      db, "SELECT total, unread, \(Self.columns) FROM mailbox WHERE id = ?")
    find.bind(mailbox, at: 1)
    var count = self
    try find.forEachRow {
      count.total += $0.number(0)
      count.unread += $0.number(1)
      let before = Self.sums($0, from: 2)
      count.sums.new = count.sums.new + before.new
      count.sums.cur = count.sums.cur + before.cur
    }
    try count.write(to: mailbox, db)
  }

  private func write(to mailbox: Int64, _ db: Database) throws {
    let update = try RowStatement(
      db,
      """
      UPDATE mailbox SET total = ?2, unread = ?3, new_names = ?4, new_files = ?5, cur_names = ?6, cur_files = ?7
      WHERE id = ?1
      """)
    let numbers = [sums.new.names, sums.new.files, sums.cur.names, sums.cur.files]
    update.bind(mailbox, at: 1)
    update.bind(total, at: 2)
    update.bind(unread, at: 3)
    for (index, number) in numbers.enumerated() {
      update.bind(Int64(bitPattern: number), at: Int32(4 + index))
    }
    try update.run()
  }

  /// Counts the files anew.
  static func recount(_ db: Database) throws {
    let counts = try counted(db)
    var mailboxes: [Int64] = []
    try RowStatement(db, "SELECT id FROM mailbox").forEachRow { mailboxes.append($0.number(0)) }
    for mailbox in mailboxes { try (counts[mailbox] ?? FolderCount()).write(to: mailbox, db) }
  }

  /// Whether the folders' rows say what the files' do.
  static func isRight(_ db: Database) throws -> Bool {
    let counts = try counted(db)
    var isRight = true
    try RowStatement(db, "SELECT id, total, unread, \(columns) FROM mailbox").forEachRow {
      let count = counts[$0.number(0)] ?? FolderCount()
      isRight =
        isRight && count.total == $0.number(1) && count.unread == $0.number(2)
        && count.sums == sums($0, from: 3)
    }
    return isRight
  }

  private static func counted(_ db: Database) throws -> [Int64: FolderCount] {
    var counts: [Int64: FolderCount] = [:]
    let rows = try RowStatement(
      db, "SELECT mailbox, subdirectory, name_hash, inode, flags FROM file ORDER BY mailbox")
    try rows.forEachRow { row in
      let subdirectory: Subdirectory = row.number(1) == 0 ? .new : .cur
      var count = counts[row.number(0)] ?? FolderCount()
      count.total += 1
      count.unread += IndexFlags(rawValue: row.number(4)).contains(.seen) ? 0 : 1
      let sum = DirectorySum(nameHash: row.number(2), inode: row.number(3))
      count.sums[subdirectory] = count.sums[subdirectory] + sum
      counts[row.number(0)] = count
    }
    return counts
  }
}
