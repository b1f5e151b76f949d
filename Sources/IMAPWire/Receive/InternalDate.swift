// date-time = DQUOTE date-day-fixed "-" date-month "-" date-year SP time SP zone DQUOTE, RFC 9051 §9
/// INTERNALDATE between its text and Unix seconds, without a calendar library.
enum InternalDate {
  /// Reads `17-Jul-1996 02:44:25 -0700`; one-digit days, spare blanks and a missing zone too.
  static func parse(_ cursor: inout WireCursor) -> Int64? {
    cursor.skipSpaces()
    guard let day = field(&cursor, 1...31), cursor.take(UInt8(ascii: "-")),
      let month = month(&cursor), cursor.take(UInt8(ascii: "-")),
      let year = field(&cursor, 0...9999)
    else { return nil }
    cursor.skipSpaces()
    guard let hour = field(&cursor, 0...24), cursor.take(UInt8(ascii: ":")),
      let minute = field(&cursor, 0...59), cursor.take(UInt8(ascii: ":")),
      let second = field(&cursor, 0...60)
    else { return nil }
    cursor.skipSpaces()
    let fullYear = year < 70 ? year + 2000 : year < 100 ? year + 1900 : year
    let days = daysSinceEpoch(year: fullYear, month: month, day: day)
    return days * 86400 + hour * 3600 + minute * 60 + second - zone(&cursor)
  }

  private static func field(_ cursor: inout WireCursor, _ range: ClosedRange<Int64>) -> Int64? {
    guard let value = cursor.number().flatMap({ Int64(exactly: $0) }), range.contains(value)
    else { return nil }
    return value
  }

  private static let months = Array("JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC".utf8)

  private static func month(_ cursor: inout WireCursor) -> Int64? {
    let letters = (cursor.byte(0) & 0xDF, cursor.byte(1) & 0xDF, cursor.byte(2) & 0xDF)
    for month in 0..<12
    where (months[month * 3], months[month * 3 + 1], months[month * 3 + 2]) == letters {
      cursor.at += 3
      return Int64(month + 1)
    }
    return nil
  }

  /// Seconds east of Greenwich.
  private static func zone(_ cursor: inout WireCursor) -> Int64 {
    let isWest = cursor.next == UInt8(ascii: "-")
    guard isWest || cursor.next == UInt8(ascii: "+") else { return 0 }
    cursor.at += 1
    guard let digits = cursor.number(), digits <= 9999 else { return 0 }
    let seconds = Int64(digits / 100) * 3600 + Int64(digits % 100) * 60
    return isWest ? -seconds : seconds
  }

  /// Days of the proleptic Gregorian calendar from 1970-01-01, after Howard Hinnant's algorithm.
  private static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Year, month and day of a day since the epoch: the way back.
  private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// `17-Jul-1996 02:44:25 +0000`, without the quotes; always in UTC.
  static func text(_ seconds: Int64) -> String {
    let days = seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400
    let time = seconds - days * 86400
    return dayText(days, padded: true)
      + " \(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60)) +0000"
  }

  /// `17-Jul-1996`: the UTC day, for SEARCH.
  static func day(_ seconds: Int64) -> String {
    dayText(seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400, padded: false)
  }

  private static func dayText(_ days: Int64, padded: Bool) -> String {
    let limit: Int64 = 2_932_896  // 9999-12-31: years have four digits
    let date = civil(fromDays: min(max(days, -719_162), limit))
    let start = Int(date.month - 1) * 3
    let letters = months[start..<start + 3]
    let name =
      String(decoding: letters.prefix(1), as: UTF8.self)
      + String(decoding: letters.dropFirst().map { $0 | 0x20 }, as: UTF8.self)
    let day = padded && date.day < 10 ? " \(date.day)" : "\(date.day)"
    let year = String(date.year)
    return "\(day)-\(name)-\(String(repeating: "0", count: 4 - year.count))\(year)"
  }

  private static func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
