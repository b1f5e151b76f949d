import GRDB
import MailCore
import Maildir

/// The changes of one write transaction: rows, search text, threads and counts, kept in step.
struct IndexChanges {
  let db: Database
  private(set) var files: FileRows
  let marks: MarkRows
  private(set) var threads: ThreadChanges
  private let messages: MessageRows
  private var addresses: AddressBook
  private let use: AddressUse
  private let numbers: MessageNumberSearch
  private var texts: [(id: Int64, text: SearchText)] = []
  private var maxShift: Int64 = 0
  /// Messages that came, less those that went.
  private var balance = 0
  private var ownerIsNews = false
  private let findContent: RowStatement

  init(_ db: Database) throws {
    self.db = db
    files = try FileRows(db)
    marks = try MarkRows(db)
    threads = try ThreadChanges(db, .atOnce)
    messages = try MessageRows(db)
    addresses = try AddressBook(db)
    use = AddressUse(db)
    numbers = try MessageNumberSearch(db)
    findContent = try RowStatement(
      db, "SELECT id FROM message WHERE content_hash = ? AND account = ?")
  }

  /// A file that was read: its message is made, or found by its content.
  mutating func add(_ result: MessageParser.Result, _ row: FileRows.Row, in folder: IndexedFolder)
    throws
  {
    var row = row
    findContent.bind(result.message.contentHash, at: 1)
    findContent.bind(folder.account, at: 2)
    let known = try findContent.number()
    row.message = try known ?? insert(result.message, row, folder)
    try files.insert(row)
    try refresh(row.message)
    if folder.isSent, try use.revealsOwner(row.message) { ownerIsNews = true }
  }

  /// A file that got another name or place.
  mutating func rename(
    _ id: Int64, to file: MessageFile, inode: UInt64, letters: Keywords, in folder: IndexedFolder
  ) throws {
    guard let old = try files.row(id) else { return }
    var row = old
    row.mailbox = folder.mailbox
    row.file = file
    row.inode = Int64(bitPattern: inode)
    row.letters = letters
    try update(id, from: old, to: row)
    if folder.isSent, try use.revealsOwner(row.message) { ownerIsNews = true }
  }

  private mutating func update(_ id: Int64, from old: FileRows.Row, to row: FileRows.Row) throws {
    try files.update(id, from: old, to: row)
    try refresh(row.message)
    if old.message != row.message { try refresh(old.message) }
  }

  /// A file that was read anew under its old name.
  mutating func replace(
    _ id: Int64, _ result: MessageParser.Result, _ row: FileRows.Row, in folder: IndexedFolder
  ) throws {
    guard let old = try files.row(id) else { return try add(result, row, in: folder) }
    findContent.bind(result.message.contentHash, at: 1)
    findContent.bind(folder.account, at: 2)
    var row = row
    row.message = try findContent.number() ?? insert(result.message, row, folder)
    try update(id, from: old, to: row)
  }

  mutating func remove(_ id: Int64) throws {
    guard let row = try files.row(id) else { return }
    try files.delete(id, row)
    try refresh(row.message)
  }

  /// Before the commit.
  mutating func settle() throws {
    let rows = try SearchRows(db)
    for entry in texts.sorted(by: { $0.id < $1.id }) { try rows.add(entry.id, entry.text) }
    texts = []
    try addresses.write()
    try files.write()
    try threads.settle()
    if ownerIsNews { try AddressRecount.ask(db) }
    ownerIsNews = false
    try MessageCount.add(balance, db)
    balance = 0
    if try maxShift > IndexStore.fact("max_shift", db) ?? 0 {
      try IndexStore.setFact("max_shift", maxShift, db)
    }
  }

  private mutating func insert(
    _ message: ParsedMessage, _ row: FileRows.Row, _ folder: IndexedFolder
  ) throws -> Int64 {
    let id = try numbers.take(date: message.date)
    maxShift = max(maxShift, id - MessageNumbers.minute(of: message.date))
    try messages.insert(
      id, message, account: folder.account, flags: FileRows.flags(of: row.file),
      addresses: &addresses)
    try threads.add(id, message.facts)
    try use.count(id, sign: 1)
    balance += 1
    texts.append((id, message.text))
    let unexamined = try RowStatement(db, "INSERT OR IGNORE INTO unexamined VALUES (?)")
    unexamined.bind(id, at: 1)
    try unexamined.run()
    return id
  }

  /// The marks of a message after its files changed; it goes with its last file.
  private mutating func refresh(_ message: Int64) throws {
    if let isChanged = try marks.refresh(message) {
      if isChanged { try threads.flagsChanged(message) }
      return
    }
    try threads.remove(message)
    try use.count(message, sign: -1)
    let people = try use.addresses(of: message)
    for sql in [
      "DELETE FROM attachment WHERE message = ?", "DELETE FROM message_keyword WHERE message = ?",
      "DELETE FROM message_address WHERE message = ?", "DELETE FROM thread_node WHERE message = ?",
      "DELETE FROM warning WHERE message = ?", "DELETE FROM unexamined WHERE message = ?",
      "DELETE FROM message WHERE id = ?",
    ] {
      let delete = try RowStatement(db, sql)
      delete.bind(message, at: 1)
      try delete.run()
    }
    balance -= 1
    try addresses.prune(people)
    if let place = texts.firstIndex(where: { $0.id == message }) {
      texts.remove(at: place)
    } else {
      let insert = try RowStatement(db, "INSERT OR IGNORE INTO dead VALUES (?)")
      insert.bind(message, at: 1)
      try insert.run()
    }
  }
}
