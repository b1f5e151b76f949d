import GRDB
import GRDBSQLite
import Ledger
import MailCore

/// What a push remembers: steps under way, refusals, and folders without pending changes.
extension StateStore {
  /// In the order in which they began.
  package func pushSteps() throws(StateError) -> [PushStep] {
    try read { db in
      var steps: [PushStep] = []
      let columns = MessageRecord.columns.replacing("uid,", with: "number,")
      let statement = try db.cachedStatement(
        sql: "SELECT \(columns), target, kind, source, sourceUID, sourceValidity, "
          + "sourceHeaderHash, sourceContentHash, uidValidity, uidNext, copyUID FROM pushStep ORDER BY number"
      )
      try statement.rows([]) { row in
        let record = MessageRecord(row: row)
        let kind = String(decoding: columnBytes(row, 15), as: UTF8.self)
        guard let kind = PushStep.Kind(rawValue: kind) else {
          throw StateError.damaged("a step of a kind called “\(kind.visible)”")
        }
        func number(_ column: Int32) -> UInt32 {
          UInt32(truncatingIfNeeded: sqlite3_column_int64(row, column))
        }
        func hash(_ column: Int32) -> UInt64 {
          UInt64(bitPattern: sqlite3_column_int64(row, column))
        }
        steps.append(
          PushStep(
            number: record.uid.rawValue, kind: kind, target: sqlite3_column_int64(row, 14),
            record: record, source: sqlite3_column_int64(row, 16), sourceUID: UID(number(17)),
            sourceValidity: number(18), sourceHeaderHash: hash(19), sourceContentHash: hash(20),
            uidValidity: number(21), uidNext: number(22), copyUID: UID(number(23))))
      }
      return steps
    }
  }

  package func hasPushSteps() throws(StateError) -> Bool {
    try read { try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM pushStep)") ?? false }
  }

  /// Whether a push has something under way to this mailbox.
  package func hasPushSteps(to mailbox: Int64) throws(StateError) -> Bool {
    try read {
      try Bool.fetchOne(
        $0, sql: "SELECT EXISTS (SELECT 1 FROM pushStep WHERE target = ?)", arguments: [mailbox])
        ?? false
    }
  }

  package func pushRefusals() throws(StateError) -> [PushRefusal] {
    try read { try PushRefusal.order(sql: "mailbox, subject").fetchAll($0) }
  }

  package func deletionHolds() throws(StateError) -> [DeletionHold] {
    try pushRefusals().compactMap { DeletionHold($0) }
  }

  /// Which directories each mailbox's folder was when what was missing in it was last pushed or held back.
  package func folderIdentities() throws(StateError) -> [Int64: Int64] {
    try read { db in
      let rows = try Row.fetchAll(db, sql: "SELECT mailbox, value FROM folderIdentity")
      return Dictionary(rows.map { ($0["mailbox"], $0["value"]) }) { first, _ in first }
    }
  }

  package func folderIdentity(of mailbox: Int64) throws(StateError) -> Int64? {
    try read {
      try Int64.fetchOne(
        $0, sql: "SELECT value FROM folderIdentity WHERE mailbox = ?", arguments: [mailbox])
    }
  }

  package func pushScans() throws(StateError) -> [PushScan] {
    try read { try PushScan.order(sql: "mailbox").fetchAll($0) }
  }

  /// Base-name hashes by UID of all messages of a mailbox with one of these contents.
  package func contents(in mailbox: Int64, among hashes: Set<UInt64>) throws(StateError)
    -> [UInt64: [UID]]
  {
    guard !hashes.isEmpty else { return [:] }
    return try read { db in
      var found: [UInt64: [UID]] = [:]
      let statement = try db.cachedStatement(
        sql: "SELECT contentHash, uid FROM message WHERE mailbox = ? AND uid <= 4294967295 "
          + "AND name <> '' AND NOT traits & 20")
      try statement.rows([mailbox]) { row in
        let hash = UInt64(bitPattern: sqlite3_column_int64(row, 0))
        guard hash != 0, hashes.contains(hash) else { return }
        found[hash, default: []].append(
          UID(UInt32(truncatingIfNeeded: sqlite3_column_int64(row, 1))))
      }
      return found
    }
  }
}

