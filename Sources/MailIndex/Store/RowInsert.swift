import GRDB

/// Writes rows of one table from values of one type. Each column is named where its value is: there is no second list
/// to keep in step.
struct RowInsert<Source> {
  struct Column {
    let name: String
    fileprivate let bind: (Source, RowStatement, Int32) -> Void

    static func number(_ name: String, _ value: @escaping (Source) -> Int64) -> Column {
      Column(name: name) { source, row, place in row.bind(value(source), at: place) }
    }

    /// NULL where the value is nil.
    static func optional(_ name: String, _ value: @escaping (Source) -> Int64?) -> Column {
      Column(name: name) { source, row, place in row.bind(value(source), at: place) }
    }

    /// NULL where the value is nil.
    static func text(_ name: String, _ value: @escaping (Source) -> String?) -> Column {
      Column(name: name) { source, row, place in row.bind(value(source), at: place) }
    }
  }

  private let columns: [Column]
  private let row: RowStatement

  init(_ db: Database, _ verb: String = "INSERT", into table: String, _ columns: [Column]) throws {
    self.columns = columns
    let names = columns.map(\.name).joined(separator: ", ")
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    row = try RowStatement(db, "\(verb) INTO \(table)(\(names)) VALUES (\(places))")
  }

  func run(_ source: Source) throws {
    var place: Int32 = 0
    for column in columns {
      place += 1
      column.bind(source, row, place)
    }
    try row.run()
  }
}
