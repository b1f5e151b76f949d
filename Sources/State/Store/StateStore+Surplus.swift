import GRDB
import GRDBSQLite
import Ledger
import MailCore

extension StateStore {
  /// Ascending by the hash of the name, the undecided ones among them, but for those of which nothing is known.
  package func surplus(in mailbox: MailboxKey) throws(StateError) -> [SurplusFile] {
    try read { db in
      var found: [SurplusFile] = []
      let statement = try db.cachedStatement(
        sql: "SELECT nameHash, contentHash FROM surplus WHERE mailbox = ? "
          + "AND NOT (isUndecided AND wasHere = ?)")
      try statement.rows([mailbox, UndecidedFile.Origin.unknown.rawValue]) {
        found.append(SurplusFile(row: $0))
      }
      return found.sorted { $0.nameHash.rawValue < $1.nameHash.rawValue }
    }
  }

  package func undecidedFiles(in mailbox: MailboxKey) throws(StateError) -> [UndecidedFile] {
    try read { db in
      var found: [UndecidedFile] = []
      let statement = try db.cachedStatement(
        sql: "SELECT nameHash, contentHash, wasHere FROM surplus WHERE mailbox = ? AND isUndecided")
      try statement.rows([mailbox]) {
        guard let origin = UndecidedFile.Origin(rawValue: sqlite3_column_int64($0, 2)) else {
          return
        }
        found.append(UndecidedFile(SurplusFile(row: $0), origin))
      }
      return found
    }
  }

  /// By the hashes of their names: surplus because the server may only not show their messages.
  package func surplusOutOfView(in mailbox: MailboxKey) throws(StateError) -> Set<NameHash> {
    try read { db in
      var names: Set<NameHash> = []
      let statement = try db.cachedStatement(
        sql: "SELECT nameHash FROM surplus WHERE mailbox = ? AND wasHere AND NOT isUndecided")
      try statement.rows([mailbox]) {
        names.insert(NameHash(row: $0, 0))
      }
      return names
    }
  }

  /// What these hold, wherever they lie by now.
  package func contentsOutOfView() throws(StateError) -> Set<ContentHash> {
    try read { db in
      var contents: Set<ContentHash> = []
      let statement = try db.cachedStatement(
        sql: "SELECT contentHash FROM surplus WHERE wasHere AND NOT isUndecided "
          + "AND contentHash <> 0")
      try statement.rows([]) {
        contents.insert(ContentHash(row: $0, 0))
      }
      return contents
    }
  }

  /// What the undecided files hold, wherever they lie by now.
  package func undecidedContents() throws(StateError) -> Set<ContentHash> {
    try read { db in
      var contents: Set<ContentHash> = []
      let statement = try db.cachedStatement(
        sql: "SELECT contentHash FROM surplus WHERE isUndecided")
      try statement.rows([]) {
        contents.insert(ContentHash(row: $0, 0))
      }
      return contents
    }
  }

  /// Whether there are files of which it is not known whether the server ever had them.
  package func hasUndecidedUnknown() throws(StateError) -> Bool {
    try read { db in
      try Bool.fetchOne(
        db, sql: "SELECT EXISTS (SELECT 1 FROM surplus WHERE isUndecided AND wasHere = ?)",
        arguments: [UndecidedFile.Origin.unknown.rawValue]) ?? false
    }
  }

  /// How many files are undecided, by mailbox.
  package func undecidedFiles() throws(StateError) -> [MailboxKey: Int] {
    try read { db in
      var counts: [MailboxKey: Int] = [:]
      let statement = try db.cachedStatement(
        sql: "SELECT mailbox, count(*) FROM surplus WHERE isUndecided GROUP BY mailbox")
      try statement.rows([]) {
        counts[MailboxKey(row: $0, 0)] = Int(sqlite3_column_int64($0, 1))
      }
      return counts
    }
  }
}

extension StateTransaction {
  /// These and no others.
  package func setSurplus(
    _ files: some Sequence<SurplusFile>, undecided: some Sequence<UndecidedFile> = [],
    of mailbox: MailboxKey
  ) throws {
    try db.execute(sql: "DELETE FROM surplus WHERE mailbox = ?", arguments: [mailbox])
    for file in undecided { try addUndecided(file, to: mailbox) }
    for file in files { try addSurplus(file, to: mailbox) }
  }

  /// Adds one file to the mailbox's surplus.
  package func addSurplus(_ file: SurplusFile, to mailbox: MailboxKey) throws {
    try put(file, isUndecided: false, .elsewhere, in: mailbox)
  }

  package func addUndecided(_ file: UndecidedFile, to mailbox: MailboxKey) throws {
    try put(file.file, isUndecided: true, file.origin, in: mailbox)
  }

  /// Adds a file to the mailbox's surplus whose message the server may only not show.
  package func addSurplusOutOfView(_ file: SurplusFile, to mailbox: MailboxKey) throws {
    try put(file, isUndecided: false, .here, in: mailbox)
  }

  /// The server shows more of the mailbox than it did: they are judged anew.
  package func undecideSurplusOutOfView(of mailbox: MailboxKey) throws {
    try db.execute(
      sql: "UPDATE surplus SET isUndecided = 1 WHERE mailbox = ? AND wasHere AND NOT isUndecided",
      arguments: [mailbox])
  }

  /// What became of the mailbox's undecided files; those that are not among these are new messages.
  package func decide(_ decision: SurplusDecision, of mailbox: MailboxKey) throws {
    try db.execute(
      sql: "DELETE FROM surplus WHERE mailbox = ? AND isUndecided", arguments: [mailbox])
    for file in decision.surplus { try addSurplus(file, to: mailbox) }
    for file in decision.outOfView { try addSurplusOutOfView(file, to: mailbox) }
    for file in decision.waiting { try addUndecided(file, to: mailbox) }
  }

  private func put(
    _ file: SurplusFile, isUndecided: Bool, _ origin: UndecidedFile.Origin, in mailbox: MailboxKey
  ) throws {
    try db.cachedStatement(
      sql: "INSERT OR REPLACE INTO surplus (mailbox, nameHash, contentHash, isUndecided, wasHere) "
        + "VALUES (?, ?, ?, ?, ?)"
    ).execute(
      arguments: [
        mailbox, file.nameHash, file.contentHash,
        isUndecided, origin.rawValue,
      ])
  }

  /// The file turned out to be a message of another mailbox, wherever it lies.
  package func removeSurplus(nameHash: NameHash) throws {
    try db.execute(
      sql: "DELETE FROM surplus WHERE nameHash = ?", arguments: [nameHash])
  }

  /// The file became a message's own.
  package func removeSurplus(nameHash: NameHash, from mailbox: MailboxKey) throws {
    try db.execute(
      sql: "DELETE FROM surplus WHERE mailbox = ? AND nameHash = ?",
      arguments: [mailbox, nameHash])
  }

  /// A person moved what these repeat out of the mailbox: what is left there repeats nothing.
  package func removeSurplus(contentHash: ContentHash, from mailbox: MailboxKey) throws {
    try db.cachedStatement(sql: "DELETE FROM surplus WHERE mailbox = ? AND contentHash = ?")
      .execute(arguments: [mailbox, contentHash])
  }
}

extension SurplusFile {
  /// From the first two columns.
  fileprivate init(row: OpaquePointer) {
    self.init(
      nameHash: NameHash(row: row, 0),
      contentHash: ContentHash(row: row, 1))
  }
}
