import GRDB
import GRDBSQLite
import Ledger
import MailCore

/// What a push has under way.
extension StateStore {
  /// In the order in which they began.
  package func pushSteps() throws(StateError) -> [PushStep] {
    try read { db in
      var steps: [PushStep] = []
      let columns = MessageRecord.columns.replacing("uid,", with: "number,")
      let statement = try db.cachedStatement(
        sql: "SELECT \(columns), target, stage, place, taken, source, sourceUID, sourceValidity, "
          + "sourceHeaderHash, sourceContentHash, uidValidity, uidNext FROM pushStep ORDER BY number"
      )
      try statement.rows([]) { steps.append(try PushStep(row: $0)) }
      return steps
    }
  }

  package func hasPushSteps() throws(StateError) -> Bool {
    try read { try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM pushStep)") ?? false }
  }

  /// Whether a push has something under way to this mailbox.
  package func hasPushSteps(to mailbox: MailboxKey) throws(StateError) -> Bool {
    try read {
      try Bool.fetchOne(
        $0, sql: "SELECT EXISTS (SELECT 1 FROM pushStep WHERE target = ?)", arguments: [mailbox])
        ?? false
    }
  }
}

extension StateTransaction {
  package func put(_ step: PushStep) throws {
    let statement = try db.cachedStatement(
      sql: "INSERT OR REPLACE INTO pushStep "
        + "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
    var record = step.record
    record.uid = UID(step.number)
    try statement.bind(step.target, at: 1)
    record.bind(to: statement.sqliteStatement)
    let (stage, place, taken) = step.stage.columns
    let source = step.source
    let rest: [(any DatabaseValueConvertible)?] = [
      stage, place?.rawValue, taken, source?.mailbox, source?.uid.rawValue, source?.uidValidity,
      source?.headerHash,
      source?.contentHash, step.uidValidity, step.uidNext,
    ]
    for (index, value) in rest.enumerated() { try statement.bind(value, at: Int32(16 + index)) }
    try statement.step(db)
  }

  package func removeStep(_ number: UInt32) throws {
    try db.execute(sql: "DELETE FROM pushStep WHERE number = ?", arguments: [number])
  }
}

extension PushStep {
  /// Reads the current row of ``StateStore/pushSteps()``.
  fileprivate init(row: OpaquePointer) throws {
    func value(_ column: Int32) -> Int64? {
      sqlite3_column_type(row, column) == SQLITE_NULL ? nil : sqlite3_column_int64(row, column)
    }
    func number(_ column: Int32) -> UInt32 { UInt32(truncatingIfNeeded: value(column) ?? 0) }
    let name = String(decoding: columnBytes(row, 15), as: UTF8.self)
    let place = value(16).map { UID(UInt32(truncatingIfNeeded: $0)) }
    guard let stage = Stage(name, place: place, taken: value(17)) else {
      throw StateError.damaged("a step at a stage called “\(name.visible)”")
    }
    let record = MessageRecord(row: row)
    self.init(
      number: record.uid.rawValue, stage: stage, target: MailboxKey(row: row, 14),
      record: record,
      source: value(18).map {
        Source(
          mailbox: MailboxKey($0), uid: UID(number(19)), uidValidity: number(20),
          headerHash: HeaderHash(row: row, 21),
          contentHash: ContentHash(row: row, 22))
      }, uidValidity: number(23), uidNext: number(24))
  }
}

extension PushStep.Stage {
  fileprivate var columns: (name: String, place: UID?, taken: Int64?) {
    switch self {
    case .append: ("append", nil, nil)
    case .appended(let place, let time): ("appended", place, time)
    case .move: ("move", nil, nil)
    case .copy: ("copy", nil, nil)
    case .unconfirmed: ("unconfirmed", nil, nil)
    case .copied(let place): ("copied", place, nil)
    }
  }

  fileprivate init?(_ name: String, place: UID?, taken: Int64?) {
    switch (name, place, taken) {
    case ("append", _, _): self = .append
    case ("appended", _, let time?): self = .appended(at: place, time: time)
    case ("move", _, _): self = .move
    case ("copy", _, _): self = .copy
    case ("unconfirmed", _, _): self = .unconfirmed
    case ("copied", let place?, _): self = .copied(at: place)
    default: return nil
    }
  }
}
