/// Threads read and write little but numbers.
extension RowStatement {
  func bind(_ values: [Int64]) {
    for (index, value) in values.enumerated() { bind(value, at: Int32(index + 1)) }
  }

  /// For what runs very often: no array is made.
  func run(_ first: Int64, _ second: Int64, _ third: Int64) throws {
    bind(first, at: 1)
    bind(second, at: 2)
    bind(third, at: 3)
    try run()
  }

  func run(_ values: [Int64]) throws {
    bind(values)
    try run()
  }

  func forEachRow(_ values: [Int64], _ body: (Row) throws -> Void) throws {
    bind(values)
    try forEachRow(body)
  }

  /// The first column of every row.
  func numbers(_ values: [Int64]) throws -> [Int64] {
    var found: [Int64] = []
    try forEachRow(values) { found.append($0.number(0)) }
    return found
  }

  /// The first column of the first row.
  func number(_ values: [Int64]) throws -> Int64? {
    bind(values)
    return try number()
  }
}
