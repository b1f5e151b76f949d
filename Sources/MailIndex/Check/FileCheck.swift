import GRDB
import MailCore
import Maildir

/// Looks whether rows of files agree with themselves, and keywords of messages with their files'.
struct FileCheck {
  let db: Database

  func faults() throws -> [String] {
    let names = try wrongNames()
    let keywords = try wrongKeywords()
    return
      (names > 0 ? ["\(names) × a file whose name is not the one it was found by"] : [])
      + (keywords > 0 ? ["\(keywords) × a message whose keywords are not its files'"] : [])
  }

  /// The hash and the flags of a row come from its name.
  private func wrongNames() throws -> Int {
    var wrong = 0
    let rows = try RowStatement(db, "SELECT subdirectory, name, name_hash, flags FROM file")
    try rows.forEachRow { row in
      let subdirectory: Subdirectory = row.number(0) == 0 ? .new : .cur
      let name = row.bytes(1)
      let file = MessageFile(subdirectory: subdirectory, name: Array(name))
      if KnownFiles.hash(subdirectory, name) != row.number(2)
        || FileRows.flags(of: file).rawValue != row.number(3)
      {
        wrong += 1
      }
    }
    return wrong
  }

  private func wrongKeywords() throws -> Int {
    var wanted: [Int64: Keywords] = [:]
    let files = try RowStatement(
      db,
      """
      SELECT message, keywords, letters FROM file
      WHERE keywords IS NOT NULL OR letters IS NOT NULL
      """)
    try files.forEachRow { row in
      for column: Int32 in 1...2 where !row.isNull(column) {
        wanted[row.number(0), default: .none] = wanted[row.number(0), default: .none].union(
          FileRows.keywords(row.text(column)))
      }
    }
    var wrong = 0
    var names: [String] = []
    var message: Int64?
    func close() {
      guard let message else { return }
      if wanted.removeValue(forKey: message) ?? .none != Keywords(names) { wrong += 1 }
      names = []
    }
    let rows = try RowStatement(
      db,
      """
      SELECT m.message, ifnull(k.name, '') FROM message_keyword AS m
      LEFT JOIN keyword AS k ON k.id = m.keyword ORDER BY m.message
      """)
    try rows.forEachRow { row in
      if row.number(0) != message {
        close()
        message = row.number(0)
      }
      names.append(row.text(1))
    }
    close()
    return wrong + wanted.count
  }
}
