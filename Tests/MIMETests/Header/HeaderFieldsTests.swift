import MIME
import Testing

@Suite struct HeaderFieldsTests {
  @Test func `folded values keep their lines and lose the blanks at their ends`() {
    let mail = MailBytes("Subject: one\n two\n\tthree \nTo:a@b\n\nbody")
    #expect(mail.fields == ["Subject=one\n two\n\tthree", "To=a@b"])
  }

  @Test func `carriage returns change nothing`() {
    let mail = MailBytes("Subject: one\r\n two\r\nTo: a@b\r\n\r\nX: body\r\n")
    #expect(mail.fields == ["Subject=one\r\n two", "To=a@b"])
    let block = mail.read { HeaderFields($0, in: 0..<$0.count) }.block
    #expect(mail.text(block.upperBound..<mail.bytes.count) == "X: body\r\n")
  }

  @Test func `blanks before the colon belong to no name`() {
    #expect(MailBytes("Subject \t: x\n\n").fields == ["Subject=x"])
  }

  @Test(arguments: [
    "From alice Mon Jan  1 00:00:00 2024\n", ">From alice Mon Jan  1 00:00:00 2024\n",
  ])
  func `the line of an mbox before the header is passed over`(line: String) {
    #expect(MailBytes(line + "To: a@b\n\nbody").fields == ["To=a@b"])
  }

  @Test func `a line that is no field starts the body`() {
    let mail = MailBytes("To: a@b\nHello Bob,\nhow are you\n")
    #expect(mail.bodies == ["Hello Bob,\nhow are you\n"])
    #expect(mail.structure().defects == .missingBlankLine)
  }

  @Test func `a stray line before a known field does not end the header`() {
    let mail = MailBytes("To: a@b\nquite a stray line\nSubject: x\n\nbody\n")
    #expect(mail.fields == ["To=a@b", "Subject=x"])
    #expect(mail.structure().defects == .junkInHeader)
  }

  @Test func `a parameter line that lost its blank is folded all the same`() {
    let mail = MailBytes("Content-Type: multipart/mixed;\nboundary=x\n\n--x\n\nhi\n--x--\n")
    #expect(mail.outline == ["multipart/mixed", "1 text/plain"])
  }

  @Test func `names with eight-bit bytes or blanks are no fields`() {
    #expect(MailBytes("Sübject: x\n\n").fields == [])
    #expect(MailBytes("dear friend: x\n\n").fields == [])
  }

  @Test func `a header without a body ends at the end`() {
    let mail = MailBytes("To: a@b\nSubject: x")
    #expect(mail.fields == ["To=a@b", "Subject=x"])
    #expect(mail.bodies == [""])
  }

  @Test func `an empty message has one empty part`() {
    #expect(MailBytes("").outline == ["1 text/plain"])
    #expect(MailBytes("\n").outline == ["1 text/plain"])
  }

  @Test func `a header beyond the limit is cut and the body still found`() {
    var limits = MIMELimits()
    limits.headerBytes = 100
    let mail = MailBytes(
      "To: a@b\nX: " + String(repeating: "x", count: 200) + "\nSubject: late\n\nbody")
    let structure = mail.structure(limits)
    #expect(structure.defects == .headerTooLong)
    #expect(mail.text(structure.parts[0].body) == "body")
    let fields = mail.read { HeaderFields($0, in: 0..<$0.count, limits: limits) }
    #expect(fields.first(.to).map(mail.text) == "a@b")
    #expect(fields.first(.subject) == nil)
    #expect(fields.fields.allSatisfy { $0.value.upperBound <= 100 })
  }

  @Test func `every kind is found by its name in any case`() {
    let names: [FieldKind: String] = [
      .from: "From", .to: "TO", .cc: "cC", .subject: "SUBJECT", .messageID: "Message-Id",
      .inReplyTo: "in-reply-to", .references: "References", .date: "Date",
      .received: "Received", .replyTo: "Reply-To", .resentTo: "Resent-To", .resentCc: "Resent-CC",
      .contentType: "Content-type", .contentTransferEncoding: "Content-Transfer-Encoding",
      .contentDisposition: "Content-Disposition", .contentDescription: "Content-Description",
      .contentID: "Content-ID", .threadIndex: "Thread-index", .threadTopic: "Thread-Topic",
      .listID: "List-Id", .xKeywords: "X-Keywords", .xPriority: "X-Priority", .status: "Status",
      .sender: "Sender", .contentLanguage: "Content-Language",
      .contentLocation: "Content-Location", .resentFrom: "Resent-From", .resentDate: "Resent-Date",
      .returnPath: "Return-Path", .xStatus: "X-Status", .xMailer: "X-Mailer",
      .contentLength: "Content-Length", .deliveredTo: "Delivered-To", .other: "X-Other",
    ]
    for (kind, name) in names { #expect(MailBytes(name).read(FieldKind.of) == kind, "\(name)") }
    #expect(MailBytes("").read(FieldKind.of) == .other)
    #expect(MailBytes("Fram").read(FieldKind.of) == .other)
  }

  @Test func `first and all go by kind`() {
    let mail = MailBytes("Received: 1\nTo: a\nReceived: 2\n\n")
    let fields = mail.read { HeaderFields($0, in: 0..<$0.count) }
    #expect(fields.first(.received).map(mail.text) == "1")
    #expect(fields.all(.received).count == 2)
  }
}
