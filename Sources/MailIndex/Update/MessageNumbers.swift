import GRDB

/// Gives messages their numbers: the minute of the date, or the next number that is free. So the
/// order of numbers is nearly the order of dates.
struct MessageNumbers {
  /// For a number in use, one behind it that may be free: paths that shorten as they are walked.
  private var next: [Int64: Int64] = [:]
  /// The farthest that a number lies beyond its minute (`meta.max_shift`).
  private(set) var maxShift: Int64

  init(maxShift: Int64 = 0) { self.maxShift = maxShift }

  /// All numbers in use, dead rows of the search text included.
  init(_ db: Database) throws {
    maxShift = try IndexStore.fact("max_shift", db) ?? 0
    for sql in ["SELECT id FROM message", "SELECT id FROM dead"] {
      try RowStatement(db, sql).forEachRow { next[$0.number(0)] = $0.number(0) + 1 }
    }
  }

  static func minute(of date: Int64) -> Int64 {
    // Mail of the sixties counts as of 1970; numbers stay within what a double holds exactly.
    max(1, min(date / 60, 1 << 52))
  }

  mutating func take(date: Int64) -> Int64 {
    let minute = Self.minute(of: date)
    var free = minute
    while let behind = next[free] { free = behind }
    var place = minute
    while place != free, let behind = next[place] {
      next[place] = free + 1
      place = behind
    }
    next[free] = free + 1
    maxShift = max(maxShift, free - minute)
    return free
  }
}

/// The same for a few messages in a large index: asks the tables.
struct MessageNumberSearch {
  private let isTaken: RowStatement
  private let firstGap: RowStatement

  init(_ db: Database) throws {
    isTaken = try RowStatement(
      db,
      "SELECT EXISTS(SELECT 1 FROM message WHERE id = ?1) OR EXISTS(SELECT 1 FROM dead WHERE id = ?1)"
    )
    // The first row from ?1 on that has neither a live nor a dead one right behind it.
    firstGap = try RowStatement(
      db,
      """
      SELECT min(gap) FROM (
        SELECT (SELECT id + 1 FROM message AS m WHERE id >= ?1
          AND NOT EXISTS (SELECT 1 FROM message WHERE id = m.id + 1)
          AND NOT EXISTS (SELECT 1 FROM dead WHERE id = m.id + 1) ORDER BY id LIMIT 1) AS gap
        UNION ALL
        SELECT (SELECT id + 1 FROM dead AS d WHERE id >= ?1
          AND NOT EXISTS (SELECT 1 FROM message WHERE id = d.id + 1)
          AND NOT EXISTS (SELECT 1 FROM dead WHERE id = d.id + 1) ORDER BY id LIMIT 1))
      """)
  }

  func take(date: Int64) throws -> Int64 {
    let minute = MessageNumbers.minute(of: date)
    isTaken.bind(minute, at: 1)
    if try isTaken.number() == 0 { return minute }
    firstGap.bind(minute, at: 1)
    return try firstGap.number() ?? minute + 1
  }
}
