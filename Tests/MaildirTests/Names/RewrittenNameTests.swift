import MailCore
import Maildir
import Testing

struct RewrittenNameTests {
  @Test(arguments: [
    ("1700000000.R1.host", "1700000000.R1.host~k1"),
    ("1700000000.R1.host~k1", "1700000000.R1.host~k2"),
    ("1700000000.R1.host~k9,U=5", "1700000000.R1.host~k10,U=5"),
    ("1.2.h,S=8,W=11", "1.2.h~k1,S=8,W=11"),
    ("1.2.h~2", "1.2.h~2~k1"),
    ("a~k0", "a~k0~k1"),
    ("a~k01", "a~k01~k1"),
    ("a~kx", "a~kx~k1"),
    ("~k3", "~k3~k1"),
    ("a~k4294967295", "a"),
  ])
  func `each rewrite has a name of its own`(before: String, after: String) {
    #expect(RewrittenName.next(after: Array(before.utf8)).text == after)
    #expect(RewrittenName(Array(before.utf8)).base.text == before)
  }

  @Test(arguments: [
    ("1.2.h,S=8,W=11", "1.2.h~k3,S=9"), ("1.2.h,U=5", "1.2.h~k1,U=5"), ("1.2.h~2", "1.2.h~2~k1"),
    (",S=8", ",S=8~k1"),
  ])
  func `rewrites leave a name its stem`(before: String, after: String) {
    #expect(MessageStem(of: before.utf8) == MessageStem(of: after.utf8))
  }

  /// In a tree that mbsync kept, a copy of a file may have its name but for the UID, and be another message's by now.
  @Test(arguments: [
    ("1.2.h", "1.2.i"), ("1.2.h", "1.2.h~2"), (",S=8", ",S=9"), ("a~k0", "a"),
    ("1.2.h,U=5", "1.2.h,U=6"), ("1.2.h,U=5", "1.2.h"),
  ])
  func `another name has another stem`(one: String, other: String) {
    #expect(MessageStem(of: one.utf8) != MessageStem(of: other.utf8))
  }

  @Test func `a birth name is read through the mark`() {
    let birth = BirthName(
      internalDate: 1_700_000_000, mailbox: MailboxName("INBOX", delimiter: "/"),
      uidValidity: UIDValidity(7),
      uid: UID(5), account: "a~k1", ordinal: 3)
    var base = birth.base
    for _ in 0..<12 {
      base = RewrittenName.next(after: base)
      #expect(BirthName(base: base) == birth)
    }
    #expect(BirthName(base: base + Array(",S=12".utf8)) == birth)
  }
}
