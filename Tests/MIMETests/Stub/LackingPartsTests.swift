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
    "X-Keywords: a, b\n",
  ])
  func `a stub is known by its line, whatever stands above`(above: String) {
    let found = find(above + line + stub)
    #expect(found?.size == 274_090 && found?.isOurs == true)
    #expect(found.map { String(decoding: $0.header, as: UTF8.self).contains("X-Mirror") } == false)
    #expect(find((above + line + stub).replacing("\n", with: "\r\n"))?.size == 274_090)
  }

  @Test(arguments: [
    "Received: by x\n", "X-Keywords: \n", "X-Keywords:\r\n", "X-Mirror-Stub: 0\n",
    "Resent-From: a@x\n",
  ])
  func `a line that a sender may have put there proves nothing`(above: String) {
    let found = find(above + line + stub)
    #expect(found?.size == 274_090 && found?.isOurs == false)
  }

  @Test func `a stub without its line is known by its parts`() {
    #expect(find(stub)?.octets == 270_000...270_000)
    #expect(find(stub)?.size == nil && find(stub)?.isOurs == false)
  }

  // MARK: Without any field of ours

  /// A stub as it is written, of a message with this Message-ID, without the fields that have names of ours.
  private func bare(
    id: String? = "m@x", names: String? = nil, name: String = "a (b), c.pdf",
    type: String = "application/pdf"
  ) -> String {
    let header = Array(
      "Content-Type: \(type);\r\n name=\"\(name)\"\r\nContent-Transfer-Encoding: base64\r\n\r\n"
        .utf8)
    let part = String(
      decoding: AbsentPart.bytes(header: header, octets: 270_000, messageID: names ?? id),
      as: UTF8.self
    ).replacing("\r\n", with: "\n")
    var isOurs = false
    let kept = part.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      if line.first != "\t", line.first != " " { isOurs = line.hasPrefix("X-Mirror-") }
      return !isOurs
    }.joined(separator: "\n")
    return """
      From: a@example.org
      \(id.map { "Message-ID: <\($0)>\n" } ?? "")Content-Type: multipart/mixed; boundary=x

      --x
      Content-Type: text/plain

      text
      --x
      \(kept)
      --x--

      """
  }

  @Test func `it is known by the text in a part's place, to the byte`() {
    for text in [
      bare(), bare(name: "für dich.pdf"), bare(name: ""), bare(id: nil), bare(id: "o'dd@x"),
    ] {
      let found = find(text)
      #expect(found?.octets?.contains(270_000) == true && found?.isOurs == false, "\(text)")
      #expect(find(text.replacing("\n", with: "\r\n"))?.octets == found?.octets, "\(text)")
    }
  }

  @Test func `a text of this program's that names the message itself is told`() {
    #expect(find(bare())?.isAnnounced == true)
    #expect(find(bare(id: "o'dd@x"))?.isAnnounced == false, "its command is about any stub")
    #expect(find(bare(id: nil))?.isAnnounced == false)
    #expect(find(stub)?.isAnnounced == false, "such a field a sender may have written")
  }

  @Test func `fields of ours that a program spelled in another way change nothing`() {
    let field = "Content-Transfer-Encoding: 8bit\n"
    let text = bare().replacing(
      field, with: field + "x-mirror-part: size=1\nx-mirror-was-x: a\n\tb\n")
    #expect(find(text)?.octets?.contains(270_000) == true)
  }

  @Test func `what is like such a text, or is another message's, is mail as any other`() {
    let whole = bare()
    for text in [
      bare(names: "other@x"),
      whole.replacing("Not here:", with: "> Not here:"),
      whole.replacing("id:m@x\n", with: "id:m@x\nDo you have it?\n"),
      whole.replacing("Not here:", with: "Look:\nNot here:"),
      whole.replacing("charset=utf-8", with: "charset=us-ascii"),
      whole.replacing(" (not here).txt", with: ".txt"),
      whole.replacing("Content-Transfer-Encoding: 8bit\n", with: ""),
      whole.replacing("Content-Type: multipart/mixed; boundary=x\n", with: ""),
    ] {
      #expect(text != whole && find(text) == nil, "\(text)")
    }
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
