/// The date of a `Date` or `Received` field.
package enum MailDate {
  /// Reads a date in any shape seen in the wild: RFC 5322 §3.3 and §4.3 with missing seconds, zones
  /// or weekdays, month before day, asctime, ISO 8601, comments, names of other languages.
  ///
  /// Nil where day, month or year is missing or impossible, and for a year of five digits. Whether a
  /// date is plausible is the caller's to say.
  ///
  /// - Returns: seconds since 1970, and the writer's zone in minutes east of Greenwich; 0 where it is
  ///   missing or unknown.
  package static func parse(
    _ value: UnsafeRawBufferPointer
  ) -> (seconds: Int64, zoneMinutes: Int)? {
    var reader = DateReader(value)
    return reader.read()
  }
}

/// A day and a time as read, field by field.
struct DateFields {
  var year: Int?
  var month: Int?
  var day: Int?
  var hour = 0
  var minute = 0
  var second = 0
  var hasTime = false
  var zoneMinutes = 0

  var isWholeDay: Bool { year != nil && month != nil && day != nil }

  /// Seconds since 1970; nil for a day or time that cannot be.
  var seconds: Int64? {
    guard let year, let month, let day, (1...9999).contains(year), (1...12).contains(month),
      day >= 1, day <= Self.days(in: month, of: year), hour <= 24, minute < 60, second <= 61
    else { return nil }
    let days = Self.daysSince1970(year, month, day)
    let local = Int64(days) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
    return local - Int64(zoneMinutes * 60)
  }

  static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  /// Counts days of the Gregorian calendar, with years that begin in March so that the leap day is
  /// the last one.
  static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let monthsSinceMarch = (month + 9) % 12
    let dayOfYear = (153 * monthsSinceMarch + 2) / 5 + day - 1
    let leapDays = shifted / 4 - shifted / 100 + shifted / 400
    return shifted * 365 + leapDays + dayOfYear - 719_468
  }
}
