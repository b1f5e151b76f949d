/// A set of UIDs held as ascending, disjoint, non-adjacent ranges (RFC 9051 sequence-set over UIDs).
///
/// Compact where UIDs are dense: a mailbox of 250,000 messages without gaps is one range.
package struct UIDSet: Hashable, Sendable, CustomStringConvertible {
  package private(set) var ranges: [ClosedRange<UInt32>]

  package init() { ranges = [] }

  package init(_ range: ClosedRange<UInt32>) { ranges = [range] }

  /// Sorts and joins; the input may overlap and come in any order.
  package init(ranges unsorted: [ClosedRange<UInt32>]) {
    ranges = []
    for range in unsorted.sorted(by: { $0.lowerBound < $1.lowerBound }) { append(range) }
  }

  package init(_ uids: some Sequence<UID>) {
    self.init(ranges: uids.map { $0.rawValue...$0.rawValue })
  }

  package var isEmpty: Bool { ranges.isEmpty }
  package var count: Int { ranges.reduce(0) { $0 + $1.count } }
  package var first: UID? { ranges.first.map { UID($0.lowerBound) } }
  package var last: UID? { ranges.last.map { UID($0.upperBound) } }

  /// Adds one UID: constant time when it is above all others, as servers list them.
  package mutating func insert(_ uid: UID) { insert(uid.rawValue...uid.rawValue) }

  package mutating func insert(_ range: ClosedRange<UInt32>) {
    if let last = ranges.last, range.lowerBound < last.lowerBound {
      self = union(UIDSet(range))
    } else {
      append(range)
    }
  }

  /// `range` starts no lower than the last range does.
  private mutating func append(_ range: ClosedRange<UInt32>) {
    if let last = ranges.last, UInt64(range.lowerBound) <= UInt64(last.upperBound) + 1 {
      ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
    } else {
      ranges.append(range)
    }
  }

  package func contains(_ uid: UID) -> Bool {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < uid.rawValue { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(uid.rawValue)
  }

  package func union(_ other: UIDSet) -> UIDSet { UIDSet(ranges: ranges + other.ranges) }

  package func subtracting(_ other: UIDSet) -> UIDSet {
    var result = UIDSet()
    var cuts = other.ranges[...]
    for range in ranges {
      var low = UInt64(range.lowerBound)
      while let cut = cuts.first, UInt64(cut.upperBound) < low { cuts.removeFirst() }
      var ahead = cuts
      while let cut = ahead.first, cut.lowerBound <= range.upperBound {
        if UInt64(cut.lowerBound) > low {
          result.append(UInt32(low)...(cut.lowerBound - 1))
        }
        low = UInt64(cut.upperBound) + 1
        ahead.removeFirst()
      }
      if low <= UInt64(range.upperBound) { result.append(UInt32(low)...range.upperBound) }
    }
    return result
  }

  package func intersection(_ other: UIDSet) -> UIDSet { subtracting(subtracting(other)) }

  /// Ascending.
  package var uids: some Sequence<UID> { ranges.lazy.flatMap { $0.lazy.map { UID($0) } } }

  /// The highest `count` UIDs, and those below them.
  package func splitNewest(_ count: Int) -> (newest: UIDSet, rest: UIDSet) {
    var newest: [ClosedRange<UInt32>] = []
    var rest = ranges
    var wanted = count
    while wanted > 0, let range = rest.popLast() {
      if range.count <= wanted {
        newest.append(range)
        wanted -= range.count
      } else {
        let cut = range.upperBound - UInt32(wanted) + 1
        newest.append(cut...range.upperBound)
        rest.append(range.lowerBound...(cut - 1))
        wanted = 0
      }
    }
    var below = UIDSet()
    below.ranges = rest
    return (UIDSet(ranges: newest), below)
  }

  /// The form commands use: `1:3,7`.
  package var description: String {
    ranges.map { range in
      range.lowerBound == range.upperBound
        ? String(range.lowerBound) : "\(range.lowerBound):\(range.upperBound)"
    }.joined(separator: ",")
  }

  /// Pieces whose text is at most `length` bytes each, for servers that bound their command lines.
  package func chunks(textLength length: Int) -> [UIDSet] {
    var chunks: [UIDSet] = []
    var chunk = UIDSet()
    var used = 0
    for range in ranges {
      let cost = 22
      if used + cost > length, !chunk.isEmpty {
        chunks.append(chunk)
        chunk = UIDSet()
        used = 0
      }
      chunk.append(range)
      used += cost
    }
    if !chunk.isEmpty { chunks.append(chunk) }
    return chunks
  }
}
