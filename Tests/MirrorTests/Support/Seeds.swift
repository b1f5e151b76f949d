import Foundation

/// Which seeds a random test plays, in batches: `MIRROR_TEST_SEED=n` plays one alone, `MIRROR_TEST_SEEDS=n` so many from 1,
/// `MIRROR_TEST_SEEDS=a-b` those from a to b.
enum Seeds {
  static func batches(_ usual: UInt64, long: UInt64) -> [ClosedRange<UInt64>] {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["MIRROR_TEST_SEED"].flatMap({ UInt64($0) }) { return [seed...seed] }
    let all = asked(environment["MIRROR_TEST_SEEDS"]) ?? 1...(Machine.long ? long : usual)
    return stride(from: all.lowerBound, through: all.upperBound, by: 25).map {
      $0...min($0 + 24, all.upperBound)
    }
  }

  private static func asked(_ text: String?) -> ClosedRange<UInt64>? {
    let numbers = text?.split(separator: "-").compactMap { UInt64($0) } ?? []
    guard let last = numbers.last else { return nil }
    let first = numbers.count > 1 ? numbers[0] : 1
    return first <= last ? first...last : nil
  }
}
