/// One expression of time, and the stretch that it names: `2024-03` is a month, `yesterday` a day.
package struct QueryPeriod: Equatable {
  /// Unix seconds; the end is the first second behind it.
  package let moments: Range<Int64>

  /// What may stand for a time, for a person.
  package static let expected =
    "a date (2024-03-15, 2024-03, 2024), a time ago (90min, 6h, 3d, 2w, 1m, 1y), today, yesterday, a weekday or a month"

  /// - Returns: nil for what is no expression of time.
  package init?(_ text: String, clock: QueryClock) {
    let text = text.lowercased()
    guard
      let moments = Self.named(text, clock) ?? Self.ago(text, clock) ?? Self.absolute(text, clock)
    else { return nil }
    self.moments = moments
  }

  private static func day(_ civil: CivilMoment, _ clock: QueryClock) -> Range<Int64> {
    let start = civil.startOfDay
    return span(start, start.adding(seconds: 86_400), clock)
  }

  private static func span(_ start: CivilMoment, _ end: CivilMoment, _ clock: QueryClock)
    -> Range<Int64>
  {
    let first = clock.moment(start)
    return first..<max(first + 1, clock.moment(end))
  }

  // MARK: Words

  private static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
  private static let longWeekdays = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]
  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]

  /// today, yesterday, now; the last such weekday before today; the last such month up to now.
  private static func named(_ text: String, _ clock: QueryClock) -> Range<Int64>? {
    let today = clock.civil(clock.now).startOfDay
    switch text {
    case "now": return clock.now..<clock.now + 1
    case "today": return day(today, clock)
    case "yesterday": return day(today.adding(seconds: -86_400), clock)
    default: break
    }
    if let weekday = weekdays.firstIndex(of: text) ?? longWeekdays.firstIndex(of: text) {
      let back = (today.weekday - Int64(weekday) + 6) % 7 + 1
      return day(today.adding(seconds: -86_400 * back), clock)
    }
    guard let index = months.firstIndex(where: { $0 == text || $0.prefix(3) == text }) else {
      return nil
    }
    let month = Int64(index) + 1
    let start = CivilMoment(year: month > today.month ? today.year - 1 : today.year, month: month)
    return span(start, start.adding(months: 1), clock)
  }

  // MARK: Time ago

  /// Minutes and hours count from this second; days and longer name a whole day.
  private static func ago(_ text: String, _ clock: QueryClock) -> Range<Int64>? {
    let digits = text.utf8.prefix { $0 >= 48 && $0 <= 57 }
    guard !digits.isEmpty, digits.count <= 6, let count = Int64(Substring(digits)) else {
      return nil
    }
    let now = clock.civil(clock.now)
    switch text.dropFirst(digits.count) {
    case "min", "mins", "minute", "minutes":
      let start = clock.now - count * 60
      return start..<start + 60
    case "h", "hour", "hours":
      let start = clock.now - count * 3600
      return start..<start + 3600
    case "d", "day", "days": return day(now.adding(seconds: -86_400 * count), clock)
    case "w", "week", "weeks": return day(now.adding(seconds: -604_800 * count), clock)
    case "m", "month", "months": return day(now.adding(months: -count), clock)
    case "y", "year", "years": return day(now.adding(months: -12 * count), clock)
    default: return nil
    }
  }

  // MARK: Dates

  /// `2024`, `2024-03`, `2024-03-15`, `20240315`, each date perhaps with `T14:30[:59][Z]`; `/` for `-`; `@` Unix seconds.
  private static func absolute(_ text: String, _ clock: QueryClock) -> Range<Int64>? {
    if text.first == "@" {
      guard text.utf8.count < 14, let moment = Int64(text.dropFirst()) else { return nil }
      return moment..<moment + 1
    }
    let halves = text.split(separator: "t", maxSplits: 1, omittingEmptySubsequences: false)
    guard let date = halves.first, let (start, end) = dates(date) else { return nil }
    guard halves.count == 2 else { return span(start, end, clock) }
    guard start.adding(seconds: 86_400) == end else { return nil }
    return time(halves[1], on: start, clock)
  }

  private static func dates(_ text: Substring) -> (CivilMoment, CivilMoment)? {
    var fields = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "/" }
    if fields.count == 1, text.utf8.count == 8 {
      fields = [text.prefix(4), text.dropFirst(4).prefix(2), text.dropFirst(6)]
    }
    let lengths = fields.map(\.utf8.count)
    guard fields.allSatisfy({ $0.utf8.allSatisfy { $0 >= 48 && $0 <= 57 } }),
      lengths.first == 4, lengths.dropFirst().allSatisfy({ $0 == 1 || $0 == 2 })
    else { return nil }
    let numbers = fields.compactMap { Int64($0) }
    var start = CivilMoment(year: numbers[0])
    if numbers.count == 1 { return (start, start.adding(months: 12)) }
    guard 1...12 ~= numbers[1] else { return nil }
    start.month = numbers[1]
    if numbers.count == 2 { return (start, start.adding(months: 1)) }
    guard numbers.count == 3, numbers[2] >= 1,
      numbers[2] <= CivilMoment.days(inMonth: start.month, of: start.year)
    else { return nil }
    start.day = numbers[2]
    return (start, start.adding(seconds: 86_400))
  }

  private static func time(_ text: Substring, on day: CivilMoment, _ clock: QueryClock)
    -> Range<Int64>?
  {
    let isUTC = text.last == "z"
    let fields = (isUTC ? text.dropLast() : text).split(
      separator: ":", omittingEmptySubsequences: false)
    let numbers = fields.compactMap { $0.utf8.count == 2 ? Int64($0) : nil }
    guard numbers.count == fields.count, 1...3 ~= numbers.count,
      zip(numbers, [24, 60, 60]).allSatisfy({ $0 >= 0 && $0 < $1 })
    else { return nil }
    let units: [Int64] = [3600, 60, 1]
    let second = zip(numbers, units).reduce(0) { $0 + $1.0 * $1.1 }
    let start = day.adding(seconds: second)
    let end = start.adding(seconds: units[numbers.count - 1])
    return isUTC ? start.utc..<end.utc : span(start, end, clock)
  }
}
