import MailCore
import Testing

@testable import MIME

/// What stands in the place of a part that stays on the server.
struct AbsentPartTests {
  private let header = Array(
    """
    Content-Type: application/pdf;\r
    \tname="report (1).pdf"\r
    Content-Transfer-Encoding: base64\r
    Content-Disposition: attachment; filename="report (1).pdf"\r
    Content-ID: <part@x>\r
    \r

    """.utf8)

  private func stub(_ header: [UInt8], octets: Int64 = 78_000, id: String? = "m@x") -> [UInt8] {
    Array(
      "X-Mirror-Stub: 1; size=90000; parts=2\nMessage-ID: <m@x>\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n--b\n"
        .utf8)
      + AbsentPart.bytes(header: header, octets: octets, messageID: id) + Array("\n--b--\n".utf8)
  }

  private func absent(_ stub: [UInt8]) -> AbsentPart? {
    stub.withUnsafeBytes { AbsentPart.find("2", in: $0, MessageStructure.parse($0)) }
  }

  @Test func `it says what is missing and how to get it`() {
    let text = String(decoding: stub(header), as: UTF8.self)
    #expect(
      text.contains(
        "\r\n\r\nNot here: report (1).pdf (application/pdf, 57 kB). Get it with: mirror fill id:m@x\n"
      ))
    #expect(text.contains("Content-Type: text/plain; charset=utf-8\r\n"))
    #expect(text.contains("inline; filename=\"report (1).pdf (not here).txt\"\r\n"))
  }

  @Test func `name, type, size and more are those of the part`() throws {
    let part = try #require(absent(stub(header)))
    #expect(part.info.fileName == "report (1).pdf" && part.info.mediaType == "application/pdf")
    #expect(part.info.size == 57_000 && part.info.section == "2" && !part.info.isHere)
    #expect(part.info.disposition == .attachment && part.info.contentID == "part@x")
    #expect(part.isAttachment && part.command == "mirror fill id:m@x")
    var decoded: [UInt8] = []
    Array("aGVs\r\nbG8=".utf8).withUnsafeBytes { part.decode($0, into: &decoded) }
    #expect(decoded == Array("hello".utf8))
  }

  @Test func `a name in any charset is the part's`() throws {
    let header = Array(
      "Content-Type: video/mp4\r\nContent-Disposition: attachment; filename*=iso-8859-1''f%FCr.mp4\r\n\r\n"
        .utf8)
    let bytes = stub(header)
    #expect(absent(bytes)?.info.fileName == "für.mp4")
    #expect(String(decoding: bytes, as: UTF8.self).contains("Not here: für.mp4 (video/mp4, 78 kB)"))
  }

  @Test func `a part without a header is one without a name`() throws {
    let bytes = stub(Array("\r\n".utf8))
    #expect(absent(bytes)?.info.fileName == nil)
    #expect(String(decoding: bytes, as: UTF8.self).contains("a part without a name (text/plain"))
  }

  @Test(arguments: [
    ("a$(rm)@x", "mirror fill 'id:a$(rm)@x'"), ("a;b@x", "mirror fill 'id:a;b@x'"),
    ("it's@x", "mirror fill is:stub"), ("a b@x", "mirror fill is:stub"),
    ("a\u{1B}[m@x", "mirror fill is:stub"), ("", "mirror fill is:stub"),
  ]) func `whatever a sender wrote, the command is harmless`(id: String, command: String) {
    let text = String(decoding: stub(header, id: id), as: UTF8.self)
    #expect(text.contains("Get it with: \(command)\n"), "\(text)")
  }

  @Test func `a name cannot begin another line`() {
    let hostile = Array(
      "Content-Type: application/pdf\r\nContent-Disposition: attachment; filename*=utf-8''a%0D%0ABcc%3A%20x%22%2F..%E2%80%AE.pdf\r\n\r\n"
        .utf8)
    let text = String(decoding: stub(hostile), as: UTF8.self)
    #expect(!text.contains("\nBcc"))
    #expect(!text.contains("\u{202E}"))
  }

  @Test func `what stands above a message is no line of it elsewhere`() {
    func rest(_ text: String) -> String {
      Array(text.utf8).withUnsafeBytes {
        String(decoding: AbsentPart.withoutOwnLine($0), as: UTF8.self)
      }
    }
    #expect(rest("X-Mirror-Stub: 1; size=9; parts=2\nX-Keywords: a\n") == "X-Keywords: a\n")
    let own = "X-Mirror-Stub: 1; size=9\r\n"
    #expect(rest("X-Mirror-Stub: 0\r\n" + own) == own)
    for text in ["", "Subject: s\n", "X-Mirror-Stub: 01\n", "X-Keywords: a\nX-Mirror-Stub: 0\n"] {
      #expect(rest(text) == text)
    }
  }

  @Test func `only a stub has such parts`() {
    let bytes = stub(header)
    let other = Array(bytes[(bytes.firstIndex(of: 10)! + 1)...])
    #expect(absent(other) == nil)
  }

  @Test func `the index lists it as an attachment that is not here, and not as text`() {
    let bytes = stub(header)
    let text = bytes.withUnsafeBytes {
      MessageText.extract($0, MessageStructure.parse($0), absent: ["2"])
    }
    #expect(text.attachments.map(\.fileName) == ["report (1).pdf"])
    #expect(text.attachments.map(\.isHere) == [false])
    #expect(String(decoding: text.body, as: UTF8.self) == "text")
  }

  @Test func `a person who reads it is shown the part`() {
    let bytes = stub(header)
    let text = bytes.withUnsafeBytes { ReadableText.read($0, MessageStructure.parse($0)) }
    let attachments = text.blocks.compactMap { block in
      if case .attachment(let info) = block { info.fileName } else { nil }
    }
    #expect(attachments == ["report (1).pdf"])
    #expect("\(text.blocks)".contains("Get it with: mirror fill"))
  }
}

