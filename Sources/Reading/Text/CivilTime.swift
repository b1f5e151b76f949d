#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A moment in the local time zone, or in UTC, through libc: Foundation's calendars would cost more than a search.
package struct CivilTime: Sendable, Equatable {
  package var year: Int
  package var month: Int
  package var day: Int
  package var hour: Int
  package var minute: Int
  package var second: Int
  /// 0 is Sunday.
  package var weekday: Int
  /// East of UTC.
  package var offsetMinutes: Int

  /// - Parameter seconds: since 1970; what no calendar can hold counts as 1970.
  package init(local seconds: Int64) {
    var time = time_t(seconds)
    var parts = tm()
    if localtime_r(&time, &parts) == nil { parts = Self.epoch }
    self.init(parts)
  }

  package init(utc seconds: Int64) {
    var time = time_t(seconds)
    var parts = tm()
    if gmtime_r(&time, &parts) == nil { parts = Self.epoch }
    self.init(parts)
  }

  private init(_ parts: tm) {
    year = Int(parts.tm_year) + 1900
    month = Int(parts.tm_mon) + 1
    day = Int(parts.tm_mday)
    hour = Int(parts.tm_hour)
    minute = Int(parts.tm_min)
    second = Int(parts.tm_sec)
    weekday = Int(parts.tm_wday)
    offsetMinutes = Int(parts.tm_gmtoff) / 60
  }

  private static var epoch: tm {
    var parts = tm()
    parts.tm_year = 70
    parts.tm_mday = 1
    parts.tm_wday = 4
    return parts
  }

  /// `2026-11-21T09:30:00Z` (RFC 3339).
  package static func rfc3339(_ seconds: Int64) -> String {
    let time = CivilTime(utc: seconds)
    return "\(time.dayText)T\(two(time.hour)):\(two(time.minute)):\(two(time.second))Z"
  }

  /// `2026-11-21`
  package var dayText: String {
    let digits = String(max(0, year))
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      + "-\(Self.two(month))-\(Self.two(day))"
  }

  /// `09:30`
  package var clockText: String { "\(Self.two(hour)):\(Self.two(minute))" }

  /// `Sat 2026-11-21 09:30`
  package var fullText: String { "\(Self.weekdays[weekday % 7]) \(dayText) \(clockText)" }

  /// `Fri`
  package var weekdayName: String { Self.weekdays[weekday % 7] }
  /// `Nov`
  package var monthName: String { Self.months[(month - 1) % 12] }

  /// For lists, at most ten columns: the hour today, the day in this year, else the date.
  package func shortText(now: CivilTime) -> String {
    if (year, month, day) == (now.year, now.month, now.day) { return clockText }
    guard year == now.year else { return dayText }
    return "\(Self.months[(month - 1) % 12]) \(day < 10 ? " " : "")\(day)"
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