extension StateTransaction {
  package func put(_ step: PushStep) throws {
    let statement = try db.cachedStatement(
      sql: "INSERT OR REPLACE INTO pushStep "
        + "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
    let row = statement.sqliteStatement
    var record = step.record
    record.uid = UID(step.number)
    sqlite3_bind_int64(row, 1, step.target)
    record.bind(to: row)
    sqlite3_bind_text(
      row, 16, step.kind.rawValue, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    sqlite3_bind_int64(row, 17, step.source)
    sqlite3_bind_int64(row, 18, Int64(step.sourceUID.rawValue))
    sqlite3_bind_int64(row, 19, Int64(step.sourceValidity))
    sqlite3_bind_int64(row, 20, Int64(bitPattern: step.sourceHeaderHash))
    sqlite3_bind_int64(row, 21, Int64(bitPattern: step.sourceContentHash))
    sqlite3_bind_int64(row, 22, Int64(step.uidValidity))
    sqlite3_bind_int64(row, 23, Int64(step.uidNext))
    sqlite3_bind_int64(row, 24, Int64(step.copyUID.rawValue))
    try statement.step(db)
  }

  package func removeStep(_ number: UInt32) throws {
    try db.execute(sql: "DELETE FROM pushStep WHERE number = ?", arguments: [number])
    try removeFact(PushStep.takenFact(number))
  }

  package func put(_ refusal: PushRefusal) throws { try refusal.save(db) }

  package func removeRefusal(mailbox: Int64, subject: RefusalSubject) throws {
    try db.execute(
      sql: "DELETE FROM pushRefusal WHERE mailbox = ? AND subject = ?",
      arguments: [mailbox, subject.text])
  }

  private func refusals(of mailbox: Int64) throws -> [PushRefusal] {
    try PushRefusal.filter(sql: "mailbox = ?", arguments: [mailbox]).fetchAll(db)
  }

  /// Those that told of single messages by UID: a pull knows better now, or the UIDs mean other messages.
  package func removeRefusals(ofMessagesIn mailbox: Int64, onlyLost: Bool) throws {
    for refusal in try refusals(of: mailbox) {
      switch refusal.subject {
      case .edit where onlyLost: continue
      case .lost, .edit: try removeRefusal(mailbox: mailbox, subject: refusal.subject)
      default: continue
      }
    }
  }

  package func setFact(_ name: String, _ value: String) throws {
    try StateStore.set(name, value, db)
  }

  /// What is known already stays.
  package func setFactIfNone(_ name: String, _ value: String) throws {
    try db.execute(sql: "INSERT OR IGNORE INTO fact VALUES (?, ?)", arguments: [name, value])
  }

  package func removeFact(_ name: String) throws {
    let statement = try db.cachedStatement(sql: "DELETE FROM fact WHERE name = ?")
    try statement.execute(arguments: [name])
  }

  /// In place of what was held in the mailbox before.
  package func put(_ hold: DeletionHold, at time: Int64) throws {
    try removeHold(of: hold.mailbox)
    try put(hold.refusal(at: time))
  }

  package func removeHold(of mailbox: Int64) throws {
    for refusal in try refusals(of: mailbox) where DeletionHold(refusal) != nil {
      try removeRefusal(mailbox: mailbox, subject: refusal.subject)
    }
  }

  /// Their UIDs are other messages' now; the deletions are still to be confirmed.
  func forgetUIDs(ofHoldIn mailbox: Int64) throws {
    for var refusal in try refusals(of: mailbox) where DeletionHold(refusal) != nil {
      refusal.reason = DeletionHold.all
      try put(refusal)
    }
  }

  package func put(_ scan: PushScan) throws { try scan.save(db) }

  package func setFolderIdentity(_ value: Int64, of mailbox: Int64) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO folderIdentity VALUES (?, ?)", arguments: [mailbox, value])
  }

  package func removeFolderIdentity(of mailbox: Int64) throws {
    try db.execute(sql: "DELETE FROM folderIdentity WHERE mailbox = ?", arguments: [mailbox])
  }

  package func removeScan(of mailbox: Int64) throws {
    try db.execute(sql: "DELETE FROM pushScan WHERE mailbox = ?", arguments: [mailbox])
  }

  /// Adds one file to the mailbox's surplus.
  package func addSurplus(_ file: SurplusFile, to mailbox: Int64) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO surplus VALUES (?, ?, ?)",
      arguments: [
        mailbox, Int64(bitPattern: file.nameHash), Int64(bitPattern: file.contentHash),
      ])
  }
}
