/// Numbers of which nearly all fit into 32 bits, as minutes and seconds of mail's dates do: four bytes each.
struct NarrowNumbers: Sendable {
  private var narrow: [UInt32] = []
  /// Those that do not fit, by their places.
  private var wide: [Int: Int64] = [:]

  private static let isElsewhere = UInt32.max

  var count: Int { narrow.count }
  var indices: Range<Int> { narrow.indices }

  mutating func reserve(_ count: Int) { narrow.reserveCapacity(count) }

  mutating func append(_ number: Int64) {
    if let fitting = UInt32(exactly: number), fitting != Self.isElsewhere {
      narrow.append(fitting)
    } else {
      wide[narrow.count] = number
      narrow.append(Self.isElsewhere)
    }
  }

  subscript(place: Int) -> Int64 {
    let number = narrow[place]
    return number == Self.isElsewhere ? wide[place] ?? 0 : Int64(number)
  }
}
