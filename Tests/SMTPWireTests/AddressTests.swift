import Testing

@testable import SMTPWire

@Suite struct AddressTests {
  @Test(arguments: [
    "a@b", "a.b+c@example.org", "\"a b\"@example.org", "\"a\\\"<>@,\"@example.org",
    "zoë@exämple.org",
    "x@[127.0.0.1]", "x@[IPv6:::1]", "=?@x.org", "o'neill@x.org",
  ])
  func `addresses of people are taken`(text: String) throws {
    #expect(try SubmissionAddress(text).text == text)
  }

  @Test(arguments: [
    "", "a", "@b", "a@", "a b@c", "a@b>\r\nRCPT TO:<c@d", "a@b\nX", "a@b\0", "a@b c", "<a@b>",
    "a@b>",
    "\"a@b", "a\"@b", "\"a\\\"@b", "a@b\"c\"", "a@b\u{7F}", "a,b@c", "a@b,c@d", "\"a\rb\"@c",
    String(repeating: "a", count: 600) + "@b",
  ])
  func `nothing that could end a command is taken`(text: String) {
    #expect(throws: SubmissionAddress.Problem.self) { try SubmissionAddress(text) }
  }

  @Test(arguments: [
    ("exämple.org", "xn--exmple-cua.org"), ("bücher.example", "xn--bcher-kva.example"),
    ("EXAMPLE.org", "EXAMPLE.org"), ("münchen.de", "xn--mnchen-3ya.de"),
    ("Ünlü.com", "xn--nl-wkac.com"),
    ("他们为什么不说中文.cn", "xn--ihqwcrb4cv8a8dqg056pqjye.cn"), ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
    ("почему.рф", "xn--e1aoedxv.xn--p1ai"), ("faß.de", "xn--fa-hia.de"),
    ("3年B組金八先生.jp", "xn--3b-ww4c5e180e575a65lsy2b.jp"),
  ])
  func `domains become ASCII`(name: String, ascii: String) {
    #expect(IDNADomain.ascii(name) == ascii)
  }

  @Test func `labels that cannot be are told`() {
    #expect(IDNADomain.ascii("a..b") == nil)
    #expect(IDNADomain.ascii(String(repeating: "ä", count: 64) + ".de") == nil)
    #expect(IDNADomain.ascii(String(repeating: "a", count: 64)) == nil)
  }
}

@Suite struct BodyEncoderTests {
  private func wire(_ text: String, _ form: BodyEncoder.Form = .dotStuffed, chunk: Int = .max)
    -> String
  {
    var encoder = BodyEncoder(form)
    var output: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      Array(rest.prefix(chunk)).withUnsafeBytes { encoder.append($0, to: &output) }
      rest = rest.dropFirst(chunk)
    }
    return String(decoding: output + encoder.finish(), as: UTF8.self)
  }

  @Test func `dots at line starts are doubled, and the end is one dot`() {
    #expect(wire("a\n.\n..b\nc.\n") == "a\r\n..\r\n...b\r\nc.\r\n.\r\n")
    #expect(wire(".") == "..\r\n.\r\n")
    #expect(wire("") == ".\r\n")
    #expect(wire("a\n.\nb", .plain) == "a\r\n.\r\nb\r\n")
  }

  @Test func `a bare CR cannot make a line end of its own`() {
    #expect(wire("a\r\nb\r\n") == "a\r\nb\r\n.\r\n")
    #expect(wire("a\r.\rb\n") == "a.b\r\n.\r\n")
    #expect(wire("a\n\r.\r\nQUIT\n") == "a\r\n..\r\nQUIT\r\n.\r\n")
    #expect(!wire("a\n\r\r.\n\r.\r\n").dropLast(5).contains("\r\n.\r\n"))
  }

  @Test(arguments: 1...12) func `where pieces are cut makes no difference`(size: Int) {
    let text = "a\n.\r\n..\r.\n\n.x\r\r\n.\n.end"
    #expect(wire(text, chunk: size) == wire(text))
    #expect(wire(text, .plain, chunk: size) == wire(text, .plain))
  }
}
