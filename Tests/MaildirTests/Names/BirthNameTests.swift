import MailCore
import Maildir
import Testing

struct BirthNameTests {
  let mailbox = MailboxName("Größe/2024", delimiter: "/")

  @Test func `the name reads back`() throws {
    for account in ["personal", "alice@example.org", "a b/c:d\u{1F600}=~,", "..", "x"] {
      for ordinal in [1, 2, 17] {
        let name = BirthName(
          internalDate: 1_700_000_123, mailbox: mailbox, uidValidity: UIDValidity(.max),
          uid: UID(.max), account: account, ordinal: ordinal)
        let base = name.base
        #expect(BirthName(base: base) == name)
        #expect(base.allSatisfy { $0 > 0x20 && $0 < 0x7F && !":/;!,".utf8.contains($0) })
        #expect(name.isBorn(in: mailbox))
        #expect(!name.isBorn(in: MailboxName("INBOX", delimiter: "/")))
      }
    }
  }

  @Test func `the shape is the one that other releases expect`() {
    let name = BirthName(
      internalDate: 1_700_000_123,
      mailboxHash: BirthName.MailboxHash(rawValue: 0x0123_4567_89AB_CDEF),
      uidValidity: UIDValidity(42),
      uid: UID(7), account: "personal")
    #expect(name.base.text == "1700000123.0123456789abcdefV42U7.personal")
    #expect(
      BirthName(
        internalDate: 0, mailbox: MailboxName("INBOX", delimiter: nil), uidValidity: UIDValidity(1),
        uid: UID(1), account: "x"
      ).mailboxHash.rawValue == XXH3.hash("INBOX"))
  }

  @Test func `the longest of names fits a directory with all its flags`() {
    let name = BirthName(
      internalDate: .min + 1, mailbox: mailbox, uidValidity: UIDValidity(.max), uid: UID(.max),
      account: String(repeating: "\u{1F600}", count: 100), ordinal: 1000)
    #expect(name.base.count + ":2,DFPRST".utf8.count + 26 <= 255)
  }

  @Test func `a reader's data behind the account is no part of it`() {
    let base = birth(9).base + [UInt8](",S=123")
    #expect(BirthName(base: base)?.account == "personal")
  }

  @Test(arguments: [
    "", "1700000000.R1.host", "1700000000.0123456789abcdefV1U0.x", "x.0123456789abcdefV1U1.x",
    "1.0123456789ABCDEFV1U1.x", "1.0123456789abcdefV4294967296U1.x", "1.0123456789abcdefV1U1",
    "1.0123456789abcdefV1U1.x~1", "1.0123456789abcdefV1U1.x~", "1.0123456789abcdefV1U1.x=4",
    "99999999999999999999.0123456789abcdefV1U1.x", "1.0123456789abcdef1U1.x",
  ])
  func `other names are not taken for ours`(name: String) {
    #expect(BirthName(base: Array(name.utf8)) == nil)
  }

  @Test func `garbage never traps`() {
    var numbers = SeededNumbers(seed: 2)
    for _ in 0..<20_000 {
      var base = birth(5).base
      for _ in 0..<Int.random(in: 1...3, using: &numbers) {
        base[Int.random(in: 0..<base.count, using: &numbers)] = UInt8.random(
          in: 0...255, using: &numbers)
      }
      if let name = BirthName(base: base) { _ = name.base }
    }
  }
}
