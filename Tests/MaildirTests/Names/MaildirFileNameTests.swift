import MailCore
import Maildir
import Testing

struct MaildirFileNameTests {
  @Test(arguments: [":", ";", "!"])
  func `every separator is read and kept`(separator: String) {
    let name = MaildirFileName(Array("17.R1.host\(separator)2,FS".utf8))
    #expect(name.base.text == "17.R1.host")
    #expect(name.flags == [.flagged, .seen])
    #expect(name.bytes(separator: .colon).text == "17.R1.host\(separator)2,FS")
  }

  @Test func `a name without info has none, and gets the tree's separator with its first flag`() {
    let name = MaildirFileName([UInt8]("17.R1.host"))
    #expect(name.info == nil)
    #expect(name.setting(flags: .seen).bytes(separator: .semicolon).text == "17.R1.host;2,S")
  }

  @Test(arguments: [
    ("a:2,SF", "a:2,FS"), ("a:2,SSS", "a:2,S"), ("a:2,ZSA", "a:2,ASZ"), ("a:2,bSa", "a:2,Sab"),
    ("a:2,S,x=1", "a:2,S,x=1"), ("a:2,~S1", "a:2,1S~"), ("a:2,", "a:2,"), ("a:1,x", "a:1,x"),
    ("a:2,x:2,S", "a:2,x:2,S"), ("", ""), (":2,S", ":2,S"),
  ])
  func `letters come out once and in ASCII order, unknown ones too`(read: String, written: String) {
    #expect(MaildirFileName(Array(read.utf8)).bytes(separator: .colon).text == written)
  }

  @Test func `unknown letters, keyword letters and tails survive a change of flags`() {
    let name = MaildirFileName([UInt8]("a:2,XSb,tail")).setting(flags: [.draft, .deleted])
    #expect(name.bytes(separator: .colon).text == "a:2,DTXb,tail")
  }

  @Test func `any bytes are read and written again without loss of the base`() {
    var numbers = SeededNumbers(seed: 1)
    for _ in 0..<20_000 {
      let alphabet = [UInt8](":;!2,SFRDPTabz~%.\u{FF}") + [0xFF, 0x80]
      let bytes = (0..<Int.random(in: 0...20, using: &numbers)).map { _ in
        alphabet.randomElement(using: &numbers)!
      }
      let name = MaildirFileName(bytes)
      let written = name.bytes(separator: .colon)
      let again = MaildirFileName(written)
      #expect(again.base == name.base)
      #expect(again.flags == name.flags)
      #expect(again.bytes(separator: .colon) == written)
      #expect(bytes.starts(with: name.base))
    }
  }
}
