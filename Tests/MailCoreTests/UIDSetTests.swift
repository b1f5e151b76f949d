import MailCore
import Testing

struct UIDSetTests {
  @Test func `ranges join, whatever their order`() {
    let set = UIDSet(ranges: [5...7, 1...2, 3...4, 9...9, 6...8])
    #expect(set.description == "1:9")
    #expect(set.count == 9)
  }

  @Test func `the highest UID there can be is no overflow`() {
    var set = UIDSet(UInt32.max...UInt32.max)
    set.insert(UID(UInt32.max - 1))
    #expect(set.ranges == [(UInt32.max - 1)...UInt32.max])
    #expect(set.subtracting(UIDSet(UInt32.max...UInt32.max)).count == 1)
  }

  @Test func `the newest are cut off the top`() {
    let (newest, rest) = UIDSet(ranges: [1...10, 20...21]).splitNewest(4)
    #expect(newest.description == "9:10,20:21")
    #expect(rest.description == "1:8")
    #expect(UIDSet().splitNewest(3).newest.isEmpty)
    #expect(UIDSet(1...2).splitNewest(5).rest.isEmpty)
  }

  @Test func `pieces for command lines lose nothing`() {
    let set = UIDSet((0..<500).map { UID(4_000_000_000 + 3 * $0) })
    let pieces = set.chunks(textLength: 1000)
    #expect(pieces.allSatisfy { $0.description.utf8.count <= 1000 })
    #expect(pieces.reduce(UIDSet()) { $0.union($1) } == set)
  }

  /// Held against Swift's own sets.
  @Test(arguments: 0..<200) func `sums and differences agree with sets`(seed: UInt64) {
    var random = Random(state: seed &+ 1)
    let a = Set((0..<random.below(40)).map { _ in UInt32(1 + random.below(60)) })
    let b = Set((0..<random.below(40)).map { _ in UInt32(1 + random.below(60)) })
    let left = UIDSet(a.map { UID($0) })
    let right = UIDSet(b.map { UID($0) })
    #expect(left.union(right) == UIDSet(a.union(b).map { UID($0) }))
    #expect(left.subtracting(right) == UIDSet(a.subtracting(b).map { UID($0) }))
    #expect(left.intersection(right) == UIDSet(a.intersection(b).map { UID($0) }))
    #expect((1...60).allSatisfy { left.contains(UID($0)) == a.contains($0) })
    #expect(Array(left.uids.map(\.rawValue)) == a.sorted())
  }
}

/// Small and repeatable.
struct Random {
  var state: UInt64
  mutating func below(_ limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % limit
  }
}
