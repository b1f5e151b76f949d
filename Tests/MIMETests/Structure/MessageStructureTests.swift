import MIME
import Testing

@Suite struct MessageStructureTests {
  private func multipart(_ body: String, boundary: String = "b", subtype: String = "mixed")
    -> MailBytes
  {
    MailBytes("Content-Type: multipart/\(subtype); boundary=\"\(boundary)\"\n\n" + body)
  }

  @Test func `a plain message is part 1`() {
    let mail = MailBytes("Subject: x\n\nhello\n")
    #expect(mail.outline == ["1 text/plain"])
    #expect(mail.bodies == ["hello\n"])
    #expect(mail.structure().defects == [])
  }

  @Test(arguments: ["\n", "\r\n"])
  func `bodies end before the line break of the boundary`(line: String) {
    let lines = [
      "Content-Type: multipart/mixed; boundary=b", "", "preamble", "--b", "", "one", "",
      "--b", "Content-Type: text/html", "", "two", "--b--", "epilogue", "",
    ]
    let mail = MailBytes(lines.joined(separator: line))
    #expect(mail.outline == ["multipart/mixed", "1 text/plain", "2 text/html"])
    #expect(mail.bodies.dropFirst() == ["one" + line, "two"])
    #expect(mail.structure().defects == [])
    let header = mail.structure().parts[2].header
    #expect(mail.text(header) == "Content-Type: text/html" + line + line)
  }

