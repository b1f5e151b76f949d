import MailCore

extension WireCursor {
  // sequence-set = (seq-number / seq-range) *("," …), RFC 9051 §9; ranges in either direction.
  /// The ranges as they stand. `*` and numbers that fit no UID are left out.
  mutating func rangeList() -> [ClosedRange<UInt32>]? {
    var ranges: [ClosedRange<UInt32>] = []
    repeat {
      guard let range = range() else { return nil }
      if let range = range { ranges.append(range) }
    } while take(UInt8(ascii: ","))
    return ranges
  }

  /// The same as a set, which stays small while the numbers ascend.
  mutating func uidSet() -> UIDSet? {
    var set = UIDSet()
    var strays: [ClosedRange<UInt32>] = []
    repeat {
      guard let range = range() else { return nil }
      if let range = range { set.collect(range, strays: &strays) }
    } while take(UInt8(ascii: ","))
    return strays.isEmpty ? set : set.union(UIDSet(ranges: strays))
  }

  private mutating func range() -> ClosedRange<UInt32>?? {
    guard let first = rangeEnd() else { return .none }
    guard take(UInt8(ascii: ":")) else {
      return .some(first.flatMap { $0 > 0 ? $0...$0 : nil })
    }
    guard let second = rangeEnd() else { return .none }
    guard let first, let second else { return .some(nil) }
    let low = max(1, min(first, second))
    return .some(low <= max(first, second) ? low...max(first, second) : nil)
  }

  /// `.some(nil)`: `*`, or a number too large for a UID.
  private mutating func rangeEnd() -> UInt32?? {
    if take(UInt8(ascii: "*")) { return .some(nil) }
    guard let value = number() else { return .none }
    return .some(UInt32(exactly: value))
  }
}

extension UIDSet {
  /// Adds a range in constant time while the ranges ascend; others wait in `strays`.
  mutating func collect(_ range: ClosedRange<UInt32>, strays: inout [ClosedRange<UInt32>]) {
    if let last = ranges.last, range.lowerBound < last.lowerBound {
      strays.append(range)
    } else {
      insert(range)
    }
  }
}
