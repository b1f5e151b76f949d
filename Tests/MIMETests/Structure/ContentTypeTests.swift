import MIME
import Testing

@Suite struct ContentTypeTests {
  private func part(_ header: String) -> MessagePart {
    MailBytes(header + "\n\nbody").structure().parts[0]
  }

  @Test(arguments: [
    ("text/html; charset=utf-8", "text/html", "utf-8"),
    ("TEXT/HTML; CHARSET=\"UTF-8\"", "text/html", "UTF-8"),
    ("text / html ; charset = utf-8", "text/html", "utf-8"),
    ("text/html (comment); charset=utf-8 (more)", "text/html", "utf-8"),
    ("text/html charset=utf-8", "text/html", "utf-8"),
    ("text/html;\r\n\tcharset=utf-8", "text/html", "utf-8"),
    ("text/html; format=flowed; charset=utf-8; charset=koi8-r", "text/html", "utf-8"),
    ("text/html; charset=\"utf-8\" name=x", "text/html", "utf-8"),
    ("text; charset=utf-8", "text/plain", "utf-8"),
    ("/; charset=utf-8", "text/plain", "utf-8"),
    ("\"text/html\"; charset=utf-8", "text/html", "utf-8"),
    ("text/html; ;;; charset=utf-8;", "text/html", "utf-8"),
    ("text/html; junk; charset=utf-8", "text/html", "utf-8"),
  ])
  func `types and charsets over the usual mistakes`(raw: String, name: String, charset: String) {
    let type = part("Content-Type: " + raw).type
    #expect(type.name == name)
    #expect(type.charset == charset)
  }

  @Test(arguments: [
    ("filename=a.txt", "a.txt"),
    ("filename=\"a b.txt\"", "a b.txt"),
    ("filename=a b.txt", "a b.txt"),
    ("filename=\"a \\\"b\\\".txt\"", "a \"b\".txt"),
    ("filename=\"C:\\TEMP\\a.txt\"", "C:\\TEMP\\a.txt"),
    ("filename=\"never closed.txt", "never closed.txt"),
    ("filename=\"a;b.txt\"", "a;b.txt"),
    ("filename=\"=?utf-8?Q?=C3=A4.txt?=\"", "ä.txt"),
    ("filename==?utf-8?Q?=C3=A4.txt?=", "ä.txt"),
    ("filename=\"=?utf-8?Q?=C3?=\r\n =?utf-8?Q?=A4.txt?=\"", "ä.txt"),
    ("filename*=utf-8''%C3%A4.txt", "ä.txt"),
    ("filename*=iso-8859-1'de'%E4.txt", "ä.txt"),
    ("filename*=\"utf-8''%C3%A4.txt\"", "ä.txt"),
    ("filename*=%C3%A4.txt", "ä.txt"),
    ("filename*=''it's.txt", "it's.txt"),
    ("filename*0=a; filename*1=b; filename*2=.txt", "ab.txt"),
    ("filename*2=.txt; filename*0=a; filename*1=b", "ab.txt"),
    ("filename*0*=utf-8''%C3; filename*1*=%A4; filename*2=.txt", "ä.txt"),
    ("filename*0=plain; filename*1*=%20text", "plain text"),
    ("filename*0=a; filename*0=X; filename*1=b", "ab"),
    ("filename*0=\"=?utf-8?Q?=C3\"; filename*1=\"=A4?=\"", "ä"),
    ("filename=old.txt; filename*=utf-8''%C3%A4.txt", "ä.txt"),
    ("filename*10=k; filename*2=c; filename*0=a", "ack"),
    ("filename*x=odd; filename=a.txt", "a.txt"),
    ("filename=\"/etc/passwd\"", "/etc/passwd"),
    ("filename*=utf-8''100%.txt", "100%.txt"),
  ])
  func `file names in every way of writing them`(raw: String, name: String) {
    #expect(part("Content-Disposition: attachment; " + raw).fileName == name)
  }

  @Test func `the type's name counts where the disposition has none`() {
    #expect(part("Content-Type: image/png; name=\"a.png\"").fileName == "a.png")
    #expect(
      part("Content-Type: image/png; name=a.png\nContent-Disposition: inline; filename=b.png")
        .fileName
        == "b.png")
    #expect(part("Content-Type: image/png; name=\"\"").fileName == nil)
    #expect(part("Content-Type: BINARY;name=\"a.png\"").fileName == "a.png")
    #expect(part("Content-Disposition: filename=a.png").fileName == "a.png")
  }

  @Test(arguments: [
    ("attachment", Disposition.attachment), ("ATTACHMENT; x=y", .attachment), ("inline", .inline),
    ("inline ; filename=x", .inline), ("form-data", .other), ("attachments", .other),
  ])
  func `dispositions`(raw: String, disposition: Disposition) {
    #expect(part("Content-Disposition: " + raw).disposition == disposition)
  }

  @Test func `pieces beyond the limit are left out and told`() {
    var limits = MIMELimits()
    limits.parameterSegments = 10
    let pieces = (0..<50).map { "; filename*\($0)=\($0 % 10)" }.joined()
    let mail = MailBytes("Content-Disposition: attachment" + pieces + "\n\n")
    let structure = mail.structure(limits)
    #expect(structure.defects == .tooManyParameters)
    #expect(structure.parts[0].fileName == "0123456789")
  }
}
