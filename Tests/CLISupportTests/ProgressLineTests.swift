import CLISupport
import MailCore
import Testing

@Suite struct ProgressLineTests {
  private let line = ProgressLine(
    subject: "personal/Archive/2024", messages: 500, expected: 2000, bytes: 12_300_000,
    bytesPerSecond: 3_400_000, seconds: 10)

  @Test func `a line tells messages, bytes, rate and time left`() {
    #expect(
      line.text(width: 100)
        == "personal/Archive/2024  500 of 2000  12 MB  3.4 MB/s  30 s left")
  }

  @Test func `a line fits any width`() {
    for width in 1...120 {
      #expect(TextWidth.columns(of: line.text(width: width)) <= width)
    }
  }

  @Test func `a narrow terminal keeps what matters most`() {
    #expect(line.text(width: 50) == "personal/…chive/2024  500 of 2000  12 MB  3.4 MB/s")
    #expect(line.text(width: 30) == "personal…ive/2024  500 of 2000")
  }

  @Test func `a wide script counts twice`() {
    #expect(TextWidth.columns(of: "日本") == 4)
    #expect(TextWidth.columns(of: "e\u{301}") == 1)
    #expect(TextWidth.fitted("日本語日本語", to: 5).count <= 5)
    #expect(TextWidth.columns(of: TextWidth.fitted("日本語日本語", to: 5)) <= 5)
    #expect(TextWidth.padded("ab", to: 4) == "ab  ")
  }

  @Test func `a hostile name is made visible`() {
    var hostile = line
    hostile.subject = "a/\u{1B}[2Jx\r"
    #expect(hostile.text(width: 200).hasPrefix("a/\\u{1b}[2Jx\\u{d}  "))
  }

  @Test func `no time left is told before it can be known`() {
    var early = line
    early.seconds = 0.5
    #expect(early.secondsLeft == nil)
    early.seconds = 10
    early.messages = 2000
    #expect(early.secondsLeft == nil)
    early.messages = 0
    #expect(early.secondsLeft == nil)
    early.expected = 0
    #expect(early.text(width: 80).contains("0 messages"))
  }

  @Test func `the rate follows the last seconds`() throws {
    var meter = RateMeter()
    #expect(meter.bytesPerSecond == nil)
    for step in 0...100 { meter.note(bytes: Int64(step) * 1000, at: Double(step) * 0.1) }
    #expect(abs(try #require(meter.bytesPerSecond) - 10_000) < 500)
    for step in 1...100 { meter.note(bytes: 100_000, at: 10 + Double(step) * 0.1) }
    #expect(try #require(meter.bytesPerSecond) == 0)
  }
}
