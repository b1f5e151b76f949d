import Foundation
import Testing

@testable import MailIndex

@Suite struct RecordSortTests {
  private static let directory = NSTemporaryDirectory()

  private static func record(_ random: inout SplitMix) -> [UInt8] {
    (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...3, using: &random)
    }
  }

  private static func all(_ sort: consuming RecordSort) throws -> [[UInt8]] {
    let sorted = try sort.sorted()
    var records: [[UInt8]] = []
    while let record = try sorted.next({ Array($0) }) { records.append(record) }
    #expect(records.count == sorted.count)
    return records
  }

  @Test(arguments: [100, 700, 10_000, 4 << 20]) func `records come in the order of their bytes`(
    memory: Int
  ) throws {
    var random = SplitMix(state: 5)
    let records = (0..<3000).map { _ in Self.record(&random) }
    var sort = RecordSort(in: Self.directory, memory: memory)
    for record in records { try record.withUnsafeBytes { try sort.add($0) } }
    #expect(sort.count == 3000)
    #expect(try Self.all(sort) == records.sorted { $0.lexicographicallyPrecedes($1) })
  }

  @Test(arguments: [200, 3000, 4 << 20]) func `what came after the mark can be taken back`(
    memory: Int
  ) throws {
    var random = SplitMix(state: 6)
    var expected: [[UInt8]] = []
    var sort = RecordSort(in: Self.directory, memory: memory)
    for round in 0..<30 {
      let mark = try sort.mark()
      let records = (0..<Int.random(in: 0...60, using: &random)).map { _ in Self.record(&random) }
      for record in records { try record.withUnsafeBytes { try sort.add($0) } }
      if round % 3 == 1 { sort.cut(to: mark) } else { expected += records }
      #expect(sort.count == expected.count)
    }
    #expect(try Self.all(sort) == expected.sorted { $0.lexicographicallyPrecedes($1) })
  }

  @Test func `a disk that takes nothing is told`() throws {
    // Every write fails there; nothing can be made in it.
    var sort = RecordSort(in: "/dev/full", memory: 100)
    setenv("TMPDIR", "/proc/nowhere", 1)
    defer { unsetenv("TMPDIR") }
    #expect(throws: IndexError.self) {
      for number in 0..<100 { try withUnsafeBytes(of: number) { try sort.add($0) } }
    }
  }

  @Test func `contents are known again, whether in memory or on disk`() throws {
    var seen = SeenContents(in: Self.directory, most: 50)
    for number in 0..<5000 as Range<Int64> {
      let key = SeenContents.key(number / 2, account: number % 2)
      #expect(try seen.message(with: key) == nil)
      try seen.add(key, message: number)
    }
    for number in 0..<5000 as Range<Int64> {
      #expect(try seen.message(with: SeenContents.key(number / 2, account: number % 2)) == number)
    }
    #expect(try seen.message(with: SeenContents.key(1, account: 2)) == nil)
  }

  @Test func `a filter holds what was added, and little else`() {
    var filter = KeyFilter(count: 1000)
    for key in 0..<1000 as Range<UInt64> { filter.add(LinkKey.mixed(key)) }
    #expect((0..<1000 as Range<UInt64>).allSatisfy { filter.mayHold(LinkKey.mixed($0)) })
    let wrong = (1000..<11_000 as Range<UInt64>).count { filter.mayHold(LinkKey.mixed($0)) }
    #expect(wrong < 100)
  }
}