/// What must not be sent.
struct EnclosedStubTests {
  private let announcement =
    "Not here: a.pdf (application/pdf, 57 kB). Get it with: mirror fill id:m@x"

  private func find(_ text: String) -> EnclosedStub.Finding? {
    Array(text.utf8).withUnsafeBytes { EnclosedStub.find(in: $0) }
  }

  /// The command, of a stub or of its text.
  private func remedy(_ text: String) -> String? {
    switch find(text) {
    case .stub(let command): command
    case .text(let command): command
    case nil: nil
    }
  }

  @Test func `a stub is found as it is, enclosed, encoded, attached, and forwarded inline`() {
    let stub =
      "X-Mirror-Stub: 1; size=9; parts=2\nMessage-ID: <m@x>\nSubject: s\n\ntext\n"
    #expect(remedy(stub) == "mirror fill id:m@x")
    #expect(remedy("X-Other: 1\n" + stub) == "mirror fill id:m@x")
    let enclosed = "Subject: Fwd\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nsee\n--b\n"
    #expect(
      remedy(enclosed + "Content-Type: message/rfc822\n\n\(stub)\n--b--\n") == "mirror fill id:m@x")
    let base64 = "WC1NaXJyb3ItU3R1YjogMTsgc2l6ZT05OyBwYXJ0cz0yCk1lc3NhZ2UtSUQ6IDxtQHg+CgpoaQo="
    for type in ["message/rfc822", "application/octet-stream; name=a.eml", "text/plain"] {
      #expect(
        remedy(
          enclosed
            + "Content-Type: \(type)\nContent-Transfer-Encoding: base64\n\n\(base64)\n--b--\n")
          == "mirror fill id:m@x", "\(type)")
    }
    #expect(
      remedy(enclosed + "Content-Type: text/plain\n\n\(announcement)\n--b--\n")
        == "mirror fill id:m@x")
    #expect(remedy("Subject: Fwd\n\n-- Forwarded --\n\(announcement)\n") == "mirror fill id:m@x")
  }

  @Test func `its text is found wherever it stands, quoted, wrapped, and on a page`() {
    let wrapped =
      "> Not here: a.pdf (application/pdf, 57\n> kB). Get it with:\n> mirror fill id:m@x\n"
    let far = String(repeating: "a line of text\n", count: 2000)
    let page =
      "Subject: Fwd\nContent-Type: text/html\n\n<p>Hello</p><blockquote>Not here: a.pdf "
      + "(application/pdf,\n57 kB). Get it with: mirror fill id:<a href=\"mailto:m@x\">m@x</a>"
    for text in ["Subject: Fwd\n\n" + wrapped, "Subject: Fwd\n\n" + far + announcement, page] {
      #expect(find(text) == .text(command: "mirror fill id:m@x"))
    }
  }

  @Test func `a stub in an mbox that is attached is found`() {
    let mbox =
      "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nsee\n--b\n"
      + "Content-Type: application/mbox\n\nFrom a@x Mon\nSubject: 1\n\nX-Mirror-Stub: 1; size=3\n\n"
    #expect(find(mbox + "--b--\n") == nil)
    let stub = "From a@x Mon\nX-Mirror-Stub: 1; size=9; parts=2\nMessage-ID: <m@x>\n\ntext\n"
    #expect(find(mbox + stub + "--b--\n") == .stub(command: "mirror fill id:m@x"))
  }

  @Test(arguments: ["id:m@x;reboot", "id:$(reboot)@x", "id:m", "is:stub", "-rf"])
  func `a command is never repeated from a text`(words: String) {
    let text = "Not here: a (b/c, 1 kB). Get it with: mirror fill \(words)"
    #expect(find("Subject: Fwd\n\n\(text)\n") == .text(command: nil))
  }

  @Test func `an answer that quotes it, and all other mail, may go`() {
    let answer = "Subject: Re\nIn-Reply-To: <m@x>\n\n"
    #expect(remedy(answer + "> \(announcement)\n\nWhere is it?\n") == nil)
    #expect(remedy(answer + announcement) != nil, "it is no quotation")
    #expect(remedy("Subject: Re\nIn-Reply-To: <o@x>\n\n> \(announcement)\n") != nil)
    #expect(remedy("Subject: a\n\nNot here: I am on holiday (back on Monday).\n") == nil)
    #expect(remedy("Subject: X-Mirror-Stub: 1; size=\n\nX-Mirror-Stub: 1; size=9\n") == nil)
  }
}