  @Test func `sections are numbered as IMAP numbers them`() {
    // The example of RFC 9051 §6.4.5.1 in short.
    let mail = multipart(
      """
      --b
      Content-Type: text/plain

      --b
      Content-Type: application/octet-stream

      --b
      Content-Type: message/rfc822

      Content-Type: multipart/mixed; boundary=i

      --i
      Content-Type: text/plain

      --i
      Content-Type: application/octet-stream

      --i--
      --b
      Content-Type: multipart/mixed; boundary=m

      --m
      Content-Type: image/gif

      --m
      Content-Type: message/rfc822

      Content-Type: multipart/mixed; boundary=n

      --n
      Content-Type: text/plain

      --n
      Content-Type: multipart/alternative; boundary=o

      --o
      Content-Type: text/plain

      --o
      Content-Type: text/richtext

      --o--
      --n--
      --m--
      --b--
      """)
    #expect(
      mail.outline == [
        "multipart/mixed", "1 text/plain", "2 application/octet-stream", "3 message/rfc822",
        "3.TEXT multipart/mixed", "3.1 text/plain", "3.2 application/octet-stream",
        "4 multipart/mixed", "4.1 image/gif", "4.2 message/rfc822", "4.2.TEXT multipart/mixed",
        "4.2.1 text/plain", "4.2.2 multipart/alternative", "4.2.2.1 text/plain",
        "4.2.2.2 text/richtext",
      ])
    #expect(mail.structure().defects == [])
    #expect(mail.structure().children(of: 0) == [1, 2, 3, 7])
  }

  @Test func `a message within a message that is no multipart is its part 1`() {
    let mail = MailBytes("Content-Type: message/rfc822\n\nSubject: in\n\ntext\n")
    #expect(mail.outline == ["1 message/rfc822", "1.1 text/plain"])
    #expect(mail.bodies == ["Subject: in\n\ntext\n", "text\n"])
  }

  @Test func `a digest holds messages unless it says otherwise`() {
    let mail = multipart(
      "--b\n\nSubject: in\n\none\n--b\nContent-Type: text/plain\n\ntwo\n--b--\n", subtype: "digest")
    #expect(
      mail.outline == [
        "multipart/digest", "1 message/rfc822", "1.1 text/plain", "2 text/plain",
      ])
  }

  @Test func `a base64 message stays a leaf`() {
    let mail = MailBytes(
      "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogeA==\n")
    #expect(mail.outline == ["1 message/rfc822"])
    #expect(mail.structure().defects == .encodedMessage)
    #expect(!mail.structure().parts[0].hasChildren)
  }

  // MARK: Boundary traps

  @Test func `without its boundary a multipart reads as text`() {
    let mail = multipart("no parts here\n--bb\nnor here\n")
    #expect(mail.outline == ["1 text/plain"])
    #expect(mail.structure().defects == .boundaryNotFound)
    #expect(mail.bodies == ["no parts here\n--bb\nnor here\n"])
  }

  @Test func `a boundary that is not named is guessed from the first part`() {
    let mail = MailBytes(
      "Content-Type: multipart/mixed\n\n--xyz\nContent-Type: text/html\n\none\n--xyz--\n")
    #expect(mail.outline == ["multipart/mixed", "1 text/html"])
    #expect(mail.structure().defects == .missingBoundary)
  }

  @Test func `without boundary and parts a multipart reads as text`() {
    let mail = MailBytes("Content-Type: multipart/mixed; boundary=\"\"\n\n-- \nsignature\n")
    #expect(mail.outline == ["1 text/plain"])
    #expect(mail.structure().defects == .missingBoundary)
  }

  @Test func `the end may be missing`() {
    let mail = multipart("--b\n\none\n--b\n\ntwo\n")
    #expect(mail.bodies.dropFirst() == ["one", "two\n"])
    #expect(mail.structure().defects == .noFinalBoundary)
  }

  @Test func `an outer boundary ends all inside`() {
    let mail = multipart(
      "--b\nContent-Type: multipart/alternative; boundary=i\n\n--i\n\none\n--b\n\ntwo\n--b--\n")
    #expect(
      mail.outline == [
        "multipart/mixed", "1 multipart/alternative", "1.1 text/plain", "2 text/plain",
      ])
    #expect(mail.bodies.dropFirst(2) == ["one", "two"])
    #expect(mail.structure().defects == .noFinalBoundary)
  }

  @Test func `of boundaries that begin alike each finds its own`() {
    let mail = multipart(
      "--a\nContent-Type: multipart/mixed; boundary=ab\n\n--ab\n\none\n--ab--\n--a\n\ntwo\n--a--\n",
      boundary: "a")
    #expect(
      mail.outline == ["multipart/mixed", "1 multipart/mixed", "1.1 text/plain", "2 text/plain"])
    #expect(mail.bodies.dropFirst(2) == ["one", "two"])
    let inverse = multipart(
      "--ab\nContent-Type: multipart/mixed; boundary=a\n\n--a\n\none\n--a--\n--ab\n\ntwo\n--ab--\n",
      boundary: "ab")
    #expect(inverse.outline == mail.outline)
  }

  @Test func `a boundary may end in dashes`() {
    let mail = multipart("--a--\n\none\n--a--\n\ntwo\n--a----\n", boundary: "a--")
    #expect(mail.bodies.dropFirst() == ["one", "two"])
    #expect(mail.structure().defects == [])
  }

  @Test func `the same boundary inside belongs to the inner multipart`() {
    let mail = multipart(
      "--b\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b--\n--b\n\ntwo\n--b--\n")
    #expect(
      mail.outline == ["multipart/mixed", "1 multipart/mixed", "1.1 text/plain", "2 text/plain"])
  }

  @Test func `a boundary written twice opens one part`() {
    let mail = multipart("--b\n--b\n--b\n\none\n--b--\n")
    #expect(mail.outline == ["multipart/mixed", "1 text/plain"])
  }

  @Test func `blanks behind a boundary don't count, other text does`() {
    let mail = multipart("--b \t\r\n\none\n--bx\n--b x\n --b\n--b-- \n")
    #expect(mail.bodies.dropFirst() == ["one\n--bx\n--b x\n --b"])
  }

  @Test func `very long boundaries and those with quotes and blanks work`() {
    for boundary in [String(repeating: "x", count: 5000), "a b'()+_,-./:=?", "a  b"] {
      let mail = multipart("--\(boundary)\n\none\n--\(boundary)--\n", boundary: boundary)
      #expect(mail.bodies.dropFirst() == ["one"], "\(boundary.prefix(20))")
    }
  }

  @Test func `a part without blank line ends at the boundary`() {
    let mail = multipart("--b\nContent-Type: text/html\n--b\n\ntwo\n--b--\n")
    #expect(mail.outline == ["multipart/mixed", "1 text/html", "2 text/plain"])
    #expect(mail.bodies.dropFirst() == ["", "two"])
    #expect(mail.structure().defects == .missingBlankLine)
  }

  @Test func `a body that looks like a header is a body`() {
    let mail = multipart("--b\n\nContent-Type: text/html\n\none\n--b--\n")
    #expect(mail.outline == ["multipart/mixed", "1 text/plain"])
    #expect(mail.bodies.dropFirst() == ["Content-Type: text/html\n\none"])
  }

  @Test func `what follows the end is no part`() {
    let mail = multipart("--b\n\none\n--b--\n--b\n\nlate\n--b--\n")
    #expect(mail.outline == ["multipart/mixed", "1 text/plain"])
  }

  @Test func `a multipart that only closes is an empty text`() {
    let mail = multipart("--b--\nepilogue\n")
    #expect(mail.outline == ["1 text/plain"])
    #expect(mail.bodies == [""])
    #expect(multipart("preamble\n\n--b--\n").bodies == ["preamble\n"])
  }

  @Test func `a blank line that is also the boundary's line break keeps parts inside parts`() {
    let mail = multipart("--b\nContent-Type: message/rfc822\n\nSubject: x\n\n--b--\n")
    #expect(mail.outline == ["multipart/mixed", "1 message/rfc822", "1.1 text/plain"])
    #expect(mail.bodies.dropFirst() == ["Subject: x\n\n", ""])
  }

  @Test func `a boundary at the very end of the file`() {
    #expect(multipart("--b\n\none\n--b--").bodies.dropFirst() == ["one"])
    #expect(
      multipart("--b\n\none\n--b").outline == ["multipart/mixed", "1 text/plain", "2 text/plain"])
    #expect(multipart("--b").outline == ["multipart/mixed", "1 text/plain"])
  }

  @Test func `NULs and lone carriage returns are bytes like others`() {
    let mail = MailBytes(bytes: Array("Subject: a\0b\rc\n\nx\0y\r".utf8))
    #expect(mail.bodies == ["x\0y\r"])
    let subject = mail.read { bytes in
      HeaderFields(bytes, in: 0..<bytes.count).first(.subject).map {
        HeaderText.decode(UnsafeRawBufferPointer(rebasing: bytes[$0]))
      }
    }
    #expect(subject == "abc")
  }

  // MARK: Limits

  @Test func `nesting ends at the limit`() {
    var text = ""
    for level in 0..<150 {
      text += "Content-Type: multipart/mixed; boundary=b\(level)\n\n--b\(level)\n"
    }
    let structure = MailBytes(text + "\nhello\n").structure()
    #expect(structure.defects.contains(.tooDeep))
    #expect(structure.parts.count == 100)
    let messages = MailBytes(String(repeating: "Content-Type: message/rfc822\n\n", count: 150))
    #expect(messages.structure().parts.count == 100)
    #expect(messages.structure().defects.contains(.tooDeep))
  }

  @Test func `parts end at the limit and the last one has the rest`() {
    var limits = MIMELimits()
    limits.parts = 4
    let mail = multipart(String(repeating: "--b\n\nx\n", count: 10) + "--b--\n")
    let structure = mail.structure(limits)
    #expect(structure.parts.count == 4)
    #expect(structure.defects.contains(.tooManyParts))
    #expect(structure.parts[3].body.upperBound == mail.bytes.count)
  }

  @Test func `the charset of the text helps the header`() {
    let rest = "Content-Type: text/plain; charset=koi8-r\n\nx\n"
    let raw = MailBytes(bytes: Array("Subject: ".utf8) + [0xF0, 0xD2, 0x0A] + Array(rest.utf8))
    #expect(raw.headerFallback == Charset(label: "koi8-r"))
    #expect(MailBytes("Subject: x\n" + rest).headerFallback == .windows1252)
    #expect(MailBytes(bytes: [0xF0, 0x3A, 0x0A, 0x0A]).headerFallback == .windows1252)
  }
}

extension MailBytes {
  fileprivate var headerFallback: Charset {
    read { MessageStructure.parse($0).headerFallback($0) }
  }
}
