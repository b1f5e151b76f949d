import GRDB
import MailCore

@testable import MailIndex

/// A message as the tests know it; what the index would hold of it.
struct TestMessage {
  var id: Int64
  var date: Int64
  var account = "personal"
  var folders = ["INBOX"]
  var subject = ""
  var from = ""
  var to = ""
  var cc = ""
  var body = ""
  var attachments: [(name: String, type: String)] = []
  var flags: IndexFlags = [.seen]
  var size: Int64 = 1000
  var keywords: [String] = []
  var list: String?
  var messageID: String?
  var thread: Int64?
  var bcc: String?

  init(_ id: Int64, date: Int64? = nil) {
    self.id = id
    self.date = date ?? id * 60
  }
}

/// An index in memory, filled by hand with the index's own schema.
struct SearchIndex {
  let queue: DatabaseQueue
  /// 2024-03-15 12:00 UTC.
  static let now: Int64 = 1_710_504_000
  static let clock = QueryClock(now: now) { _ in 0 }

  init(_ messages: [TestMessage], dead: [TestMessage] = [], maxShift: Int64 = 0) throws {
    queue = try DatabaseQueue()
    try queue.write { db in
      try IndexSchema.create(db)
      try IndexSchema.createIndexes(db)
      try db.execute(sql: "INSERT INTO meta VALUES ('max_shift', ?)", arguments: [maxShift])
      for message in messages { try Self.insert(message, db) }
      for message in dead {
        try Self.insertText(message, db)
        try db.execute(sql: "INSERT INTO dead VALUES (?)", arguments: [message.id])
      }
    }
  }

  private static func number(_ table: String, _ name: String, _ db: Database) throws -> Int64 {
    try Int64.fetchOne(db, sql: "SELECT id FROM \(table) WHERE name = ?", arguments: [name])
      ?? {
        let columns = table == "account" ? "(name, path) VALUES (?1, ?1)" : "(name) VALUES (?1)"
        try db.execute(sql: "INSERT INTO \(table)\(columns)", arguments: [name])
        return db.lastInsertedRowID
      }()
  }

  private static func insertText(_ message: TestMessage, _ db: Database) throws {
    let columns = [
      message.subject, message.from, [message.to, message.bcc ?? ""].joined(separator: " "),
      message.cc,
      message.body, message.attachments.map(\.name).joined(separator: "\n"),
    ].map { String(decoding: CJKText.indexed($0), as: UTF8.self) }
    try db.execute(
      sql: """
        INSERT INTO message_text(rowid, subject, sender, recipients, cc, body, attachment)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """, arguments: [message.id] + StatementArguments(columns))
  }

  private static func insert(_ message: TestMessage, _ db: Database) throws {
    let account = try number("account", message.account, db)
    try db.execute(
      sql: """
        INSERT INTO message(id, account, thread, content_hash, date, flags, size, attachments,
          message_key, sender, sender_address, recipients, cc, subject,
          list_id, snippet) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        message.id, account, message.thread ?? message.id, message.id, message.date,
        message.flags.rawValue, message.size, message.attachments.count, message.messageID,
        message.from, message.from, message.to, message.cc, message.subject, message.list,
        message.body,
      ])
    if let id = message.messageID {
      let key = Int64(bitPattern: LinkKey.messageID(id, account: account))
      try db.execute(sql: "INSERT INTO thread_key VALUES (?, ?, 1)", arguments: [key, message.id])
    }
    try insertText(message, db)
    try insertParts(message, account, db)
  }

  private static func insertParts(_ message: TestMessage, _ account: Int64, _ db: Database) throws {
    for folder in message.folders {
      let path = "\(message.account)/\(folder)"
      try db.execute(
        sql: "INSERT OR IGNORE INTO mailbox(account, name, path) VALUES (?, ?, ?)",
        arguments: [account, folder, path])
      try db.execute(
        sql: """
          INSERT INTO file(message, mailbox, subdirectory, name_hash, inode, flags, size, modified, name,
            list_id)
          SELECT ?, id, 1, ?, 0, 0, 0, 0, ?, ? FROM mailbox WHERE path = ?
          """, arguments: [message.id, message.id, "\(message.id):2,S", message.list, path])
    }
    for keyword in message.keywords {
      try db.execute(
        sql: "INSERT INTO message_keyword VALUES (?, ?)",
        arguments: [try number("keyword", keyword, db), message.id])
    }
    for (index, attachment) in message.attachments.enumerated() {
      try db.execute(
        sql: "INSERT INTO attachment VALUES (?, ?, ?, ?, 10, 'attachment', NULL, NULL, NULL, 1)",
        arguments: [message.id, "\(index + 2)", attachment.name, attachment.type])
    }
    if let bcc = message.bcc {
      try db.execute(sql: "INSERT OR IGNORE INTO address(address) VALUES (?)", arguments: [bcc])
      try db.execute(
        sql: "INSERT INTO message_address SELECT ?, 4, id FROM address WHERE address = ?",
        arguments: [message.id, bcc])
    }
    try db.execute(
      sql: "INSERT OR IGNORE INTO thread VALUES (?, ?, ?, 1, 0, ?4, ?4, NULL)",
      arguments: [message.thread ?? message.id, account, message.date, message.id])
  }

  // MARK: Asking

  static func parse(_ query: String) throws -> QueryNode {
    try QueryParser.parse(query, clock: clock)
  }

  func ids(
    _ query: String, limit: Int? = nil, offset: Int = 0, sort: SearchRequest.Sort = .date
  ) throws -> [Int64] {
    try search(query, limit: limit, offset: offset, sort: sort) { try $0.messages() }
  }

  func search<T>(
    _ query: String, limit: Int? = nil, offset: Int = 0, sort: SearchRequest.Sort = .date,
    _ body: (Search) throws -> T
  ) throws -> T {
    let request = SearchRequest(
      query: try Self.parse(query), limit: limit, offset: offset, sort: sort)
    return try queue.read { db in try body(Search(request, in: db)) }
  }
}
