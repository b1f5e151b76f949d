import Testing

@testable import MIME

/// A stub may go beside its whole message only if it has nothing of its own.
struct StubContentTests {
  private static let header =
    "Content-Type: application/pdf;\r\n name=\"a b.pdf\"\r\nContent-Transfer-Encoding: base64\r\n"

  /// - Parameter around: the lines outside of parts, which stubs have not.
  private func message(
    _ part: String, text: String = "text", around: (String, String) = ("preamble", "epilogue\r\n")
  ) -> String {
    let lines = [
      "From: a@example.org", "Message-ID: <m@x>", "Content-Type: multipart/mixed; boundary=x", "",
      around.0, "--x", "Content-Type: text/plain", "", text, "--x", part, "--x",
      "Content-Type: text/plain", "", "the end", "--x--", around.1,
    ]
    return lines.joined(separator: "\r\n")
  }

  private var whole: String {
    message(Self.header + "\r\n" + String(repeating: "QUJD\r\n", count: 1000) + "QUJD")
  }

  private func stub(
    text: String = "text", added: String = "", around: (String, String) = ("", "")
  ) -> String {
    let absent = AbsentPart.bytes(
      header: Array((Self.header + "\r\n").utf8), octets: 6004, messageID: "m@x")
    let stub = message(
      String(decoding: absent, as: UTF8.self) + added, text: text, around: around)
    return "X-Mirror-Stub: 1; size=6400; parts=2\r\n" + stub
  }

  private func isNoMore(_ stub: String, _ whole: String) -> Bool {
    Array(stub.utf8).withUnsafeBytes { stub in
      Array(whole.utf8).withUnsafeBytes { StubContent.isNoMore(stub, than: $0) }
    }
  }

  @Test func `a stub as it was written has nothing of its own`() {
    #expect(isNoMore(stub(), whole))
    #expect(isNoMore(stub().replacing("\r\n", with: "\n"), whole))
    #expect(isNoMore(stub(), whole.replacing("\r\n", with: "\n")))
    #expect(isNoMore(stub(around: ("preamble", "epilogue\r\n")), whole))
    #expect(isNoMore(stub(around: ("preamble", "\r\n\r\n")), whole))
    let open = whole.replacing("the end\r\n--x--\r\nepilogue\r\n", with: "the end")
    #expect(open != whole && isNoMore(stub(), open), "the last boundary is a stub's")
  }

  @Test func `whatever a person wrote into it is its own`() {
    #expect(!isNoMore(stub(text: "text, and my own words"), whole))
    #expect(!isNoMore(stub(added: " and my own words"), whole))
    #expect(!isNoMore(stub(added: "\r\nmy own words"), whole))
    #expect(!isNoMore(stub() + "my own words\r\n", whole))
    #expect(!isNoMore(stub(around: ("my own words", "")), whole))
    #expect(!isNoMore(stub(around: ("preamble", "epilogue, and my own words")), whole))
    #expect(!isNoMore(stub().replacing("a b.pdf (not here)", with: "mine (not here)"), whole))
  }

  @Test func `what is no stub, or of another message, is no less than it`() {
    #expect(!isNoMore(whole, whole))
    #expect(!isNoMore(stub(), whole.replacing("the end", with: "another end")))
    #expect(!isNoMore(stub(), "From: a@example.org\r\n\r\ntext\r\n"))
    #expect(!isNoMore("", ""))
  }
}
