import Foundation
import Testing

@testable import MailIndex

@Suite struct LocalCalendarTests {
  /// Around days on which years, eras and clocks change.
  @Test func `places agree with the C library's`() {
    var calendar = LocalCalendar()
    var moments: [Int64] = [0, -1, 951_782_400, 951_868_799, 1_520_119_800, 1_763_720_000]
    for year in 0..<60 { moments += (-2...2).map { Int64(year) * 31_556_952 + $0 * 43_000 } }
    for _ in 0..<2000 { moments.append(.random(in: -2_000_000_000...5_000_000_000)) }
    for moment in moments {
      var time = time_t(moment)
      var parts = tm()
      localtime_r(&time, &parts)
      let expected = LocalCalendar.Place(
        year: Int(parts.tm_year) + 1900, weekday: Int(parts.tm_wday), hour: Int(parts.tm_hour))
      #expect(calendar.place(of: moment) == expected, "\(moment)")
    }
  }
}
