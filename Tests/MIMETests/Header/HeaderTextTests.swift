import MIME
import Testing

@Suite struct HeaderTextTests {
  private func decode(_ text: String) -> String { MailBytes(text).read { HeaderText.decode($0) } }

  @Test(arguments: [
    ("plain words", "plain words"),
    ("  folded\r\n and\n\ttabbed ", "folded and tabbed"),
    ("=?utf-8?Q?Caf=C3=A9_au_lait?=", "Café au lait"),
    ("=?iso-8859-1?q?a=E9?= b", "aé b"),
    // RFC 2047 §8
    ("(=?ISO-8859-1?Q?a?=)", "(a)"),
    ("(=?ISO-8859-1?Q?a?= b)", "(a b)"),
    ("(=?ISO-8859-1?Q?a?= =?ISO-8859-1?Q?b?=)", "(ab)"),
    ("(=?ISO-8859-1?Q?a?=  \r\n  =?ISO-8859-1?Q?b?=)", "(ab)"),
    ("(=?ISO-8859-1?Q?a_b?=)", "(a b)"),
    ("(=?ISO-8859-1?Q?a?= =?ISO-8859-2?Q?_b?=)", "(a b)"),
  ])
  func `words are decoded as RFC 2047 says`(raw: String, text: String) {
    #expect(decode(raw) == text)
  }

  @Test func `a character cut between two words is whole again`() {
    #expect(decode("=?utf-8?Q?Caf=C3?= =?UTF-8?Q?=A9?=") == "Café")
    #expect(decode("=?utf-8?B?Q2Fmww==?= =?utf-8?Q?=A9_!?=") == "Café !")
  }

  @Test func `base64 cut within a group of four goes on in the next word`() {
    // "Grüße" in UTF-8 is R3LDvMOfZQ==
    #expect(decode("=?utf-8?B?R3LDv?= =?utf-8?B?MOfZQ==?=") == "Grüße")
    #expect(decode("=?utf-8?B?YWI?= =?utf-8?B?Y2Q=?=") == "abcd")
  }

  @Test func `a language in the charset is left out`() {
    #expect(decode("=?utf-8*de?Q?Gr=C3=BC=C3=9Fe?=") == "Grüße")
  }

  @Test func `blanks and question marks inside a word are let pass`() {
    #expect(decode("=?utf-8?Q?what now??=") == "what now?")
    #expect(decode("=?utf-8?Q?=3D?= x") == "= x")
    #expect(decode("a=?utf-8?Q?b?=c") == "abc")
  }

  @Test(arguments: ["=?utf-8?Q?open", "=?utf-8?X?abc?=", "=??Q?abc?=", "=?=?=?", "=?utf 8?Q?a?="])
  func `what is no word stays as it is`(raw: String) {
    #expect(decode(raw) == raw)
  }

  @Test func `an unknown charset is guessed`() {
    #expect(decode("=?x-nonsense?Q?Caf=C3=A9?=") == "Café")
    #expect(decode("=?unknown-8bit?Q?Caf=E9?=") == "Café")
  }

  @Test func `charsets with escapes are read`() {
    #expect(decode("=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=") == "日本")
    #expect(decode("=?gb2312?B?1tDOxA==?=") == "中文")
    #expect(decode("=?koi8-r?B?8NLJ18XU?=") == "Привет")
  }

  @Test func `raw bytes are UTF-8 or else the fallback`() {
    #expect(decode("Grüße") == "Grüße")
    let latin = MailBytes(bytes: [0x47, 0x72, 0xFC, 0xDF, 0x65])
    #expect(latin.read { HeaderText.decode($0) } == "Grüße")
    let koi = MailBytes(bytes: [0xF0, 0xD2, 0xC9, 0xD7, 0xC5, 0xD4])
    let russian = Charset(label: "koi8-r")!
    #expect(koi.read { HeaderText.decode($0, fallback: russian) } == "Привет")
  }

  @Test func `UTF-8 cut off within a character is UTF-8 still`() {
    let cut = MailBytes(bytes: Array("Картинка".utf8.dropLast()))
    #expect(cut.read { HeaderText.decode($0) }.hasPrefix("Картинк"))
  }

  @Test func `one byte at the end is no UTF-8 cut off`() {
    let latin = MailBytes(bytes: [0x5A, 0x6F, 0xEB])
    #expect(latin.read { HeaderText.decode($0) } == "Zoë")
  }

  @Test func `line breaks and NULs that were encoded don't come out`() {
    #expect(decode("=?utf-8?Q?a=0D=0ABcc:_x=00y?=") == "a  Bcc: xy")
  }

  @Test func `text is appended behind what is there`() {
    var text = Array("x: ".utf8)
    MailBytes(" =?utf-8?Q?=C3=A9?= ").read { HeaderText.append($0, into: &text) }
    #expect(String(decoding: text, as: UTF8.self) == "x: é")
  }
}
