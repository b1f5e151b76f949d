import Testing

@testable import MIME

/// What a file tells of parts that its message lacks.
struct LackingPartsTests {
  private let line = "X-Mirror-Stub: 1; size=274090; parts=2\n"
  private let stub = """
    From: a@example.org
    Content-Type: multipart/mixed; boundary=x

    --x
    Content-Type: text/plain

    text
    --x
    Content-Type: text/plain
    X-Mirror-Part: size=270000

    Not here: a.pdf
    --x--

    """

  private func find(_ text: String) -> LackingParts? {
    Array(text.utf8).withUnsafeBytes { LackingParts.find(in: $0) }
  }

  @Test(arguments: [
    "", "Delivered-To: a@x\n", "Status: RO\nX-Bogosity: no\n", "\n", "From a@x Sat\n",
  ])
  func `a stub is known by its line, whatever stands above`(above: String) {
    let found = find(above + line + stub)
    #expect(found?.size == 274_090 && found?.isOurs == true)
    #expect(found.map { String(decoding: $0.header, as: UTF8.self).contains("X-Mirror") } == false)
    #expect(find((above + line + stub).replacing("\n", with: "\r\n"))?.size == 274_090)
  }

  @Test(arguments: [
    "Received: by x\n", "X-Keywords: a, b\n", "X-Mirror-Stub: 0\n", "Resent-From: a@x\n",
  ])
  func `a line that a sender may have put there proves nothing`(above: String) {
    let found = find(above + line + stub)
    #expect(found?.size == 274_090 && found?.isOurs == false)
  }

  @Test func `a stub without its line is known by its parts`() {
    #expect(find(stub)?.octets == 270_000)
    #expect(find(stub)?.size == nil && find(stub)?.isOurs == false)
  }

  @Test func `a message that quotes or encloses a stub lacks nothing`() {
    #expect(find("Subject: q\n\nlook:\nX-Mirror-Part: size=12\n" + line) == nil)
    let enclosing = """
      Subject: fwd
      Content-Type: multipart/mixed; boundary=o

      --o
      Content-Type: text/plain

      see
      --o
      Content-Type: message/rfc822

      \(line)\(stub)
      --o--

      """
    #expect(find(enclosing) == nil)
    #expect(find("Subject: plain\n\ntext\n") == nil)
  }
}
