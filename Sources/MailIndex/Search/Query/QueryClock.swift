#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The moment and the time zone that a query's dates are read in. A value, so that reading is pure.
package struct QueryClock: Sendable {
  /// Unix seconds.
  package let now: Int64
  /// Seconds east of UTC at a moment.
  package let offset: @Sendable (_ at: Int64) -> Int64

  package init(now: Int64, offset: @escaping @Sendable (_ at: Int64) -> Int64) {
    self.now = now
    self.offset = offset
  }

  /// This machine's zone.
  package static func local(now: Int64) -> QueryClock {
    tzset()
    return QueryClock(now: now) { moment in
      var moment = time_t(moment)
      var parts = tm()
      return localtime_r(&moment, &parts) == nil ? 0 : Int64(parts.tm_gmtoff)
    }
  }

  /// What calendar and clock on the wall show.
  func civil(_ moment: Int64) -> CivilMoment { CivilMoment(utc: moment + offset(moment)) }

  /// The first moment at which wall clocks show this or more: where clocks were set forward over it,
  /// the moment of the change; where it came twice, the first.
  func moment(_ civil: CivilMoment) -> Int64 {
    let wall = civil.utc
    let earlier = wall - offset(wall - 86_400)
    let later = wall - offset(wall + 86_400)
    let candidates = [min(earlier, later), max(earlier, later)]
    if let exact = candidates.first(where: { $0 + offset($0) == wall }) { return exact }
    return candidates[1]
  }
}

/// A date and time of day in no zone (proleptic Gregorian calendar).
struct CivilMoment: Equatable {
  var year: Int64
  var month: Int64 = 1
  var day: Int64 = 1
  var second: Int64 = 0  // of the day

  init(year: Int64, month: Int64 = 1, day: Int64 = 1, second: Int64 = 0) {
    self.year = year
    self.month = month
    self.day = day
    self.second = second
  }

  /// Reads Unix seconds as if they were local.
  init(utc: Int64) {
    // Days counted from 0000-03-01, so that the leap day ends a year.
    let days = Self.floor(utc, 86_400) + 719_468
    let era = Self.floor(days, 146_097)
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    month = shifted < 10 ? shifted + 3 : shifted - 9
    day = dayOfYear - (153 * shifted + 2) / 5 + 1
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    second = utc - Self.floor(utc, 86_400) * 86_400
  }

  /// Unix seconds if this were UTC.
  var utc: Int64 {
    let year = month <= 2 ? self.year - 1 : self.year
    let era = Self.floor(year, 400)
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return (era * 146_097 + dayOfEra - 719_468) * 86_400 + second
  }

  /// Monday is 0.
  var weekday: Int64 {
    let days = Self.floor(utc, 86_400) + 3
    return days - Self.floor(days, 7) * 7
  }

  var startOfDay: CivilMoment { CivilMoment(year: year, month: month, day: day) }

  func adding(seconds: Int64) -> CivilMoment { CivilMoment(utc: utc + seconds) }

  /// The same day of another month, or that month's last.
  func adding(months: Int64) -> CivilMoment {
    let total = year * 12 + month - 1 + months
    let year = Self.floor(total, 12)
    let month = total - year * 12 + 1
    return CivilMoment(
      year: year, month: month, day: min(day, Self.days(inMonth: month, of: year)), second: second)
  }

  static func days(inMonth month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func floor(_ a: Int64, _ b: Int64) -> Int64 {
    a / b - (a % b < 0 ? 1 : 0)
  }
}
