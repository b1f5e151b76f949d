import MIME
import Testing

@Suite struct MailDateTests {
  private func parse(_ text: String) -> (seconds: Int64, zoneMinutes: Int)? {
    MailBytes(text).read { MailDate.parse($0) }
  }

  /// 2024-03-15 10:20:30 in Greenwich.
  private static let moment: Int64 = 1_710_498_030

  @Test(arguments: [
    ("Fri, 15 Mar 2024 10:20:30 +0000", 0),
    ("Fri, 15 Mar 2024 12:20:30 +0200 (CEST)", 120),
    ("15 Mar 2024 05:20:30 -0500", -300),
    ("15 Mar 24 10:20:30 GMT", 0),
    ("15 Mar 124 10:20:30 GMT", 0),
    ("Fri,15 Mar 2024 10:20:30 Z", 0),
    ("Fri,  15  Mar  2024   10:20:30   +0000", 0),
    ("Fri (a day), 15 (the ides) Mar 2024 10:20:30 (noon) +0000", 0),
    ("Fri, 15 Mar 2024\r\n 10:20:30 +0000", 0),
    ("Fri, 15 March 2024 10:20:30 UT", 0),
    ("Mar 15, 2024 10:20:30 AM", 0),
    ("Fri Mar 15 10:20:30 2024", 0),
    ("Fri Mar 15 10:20:30 GMT 2024", 0),
    ("Fri Mar 15 11:20:30 +0100 2024", 60),
    ("Fri Mar 15 06:20:30 EDT 2024", -240),
    ("Fri Mar 15 2024 11:20:30 GMT+0100 (Central European Time)", 60),
    ("2024-03-15T10:20:30Z", 0),
    ("2024-03-15T12:20:30.123+02:00", 120),
    ("2024-03-15 10:20:30", 0),
    ("20240315T102030Z", 0),
    ("2024/03/15 10:20:30", 0),
    ("15.03.2024 10:20:30", 0),
    ("3/15/2024 10:20:30", 0),
    ("15-Mar-2024 10:20:30 +0000", 0),
    ("Friday, 15-Mar-24 10:20:30 GMT", 0),
    ("Fri, 15 Mar 2024 10.20.30 +0000", 0),
    ("Fr, 15 Mär 2024 11:20:30 +0100", 60),
    ("ven., 15 mars 2024 10:20:30 +0000", 0),
    ("mar., 15 mars 2024 10:20:30 +0000", 0),
    ("Fri, 15 Mar 2024 15:50:30 +0530", 330),
    ("Fri, 15 Mar 2024 15:50:30 0530", 330),
    ("Fri, 15 Mar 2024 10:20:30 -0000", 0),
    ("Fri, 15 Mar 2024 10:20:30 A", 0),
    ("Fri, 15 Mar 2024 10:20:30 Foo", 0),
    ("Fri, 15 Mar 2024 10:20:30", 0),
    ("Fri, 15 Mar 2024 10:20:30 01800", 0),
    ("Fri, 15 Mar 2024 05:20:30 +-0500", -300),
    ("Fri, 15 Mar 2024 10:20:30 +9999", 0),
  ])
  func `one moment in every shape`(raw: String, zone: Int) throws {
    let found = try #require(parse(raw))
    #expect(found.seconds == Self.moment, "\(found.seconds - Self.moment)")
    #expect(found.zoneMinutes == zone)
  }

  @Test(arguments: [
    ("Fri, 15 Mar 2024 10:20 +0000", 1_710_498_000),
    ("15 Mar 2024", 1_710_460_800),
    ("12/11/2024", 1_733_875_200),
    ("1 Jan 1970 00:00:00 +0000", 0),
    ("31 Dec 1969 23:59:59 +0000", -1),
    ("29 Feb 2000 00:00:00 +0000", 951_782_400),
    ("1 Jan 49 00:00:00 +0000", 2_493_072_000),
    ("1 Jan 50 00:00:00 +0000", -631_152_000),
    ("31 Dec 1998 23:59:60 +0000", 915_148_800),
    ("1 Jan 2024 12:30 AM", 1_704_069_000),
    ("1 Jan 2024 12:30 PM", 1_704_112_200),
    ("1 Jan 1601 00:00:00 +0000", -11_644_473_600),
  ])
  func `known moments`(raw: String, seconds: Int64) {
    #expect(parse(raw)?.seconds == seconds)
  }

  @Test(arguments: [
    "", "yesterday", "Fri, 15 Mar 20244 10:20:30 +0000", "10:20:30", "15 Mar", "Mar 2024",
    "32 Mar 2024 10:20:30", "30 Feb 2024 10:20:30", "29 Feb 2023 10:20:30", "0 Mar 2024 10:20:30",
    "15 Mar 2024 25:20:30", "15 Mar 2024 10:60:30", "2024-13-01", "2024-00-01", "15 Mar 0000",
    "99999999999999999999999", "15 Mar 123456 10:00", "-- ++ ((", "1710498030",
  ])
  func `what is no date gives none`(raw: String) {
    #expect(parse(raw) == nil)
  }

  @Test func `every day of four centuries is its own`() throws {
    var expected: Int64 = -11_676_096_000  // 1600-01-01
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    let names = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    for year in 1600..<2000 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      for month in 0..<12 {
        let days = lengths[month] + (isLeap && month == 1 ? 1 : 0)
        #expect(parse("1 \(names[month]) \(year)")?.seconds == expected)
        #expect(parse("\(days + 1) \(names[month]) \(year)") == nil)
        expected += Int64(days) * 86_400
      }
    }
  }
}
