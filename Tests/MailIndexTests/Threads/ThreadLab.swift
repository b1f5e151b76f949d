import GRDB
import Testing

@testable import MailIndex

/// A mail as the tests think of it; messages are known by their `name`.
struct Mail: Hashable {
  var name: String
  var messageID: String
  var inReplyTo: [String]
  var isExactlyOneID: Bool
  var references: [String]
  var threadIndex: String?
  var subject: String
  var sender: String
  var addresses: [String]
  var date: Int64
  var isUnread: Bool
  var account: Int64
  var content: Int64

  /// - Parameter id: the Message-ID where it is not `name@x`.
  init(
    _ name: String, id: String? = nil, answers: [String] = [], exactly: Bool? = nil,
    references: [String] = [], threadIndex: String? = nil, subject: String = "the subject",
    from sender: String = "Ann <ann@x>", to addresses: [String] = [], date: Int64 = 0,
    unread: Bool = true, account: Int64 = 1
  ) {
    self.name = name
    messageID = id ?? "\(name)@x"
    inReplyTo = answers
    isExactlyOneID = exactly ?? (answers.count == 1)
    self.references = references
    self.threadIndex = threadIndex
    self.subject = subject
    self.sender = sender
    self.addresses = addresses
    self.date = date
    isUnread = unread
    self.account = account
    content = Int64(name.utf8.reduce(7) { ($0 &* 31) &+ Int($1) })
  }

  var address: String {
    guard let open = sender.lastIndex(of: "<") else { return sender }
    return String(sender[sender.index(after: open)...].dropLast())
  }

  var facts: ThreadFacts {
    var base = subject[...]
    while base.hasPrefix("Re: ") { base = base.dropFirst(4) }
    return ThreadFacts(
      account: account, messageID: messageID, date: date, contentHash: content,
      inReplyTo: inReplyTo, isExactlyOneID: isExactlyOneID, references: references,
      threadIndex: threadIndex?.utf8, baseSubject: String(base), isReply: base != subject[...],
      senderAddress: address, addresses: [address] + addresses)
  }
}

/// What is to be seen of one message, in names.
struct Seen: Equatable, CustomStringConvertible {
  var thread: [String]
  var parent: String?
  var source: ThreadLinkSource
  var row: String

  var description: String { "\(thread) parent \(parent ?? "-") \(source) | \(row)" }
}

/// An index of threads alone, in memory, over the columns that threads read and write.
final class ThreadLab {
  let queue: DatabaseQueue
  private(set) var numbers: [String: Int64] = [:]

