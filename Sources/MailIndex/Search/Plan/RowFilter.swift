/// A condition on what the index `message_scan` holds of each message: date, flags, size, account
/// and number of attachments.
struct RowFilter: Sendable, Equatable {
  /// Over the columns of `message`, with a `?` for each argument.
  let sql: String
  let arguments: [Int64]
  /// All messages that pass have numbers in here.
  let ids: ClosedRange<Int64>
  /// Levels of parentheses: SQLite's parser has a stack of a hundred symbols.
  let depth: Int

  static let deepest = 15
  static let anyID: ClosedRange<Int64> = 0...Int64.max

  init(_ sql: String, _ arguments: [Int64] = [], ids: ClosedRange<Int64> = anyID, depth: Int = 1) {
    self.sql = sql
    self.arguments = arguments
    self.ids = ids
    self.depth = depth
  }

  static func flags(_ flags: IndexFlags, isSet: Bool) -> RowFilter {
    RowFilter("flags & \(flags.rawValue) \(isSet ? "<>" : "=") 0")
  }

  static let hasAttachment = RowFilter("attachments > 0")
  /// Few are such, and they have an index of their own.
  static let lacksParts = RowFilter("id IN (SELECT id FROM message WHERE absent_parts > 0)")

  /// Large messages have an index of their own, found by its very words.
  static func size(_ sizes: ClosedRange<Int64>) -> RowFilter {
    let isLarge = sizes.lowerBound >= 1 << 20
    return RowFilter(
      "size BETWEEN ? AND ?" + (isLarge ? " AND size >= 1048576" : ""),
      [sizes.lowerBound, sizes.upperBound])
  }

  static func accounts(_ accounts: [Int64]) -> RowFilter {
    let marks = accounts.map { _ in "?" }.joined(separator: ", ")
    return RowFilter("account IN (\(marks))", accounts)
  }

  /// Numbers are minutes of dates, moved up by no more than `maxShift`.
  static func date(_ dates: Range<Int64>, maxShift: Int64) -> RowFilter {
    let low = dates.lowerBound == .min ? 0 : minute(of: dates.lowerBound)
    let high =
      dates.upperBound == .max
      ? Int64.max : minute(of: max(dates.upperBound, 1) - 1) + max(0, maxShift)
    return RowFilter(
      "date >= ? AND date < ?", [dates.lowerBound, dates.upperBound], ids: low...max(low, high))
  }

  static func all(_ filters: [RowFilter]) -> RowFilter? {
    let low = filters.map(\.ids.lowerBound).max() ?? 0
    let high = filters.map(\.ids.upperBound).min() ?? Int64.max
    return join(filters, "AND", ids: low...max(low, high))
  }

  static func any(_ filters: [RowFilter]) -> RowFilter? {
    let low = filters.map(\.ids.lowerBound).min() ?? 0
    let high = filters.map(\.ids.upperBound).max() ?? Int64.max
    return join(filters, "OR", ids: low...high)
  }

  /// Nil where the result would be too deep for SQLite.
  var inverted: RowFilter? {
    depth < Self.deepest ? RowFilter("NOT (\(sql))", arguments, depth: depth + 1) : nil
  }

  private static func join(_ filters: [RowFilter], _ word: String, ids: ClosedRange<Int64>)
    -> RowFilter?
  {
    if filters.count == 1 { return filters[0] }
    let depth = (filters.map(\.depth).max() ?? 0) + 1
    guard depth <= deepest, !filters.isEmpty else { return nil }
    return RowFilter(
      filters.map { "(\($0.sql))" }.joined(separator: " \(word) "),
      filters.flatMap(\.arguments), ids: ids, depth: depth)
  }

  private static func minute(of date: Int64) -> Int64 { MessageMinutes.minute(of: date) }
}

/// How `message.id` follows from the date: see `IndexSchema.tables`.
enum MessageMinutes {
  static func minute(of date: Int64) -> Int64 { max(1, min(date / 60, 1 << 52)) }
}
