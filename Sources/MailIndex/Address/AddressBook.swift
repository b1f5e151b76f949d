import GRDB
import MailCore

/// People's addresses and the newest name of each. Of several spellings that differ in case, the
/// last by its bytes is kept, which is mostly the one in small letters: so the order of arrival
/// makes no difference. Lives in one write transaction; what it has
/// looked up may be carried from one to the next.
struct AddressBook {
  /// Entries by the address in lower case.
  typealias Known = [String: Entry]

  struct Entry: Sendable {
    let id: Int64
    /// Nil where it is all small letters: no other comes behind that.
    fileprivate var spelling: String?
    fileprivate var name: String
    fileprivate var date: Int64
    fileprivate var isChanged = false
  }

  private(set) var known: Known
  private var changed: [String] = []
  private let db: Database
  private let find: RowStatement
  private let insert: RowStatement
  private let rename: RowStatement

  init(_ db: Database, known: Known = [:]) throws {
    self.db = db
    self.known = known
    find = try RowStatement(
      db, "SELECT id, name, name_date, address FROM address WHERE address = ?")
    insert = try RowStatement(
      db, "INSERT INTO address(address, name, name_date) VALUES (?, ?, ?) RETURNING id")
    rename = try RowStatement(
      db,
      "UPDATE address SET name = ?2, name_date = ?3, address = ifnull(?4, address) WHERE id = ?1")
  }

  /// The address's number; the newest name it goes by is kept.
  mutating func id(of person: ParsedMessage.Correspondent, date: Int64) throws -> Int64 {
    let folded = Keywords.fold(person.address)
    guard var entry = try entry(folded) else { return try add(person, folded, date) }
    let name = person.name
    let isNewer = !name.isEmpty && (date, name) > (entry.date, entry.name)
    let isBetter = entry.spelling.map { Self.precedes($0, person.address) } ?? false
    guard isNewer || isBetter else { return entry.id }
    if isNewer {
      entry.name = name
      entry.date = date
    }
    if isBetter { entry.spelling = person.address }
    if !entry.isChanged {
      entry.isChanged = true
      changed.append(folded)
    }
    known[folded] = entry
    return entry.id
  }

  /// Writes the names that changed; call before the commit.
  mutating func write() throws {
    for folded in changed {
      guard let entry = known[folded] else { continue }
      rename.bind(entry.id, at: 1)
      rename.bind(entry.name, at: 2)
      rename.bind(entry.date, at: 3)
      rename.bind(entry.spelling, at: 4)
      try rename.run()
      known[folded]?.isChanged = false
      if entry.spelling == folded { known[folded]?.spelling = nil }
    }
    changed = []
  }

  /// Removes those of the addresses that no message names any more.
  mutating func prune(_ ids: Set<Int64>) throws {
    let delete = try RowStatement(
      db,
      """
      DELETE FROM address WHERE id = ?1 AND NOT is_own
        AND NOT EXISTS (SELECT 1 FROM message_address WHERE address = ?1)
      """)
    for id in ids {
      delete.bind(id, at: 1)
      try delete.run()
    }
    try write()
    known = [:]
  }

  private mutating func entry(_ folded: String) throws -> Entry? {
    if let entry = known[folded] { return entry }
    find.bind(folded, at: 1)
    try find.forEachRow { row in
      let spelling = row.text(3)
      known[folded] = Entry(
        id: row.number(0), spelling: spelling == folded ? nil : spelling, name: row.text(1),
        date: row.number(2))
    }
    return known[folded]
  }

  private mutating func add(_ person: ParsedMessage.Correspondent, _ folded: String, _ date: Int64)
    throws -> Int64
  {
    let named = person.name.isEmpty ? Int64.min : date
    insert.bind(person.address, at: 1)
    insert.bind(person.name, at: 2)
    insert.bind(named, at: 3)
    let id = try insert.number() ?? 0
    known[folded] = Entry(
      id: id, spelling: person.address == folded ? nil : person.address, name: person.name,
      date: named)
    return id
  }

  /// Byte by byte, as SQLite's max() compares.
  private static func precedes(_ a: String, _ b: String) -> Bool {
    a.utf8.lexicographicallyPrecedes(b.utf8)
  }
}
