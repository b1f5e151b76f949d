import CLISupport
import MailCore
import Testing

@Suite struct QuantitiesTests {
  @Test(arguments: [
    (0, "0 B"), (-5, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1234, "1.2 kB"), (9949, "9.9 kB"),
    (9950, "10 kB"), (999_499, "999 kB"), (999_500, "1.0 MB"), (1_234_567, "1.2 MB"),
    (175_000_000, "175 MB"), (5_000_000_000, "5.0 GB"), (Int64.max, "9223372 TB"),
  ]) func `bytes are short`(count: Int64, text: String) {
    #expect(Quantities.bytes(count) == text)
  }

  @Test(arguments: [
    (0.0, "0.0 s"), (-1, "0.0 s"), (.nan, "0.0 s"), (.infinity, "0.0 s"), (0.84, "0.8 s"),
    (9.94, "9.9 s"), (9.95, "10 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (200, "3 min 20 s"),
    (7500, "2 h 5 min"), (1e300, "2400 h 0 min"),
  ]) func `times are short`(seconds: Double, text: String) {
    #expect(Quantities.seconds(seconds) == text)
  }

  @Test func `one is no plural`() {
    #expect(Quantities.count(1, "mailbox", "mailboxes") == "1 mailbox")
    #expect(Quantities.count(0, "message") == "0 messages")
  }
}
