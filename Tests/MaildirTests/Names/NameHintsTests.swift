import MailCore
import Maildir
import Testing

struct NameHintsTests {
  @Test func `mbsync's, offlineimap's and Dovecot's data are read`() {
    let mbsync = NameHints(base: [UInt8]("1700000000.1234_1.host,U=77"))
    #expect(mbsync.uid == UID(77))
    let offlineimap = NameHints(
      base: [UInt8]("1700_0.12.host,U=123,FMD5=7e33429f656f1e6e9d79b29c3f82c57e"))
    #expect(offlineimap.uid == UID(123))
    #expect(offlineimap.folderMD5 == [UInt8]("7e33429f656f1e6e9d79b29c3f82c57e"))
    let dovecot = NameHints(base: [UInt8]("1700.M1P2.host,S=100,W=110"))
    #expect(dovecot.size == 100)
    #expect(dovecot.crlfSize == 110)
    #expect(dovecot.uid == nil)
  }

  @Test(arguments: [
    "a", "a,", "a,U=", "a,U=x", "a,U=0", "a,U=1x", "a,U=4294967296", "a,XU=5", ",U",
  ])
  func `what is no UID is none`(base: String) {
    #expect(NameHints(base: Array(base.utf8)).uid == nil)
  }

  @Test func `wrong sizes are put right, right ones left`() {
    let base = [UInt8]("1700.M1P2.host,S=100,W=110,U=5")
    #expect(NameHints.corrected(base: base, size: 100, crlfSize: 110) == nil)
    #expect(
      NameHints.corrected(base: base, size: 2000, crlfSize: 9)?.text
        == "1700.M1P2.host,S=2000,W=9,U=5")
    #expect(NameHints.corrected(base: [UInt8]("plain"), size: 1, crlfSize: 1) == nil)
    #expect(
      NameHints.corrected(base: [UInt8]("x,S=abc"), size: 7, crlfSize: 7)?.text == "x,S=7")
  }

  @Test func `a foreign UID leaves the name on the way to another folder`() {
    #expect(
      NameHints.withoutForeignUID(base: [UInt8]("1.2.h,U=5,FMD5=ab,S=3"))?.text == "1.2.h,S=3")
    #expect(NameHints.withoutForeignUID(base: [UInt8]("1.2.h,S=3")) == nil)
  }
}
