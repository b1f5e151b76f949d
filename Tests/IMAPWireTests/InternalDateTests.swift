import MailCore
import Testing

@testable import IMAPWire

struct InternalDateTests {
  @Test(arguments: [
    ("17-Jul-1996 02:44:25 -0700", 837_596_665),
    (" 1-Jan-1970 00:00:00 +0000", 0),
    ("1-Jan-1970 00:00:00 +0000", 0),
    ("31-Dec-1969 23:59:59 +0000", -1),
    ("29-Feb-2024 12:00:00 +0530", 1_709_188_200),
    ("01-mar-2000 00:00:00", 951_868_800),
    ("20-Nov-2286 17:46:40 +0000", 10_000_000_000),
  ])
  func `a date is read`(text: String, seconds: Int64) throws {
    #expect(try fetch("* 1 FETCH (INTERNALDATE \"\(text)\")").internalDate == seconds)
  }

  @Test(arguments: [
    "", "nonsense", "32-Jan-2000 00:00:00 +0000", "1-Foo-2000 00:00:00 +0000", "1-Jan-2000",
  ])
  func `what is no date is none, and harms nothing else`(text: String) throws {
    let data = try fetch("* 1 FETCH (INTERNALDATE \"\(text)\" UID 3)")
    #expect(data.internalDate == nil)
    #expect(data.uid == UID(3))
  }

  @Test(arguments: 0..<500) func `writing a date and reading it gives the same second`(seed: UInt64)
    throws
  {
    var generator = SeededGenerator(seed: seed)
    let seconds = Int64.random(in: -2_208_988_800...4_102_444_800, using: &generator)
    let text = InternalDate.text(seconds)
    #expect(try fetch("* 1 FETCH (INTERNALDATE \"\(text)\")").internalDate == seconds, "\(text)")
  }
}
