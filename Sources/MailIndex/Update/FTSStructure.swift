/// FTS5's list of segments: a cookie of four bytes, then varints: levels, segments, a write counter,
/// and for each level how many of its segments a merge is reading, how many there are, and each one's
/// number, first and last page.
struct FTSStructure: Equatable {
  struct Segment: Equatable {
    var id: Int64
    var firstPage: Int64
    var lastPage: Int64
  }

  struct Level: Equatable {
    var merging: Int64 = 0
    /// Oldest first.
    var segments: [Segment] = []
  }

  private var cookie: [UInt8]
  private var writes: Int64
  var levels: [Level] = []

  /// FTS5 allows no more.
  static let mostSegments = 2000

  init(_ bytes: [UInt8]) throws {
    guard bytes.count >= 7 else { throw IndexError.damaged("the search text has no structure") }
    cookie = Array(bytes[..<4])
    // 0xFF 00 00 01 marks a newer form, for options that the index does not use.
    guard bytes[4] != 0xFF else { throw IndexError.failed("search text of an unknown form") }
    var rest = bytes[4...]
    let count = try rest.takeVarint()
    let total = try rest.takeVarint()
    writes = try rest.takeVarint()
    for _ in 0..<count {
      var level = Level()
      level.merging = try rest.takeVarint()
      for _ in 0..<(try rest.takeVarint()) {
        let id = try rest.takeVarint()
        let first = try rest.takeVarint()
        level.segments.append(Segment(id: id, firstPage: first, lastPage: try rest.takeVarint()))
      }
      levels.append(level)
    }
    guard levels.reduce(0, { $0 + $1.segments.count }) == Int(total) else {
      throw IndexError.damaged("the search text's structure does not add up")
    }
  }

  var segmentCount: Int { levels.reduce(0) { $0 + $1.segments.count } }
  var numbers: Set<Int64> { Set(levels.flatMap { $0.segments.map(\.id) }) }

  /// Where segments of a build go: high enough that FTS5, which merges the lowest level at once when
  /// it is full, never makes a small commit wait for a merge of them all.
  private static let builtLevel = 3

  /// Adds a segment under a number of its own.
  mutating func adopt(_ segment: Segment) throws -> Int64 {
    let used = numbers
    guard used.count < Self.mostSegments - 1,
      let number = (1...Int64(Self.mostSegments)).first(where: { !used.contains($0) })
    else { throw IndexError.failed("the search text is in too many pieces") }
    while levels.count <= Self.builtLevel { levels.append(Level()) }
    var segment = segment
    segment.id = number
    levels[Self.builtLevel].segments.append(segment)
    return number
  }

  var bytes: [UInt8] {
    var bytes = cookie
    bytes.appendVarint(Int64(levels.count))
    bytes.appendVarint(Int64(segmentCount))
    bytes.appendVarint(writes)
    for level in levels {
      bytes.appendVarint(level.merging)
      bytes.appendVarint(Int64(level.segments.count))
      for segment in level.segments {
        bytes.appendVarint(segment.id)
        bytes.appendVarint(segment.firstPage)
        bytes.appendVarint(segment.lastPage)
      }
    }
    return bytes
  }
}

/// FTS5's totals: rows, then tokens of each column, as varints.
struct FTSTotals: Equatable {
  private var counts: [Int64] = []

  init(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty { counts.append(try rest.takeVarint()) }
  }

  static func + (a: FTSTotals, b: FTSTotals) -> FTSTotals {
    var sum = a
    for (place, count) in b.counts.enumerated() {
      if place < sum.counts.count {
        sum.counts[place] += count
      } else {
        sum.counts.append(count)
      }
    }
    return sum
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for count in counts { bytes.appendVarint(count) }
    return bytes
  }
}

extension ArraySlice<UInt8> {
  /// SQLite's varint: seven bits a byte, highest first, the ninth byte whole.
  fileprivate mutating func takeVarint() throws -> Int64 {
    var value: UInt64 = 0
    for place in 0..<9 {
      guard let byte = popFirst() else {
        throw IndexError.damaged("a number in the search text is cut off")
      }
      if place == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { break }
    }
    return Int64(bitPattern: value)
  }
}

extension [UInt8] {
  fileprivate mutating func appendVarint(_ value: Int64) {
    let value = UInt64(bitPattern: value)
    if value >> 56 != 0 {
      for group in 0..<8 {
        append(UInt8(truncatingIfNeeded: value >> (57 - 7 * UInt64(group))) | 0x80)
      }
      append(UInt8(truncatingIfNeeded: value))
      return
    }
    var left = value
    var groups: [UInt8] = [UInt8(left & 0x7F)]
    left >>= 7
    while left > 0 {
      groups.append(UInt8(left & 0x7F) | 0x80)
      left >>= 7
    }
    append(contentsOf: groups.reversed())
  }
}
