import GRDB

/// Gives messages their numbers: the minute of the date, or the next number that is free. So the
/// order of numbers is nearly the order of dates.
///
/// A bit for each number in use: two megabytes for the mail of twenty years, however much it is.
struct MessageNumbers {
  private var blocks: [Int64: SIMD8<UInt64>] = [:]
  /// For a block without a free number, one after it that may have one: paths that shorten as they are walked.
  private var next: [Int64: Int64] = [:]
  /// The farthest that a number lies beyond its minute (`meta.max_shift`).
  private(set) var maxShift: Int64

  /// Numbers of a block, as a power of two.
  private static let blockBits: Int64 = 9

  init(maxShift: Int64 = 0) { self.maxShift = maxShift }

  /// All numbers in use, dead rows of the search text included.
  init(_ db: Database) throws {
    maxShift = try IndexStore.fact("max_shift", db) ?? 0
    for sql in ["SELECT id FROM message", "SELECT id FROM dead"] {
      try RowStatement(db, sql).forEachRow { use($0.number(0)) }
    }
  }

  static func minute(of date: Int64) -> Int64 {
    // Mail of the sixties counts as of 1970; numbers stay within what a double holds exactly.
    max(1, min(date / 60, 1 << 52))
  }

  mutating func take(date: Int64) -> Int64 {
    let minute = Self.minute(of: date)
    let block = minute >> Self.blockBits
    let free =
      free(in: block, from: Int(minute & (1 << Self.blockBits - 1)))
      ?? firstFree(from: block + 1)
    use(free)
    maxShift = max(maxShift, free - minute)
    return free
  }

  private mutating func firstFree(from start: Int64) -> Int64 {
    var block = start
    while let later = next[block] { block = later }
    var place = start
    while place != block, let later = next[place] {
      next[place] = block
      place = later
    }
    return free(in: block, from: 0) ?? block << Self.blockBits
  }

  /// The first number of a block that is not in use, from a place in it on.
  private func free(in block: Int64, from place: Int) -> Int64? {
    guard let bits = blocks[block] else { return block << Self.blockBits + Int64(place) }
    for word in place / 64..<8 {
      let below: UInt64 = word == place / 64 ? 1 << UInt64(place % 64) - 1 : 0
      let unused = ~(bits[word] | below)
      if unused != 0 {
        return block << Self.blockBits + Int64(word * 64 + unused.trailingZeroBitCount)
      }
    }
    return nil
  }

  private mutating func use(_ number: Int64) {
    let block = number >> Self.blockBits
    let place = Int(number & (1 << Self.blockBits - 1))
    var bits = blocks[block] ?? SIMD8(repeating: 0)
    bits[place / 64] |= 1 << UInt64(place % 64)
    blocks[block] = bits
    if bits == SIMD8(repeating: .max) { next[block] = block + 1 }
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
