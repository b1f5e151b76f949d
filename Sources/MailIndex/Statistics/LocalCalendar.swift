#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Year, weekday and hour of the local time of many moments: the C library is asked about each day, not each moment.
struct LocalCalendar {
  struct Place: Equatable {
    var year: Int
    /// 0 is Sunday.
    var weekday: Int
    var hour: Int
  }

  /// By day of UTC: seconds east, where they are the same all day.
  private var offsets: [Int64: Int64?] = [:]
  private static let day: Int64 = 86_400

  mutating func place(of moment: Int64) -> Place {
    let local = moment &+ offset(at: moment)
    let day = Self.floor(local, Self.day)
    return Place(
      year: Self.year(ofDay: day), weekday: Int(((day + 4) % 7 + 7) % 7),
      hour: Int((local - day * Self.day) / 3600))
  }

  private mutating func offset(at moment: Int64) -> Int64 {
    let day = Self.floor(moment, Self.day)
    if let known = offsets[day] { return known ?? Self.asked(moment) }
    let (first, last) = (Self.asked(day * Self.day), Self.asked(day * Self.day + Self.day - 1))
    offsets[day] = .some(first == last ? first : nil)
    return first == last ? first : Self.asked(moment)
  }

  private static func asked(_ moment: Int64) -> Int64 {
    var time = time_t(moment)
    var parts = tm()
    return localtime_r(&time, &parts) == nil ? 0 : Int64(parts.tm_gmtoff)
  }

  private static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
    number >= 0 ? number / divisor : -((-number + divisor - 1) / divisor)
  }

  /// Of the proleptic Gregorian calendar, from days since 1970.
  private static func year(ofDay day: Int64) -> Int {
    // Years that begin in March have their odd day at their end.
    let shifted = day + 719_468
    let era = floor(shifted, 146_097)
    let ofEra = shifted - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    // From 1 January on, which is day 306.
    return Int(yearOfEra + era * 400 + (ofYear >= 306 ? 1 : 0))
  }
}
