import Foundation
import Testing

@testable import Reading

@Suite struct CivilTimeTests {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (1_763_717_400, "2025-11-21T09:30:00Z"),
    (951_782_400, "2000-02-29T00:00:00Z"),
    (-1, "1969-12-31T23:59:59Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
  ])
  func `dates are those of RFC 3339`(seconds: Int64, text: String) {
    #expect(CivilTime.rfc3339(seconds) == text)
  }

  @Test func `no number is too large or small`() {
    for seconds in [Int64.min, Int64.max, -62_135_596_801] {
      #expect(!CivilTime.rfc3339(seconds).isEmpty)
      #expect(!CivilTime(local: seconds).fullText.isEmpty)
    }
  }

  @Test func `local time agrees with Foundation`() {
    let calendar = Calendar(identifier: .gregorian)
    for seconds: Int64 in stride(from: 0, to: 2_000_000_000, by: 123_456_789) {
      let parts = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .weekday],
        from: Date(timeIntervalSince1970: Double(seconds)))
      let time = CivilTime(local: seconds)
      #expect(time.year == parts.year && time.month == parts.month && time.day == parts.day)
      #expect(time.hour == parts.hour && time.minute == parts.minute)
      #expect(time.weekday + 1 == parts.weekday)
    }
  }

  @Test func `short dates tell what is worth telling and fit ten columns`() {
    let now = CivilTime(local: 1_763_720_000)
    #expect(CivilTime(local: 1_763_720_000 - 60).shortText(now: now).contains(":"))
    #expect(CivilTime(local: 1_763_720_000 - 30 * 86_400).shortText(now: now).hasPrefix("Oct"))
    #expect(CivilTime(local: 1_600_000_000).shortText(now: now).hasPrefix("2020-09-1"))
    for days: Int64 in 0..<800 {
      #expect(CivilTime(local: 1_763_720_000 - days * 86_400).shortText(now: now).count <= 10)
    }
  }
}
