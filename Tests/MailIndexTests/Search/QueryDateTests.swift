import Testing

@testable import MailIndex

@Suite struct QueryDateTests {
  /// Friday 2024-03-15 12:00 UTC.
  private func dates(_ query: String, clock: QueryClock = SearchIndex.clock) throws -> Range<Int64>?
  {
    guard case .date(let range) = try QueryParser.parse(query, clock: clock).kind else {
      return nil
    }
    return range
  }

  private func utc(_ year: Int64, _ month: Int64 = 1, _ day: Int64 = 1, _ second: Int64 = 0)
    -> Int64
  {
    CivilMoment(year: year, month: month, day: day, second: second).utc
  }

  @Test func `the calendar agrees with known days`() {
    #expect(utc(1970) == 0)
    #expect(utc(2024, 2, 29) == 1_709_164_800)
    #expect(utc(2000, 3, 1) == 951_868_800)
    #expect(utc(1969, 12, 31) == -86_400)
    #expect(CivilMoment(utc: SearchIndex.now).weekday == 4)
    for day in stride(from: Int64(-800_000), to: 800_000, by: 97) {
      let civil = CivilMoment(utc: day * 86_400 + 5)
      #expect(civil.utc == day * 86_400 + 5)
      #expect(civil.second == 5)
    }
  }

  @Test func `absolute dates name their whole stretch`() throws {
    #expect(try dates("date:2024") == utc(2024)..<utc(2025))
    #expect(try dates("date:2024-02") == utc(2024, 2)..<utc(2024, 3))
    #expect(try dates("date:2024-02-29") == utc(2024, 2, 29)..<utc(2024, 3, 1))
    #expect(try dates("date:20240229") == utc(2024, 2, 29)..<utc(2024, 3, 1))
    #expect(try dates("date:2024/2/9") == utc(2024, 2, 9)..<utc(2024, 2, 10))
    #expect(try dates("date:2024-03..2024-04-15") == utc(2024, 3)..<utc(2024, 4, 16))
    #expect(try dates("date:..2024-03") == Int64.min..<utc(2024, 4))
    #expect(try dates("date:2024-03..") == utc(2024, 3)..<Int64.max)
    #expect(
      try dates("date:2024-03-15T10:30") == utc(2024, 3, 15, 37_800)..<utc(2024, 3, 15, 37_860))
    #expect(
      try dates("date:2024-03-15T10:30:05z") == utc(2024, 3, 15, 37_805)..<utc(2024, 3, 15, 37_806))
    #expect(try dates("date:@1700000000..") == 1_700_000_000..<Int64.max)
  }

  @Test func `words and times ago count from now`() throws {
    let now = SearchIndex.now
    let today = utc(2024, 3, 15)
    #expect(try dates("date:today") == today..<today + 86_400)
    #expect(try dates("date:yesterday") == today - 86_400..<today)
    #expect(try dates("date:2w..") == utc(2024, 3, 1)..<Int64.max)
    #expect(try dates("date:3d") == utc(2024, 3, 12)..<utc(2024, 3, 13))
    #expect(try dates("date:1m..") == utc(2024, 2, 15)..<Int64.max)
    #expect(try dates("date:2months..1month") == utc(2024, 1, 15)..<utc(2024, 2, 16))
    #expect(try dates("date:1y..") == utc(2023, 3, 15)..<Int64.max)
    #expect(try dates("date:90min..") == now - 5400..<Int64.max)
    #expect(try dates("date:6h..now") == now - 21_600..<now + 1)
    #expect(try dates("date:monday..") == utc(2024, 3, 11)..<Int64.max)
    #expect(try dates("date:fri") == utc(2024, 3, 8)..<utc(2024, 3, 9))
    #expect(try dates("date:march") == utc(2024, 3)..<utc(2024, 4))
    #expect(try dates("date:dec") == utc(2023, 12)..<utc(2024, 1))
  }

  @Test func `before and after take the beginning, until the end`() throws {
    #expect(try dates("before:2024-03-01") == Int64.min..<utc(2024, 3))
    #expect(try dates("after:2024-03-01") == utc(2024, 3)..<Int64.max)
    #expect(try dates("since:2w") == utc(2024, 3, 1)..<Int64.max)
    #expect(try dates("until:2024-03") == Int64.min..<utc(2024, 4))
  }

  @Test func `a month before the 31st is the last of a short month`() throws {
    let clock = QueryClock(now: utc(2023, 3, 31, 100)) { _ in 0 }
    #expect(try dates("date:1m..", clock: clock) == utc(2023, 2, 28)..<Int64.max)
  }

  @Test func `days begin at local midnight, also where clocks change`() throws {
    // Central Europe: summer time from 2024-03-31 01:00 UTC.
    let change = utc(2024, 3, 31, 3600)
    let clock = QueryClock(now: utc(2024, 4, 2)) { $0 >= change ? 7200 : 3600 }
    #expect(
      try dates("date:2024-03-31", clock: clock) == utc(
        2024, 3, 30, 82_800)..<utc(2024, 3, 31, 79_200))
    #expect(
      try dates("date:2024-04-01", clock: clock) == utc(
        2024, 3, 31, 79_200)..<utc(2024, 4, 1, 79_200))
    // 02:30 does not exist on that day.
    #expect(try dates("after:2024-03-31T02:30", clock: clock)?.lowerBound == utc(2024, 3, 31, 5400))
    // A zone whose clocks skip midnight.
    let skipping = QueryClock(now: 0) { $0 >= 86_400 ? 3600 : 0 }
    #expect(skipping.moment(CivilMoment(year: 1970, month: 1, day: 2)) == 86_400)
  }

  @Test(arguments: [
    "2024-13", "2024-00", "2023-02-29", "2024-3-32", "24", "202", "2024-", "-2024",
    "2024-03-15T25:00",
    "2024-03T10:00", "2x", "w", "2w3", "..", "tomorow", "9999999d", "2024..x", "2024-03-1-1", "@x",
  ]) func `what is no date is refused`(text: String) {
    #expect(throws: QueryError.self) {
      try QueryParser.parse("date:\(text)", clock: SearchIndex.clock)
    }
  }
}