  init() throws {
    queue = try DatabaseQueue()
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE message(
            id INTEGER PRIMARY KEY, account INTEGER NOT NULL, thread INTEGER, parent INTEGER,
            link INTEGER NOT NULL DEFAULT 0, date INTEGER NOT NULL, flags INTEGER NOT NULL,
            name TEXT NOT NULL, sender TEXT NOT NULL, sender_address TEXT NOT NULL,
            subject TEXT NOT NULL, snippet TEXT NOT NULL);
          CREATE INDEX message_thread ON message(thread);
          CREATE TABLE thread(
            id INTEGER PRIMARY KEY, account INTEGER NOT NULL, latest INTEGER NOT NULL,
            count INTEGER NOT NULL, unread INTEGER NOT NULL, root INTEGER NOT NULL,
            last INTEGER NOT NULL, subject TEXT);
          """ + ThreadSchema.sql + ThreadSchema.indexes)
    }
  }

  /// As the index numbers messages: by the minute, or the next that is free.
  private func insert(_ mail: Mail, _ db: Database) throws -> Int64 {
    var number = max(1, mail.date / 60)
    let taken = Set(numbers.values)
    while taken.contains(number) { number += 1 }
    numbers[mail.name] = number
    try db.execute(
      sql: "INSERT INTO message VALUES (?, ?, ?, NULL, 0, ?, ?, ?, ?, ?, ?, ?)",
      arguments: [
        number, mail.account, number, mail.date, mail.isUnread ? 0 : 1, mail.name, mail.sender,
        mail.address, mail.subject, "says \(mail.name)",
      ])
    return number
  }

  /// Adds and removes in one transaction.
  func change(add added: [Mail] = [], remove removed: [String] = [], read: [String] = []) throws {
    try queue.write { db in
      var store = ThreadStore(db)
      for mail in added {
        let number = try insert(mail, db)
        try store.add(number, mail.facts)
      }
      for name in removed {
        let removed = numbers.removeValue(forKey: name)
        let number = try #require(removed)
        try store.remove(number)
        try db.execute(sql: "DELETE FROM message WHERE id = ?", arguments: [number])
      }
      for name in read {
        let number = try #require(numbers[name])
        try db.execute(
          sql: "UPDATE message SET flags = flags | 1 WHERE id = ?", arguments: [number])
        try store.flagsChanged(number)
      }
      try store.settle()
    }
  }

  /// One transaction each.
  func deliver(_ mails: [Mail]) throws {
    for mail in mails { try change(add: [mail]) }
  }

  /// As a first build does it.
  func build(_ mails: [Mail]) throws {
    try queue.write { db in
      for mail in mails { try ThreadStore.record(insert(mail, db), mail.facts, in: db) }
      try ThreadStore.rebuild(db)
    }
  }

  func rebuild() throws { try queue.write { try ThreadStore.rebuild($0) } }

  func seen() throws -> [String: Seen] {
    try queue.read { db in
      var members: [Int64: [String]] = [:]
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT m.name, m.thread, p.name, m.link, t.id,
            t.account || '|' || t.latest || '|' || t.count || '|' || t.unread || '|'
              || ifnull(t.subject, r.subject) || '|' || l.snippet
          FROM message AS m LEFT JOIN message AS p ON p.id = m.parent
            LEFT JOIN thread AS t ON t.id = m.thread LEFT JOIN message AS r ON r.id = t.root
            LEFT JOIN message AS l ON l.id = t.last ORDER BY m.id
          """)
      for row in rows { members[row[1], default: []].append(row[0]) }
      var seen: [String: Seen] = [:]
      for row in rows {
        let source = try #require(ThreadLinkSource(rawValue: row[3]))
        seen[row[0]] = Seen(
          thread: (members[row[1]] ?? []).sorted(), parent: row[2], source: source,
          row: (row[5] as String?) ?? "no row")
      }
      return seen
    }
  }

  /// Every table of threads, row by row.
  func dump() throws -> [String] {
    try queue.read { db in
      var lines: [String] = []
      let tables = [
        "SELECT id, thread, parent, link FROM message ORDER BY id",
        "SELECT * FROM thread ORDER BY id", "SELECT * FROM thread_key ORDER BY key, message",
        "SELECT * FROM thread_subject ORDER BY key, date, rank, message",
        "SELECT * FROM thread_hub ORDER BY key",
        "SELECT message, hex(facts) FROM thread_node ORDER BY message",
      ]
      for table in tables {
        lines += try Row.fetchAll(db, sql: table).map { "\(table.prefix(40)): \($0)" }
      }
      return lines
    }
  }

  /// A thread is called after its smallest message, and every thread has one row.
  func checkNumbers() throws {
    try queue.read { db in
      let misnamed = try Int.fetchOne(
        db,
        sql: """
          SELECT count(*) FROM message AS m
          WHERE thread <> (SELECT min(id) FROM message AS o WHERE o.thread = m.thread)
          """)
      #expect(misnamed == 0)
      let rows = try Int64.fetchAll(db, sql: "SELECT id FROM thread ORDER BY id")
      let threads = try Int64.fetchAll(
        db, sql: "SELECT DISTINCT thread FROM message ORDER BY thread")
      #expect(rows == threads)
    }
  }
}

/// Threads of these mails, by name, the same however they come: built at once, delivered one by one
/// in this order and the other, and in one batch.
func threads(of mails: [Mail]) throws -> [String: Seen] {
  let built = try ThreadLab()
  try built.build(mails)
  try built.checkNumbers()
  let expected = try built.seen()
  for order in [mails, mails.reversed()] {
    let one = try ThreadLab()
    try one.deliver(order)
    #expect(try one.seen() == expected)
    let batch = try ThreadLab()
    try batch.change(add: order)
    #expect(try batch.seen() == expected)
  }
  return expected
}

/// The threads as sets of names, in alphabetical order.
func groups(of mails: [Mail]) throws -> [[String]] {
  Set(try threads(of: mails).values.map(\.thread)).sorted { $0.joined() < $1.joined() }
}
