import MIME
import Testing

@Suite struct AttachmentRuleTests {
  /// Whether the only part of a multipart of that subtype is an attachment.
  private func isAttachment(_ header: String, in subtype: String = "mixed") -> Bool {
    MailBytes("Content-Type: multipart/\(subtype); boundary=b\n\n--b\n\(header)\n\nx\n--b--\n")
      .structure().parts[1].isAttachment
  }

  @Test(arguments: [
    ("Content-Type: text/plain", "mixed", false),
    ("Content-Type: text/plain\nContent-Disposition: attachment", "mixed", true),
    ("Content-Type: text/plain; name=a.txt", "mixed", true),
    ("Content-Type: text/html\nContent-Disposition: inline", "mixed", false),
    ("Content-Type: image/png", "mixed", true),
    ("Content-Type: image/png\nContent-Disposition: inline; filename=a.png", "mixed", true),
    ("Content-Type: image/png; name=a.png\nContent-ID: <i@x>", "related", false),
    (
      "Content-Type: image/png\nContent-ID: <i@x>\nContent-Disposition: attachment", "related", true
    ),
    ("Content-Type: image/png", "related", true),
    ("Content-Type: application/pgp-signature; name=signature.asc", "signed", false),
    (
      "Content-Type: application/pkcs7-signature; name=smime.p7s\nContent-Disposition: attachment",
      "signed", false
    ),
    ("Content-Type: application/pgp-signature; name=signature.asc", "mixed", true),
    ("Content-Type: application/pgp-encrypted", "encrypted", false),
    ("Content-Type: message/delivery-status", "report", false),
    ("Content-Type: message/rfc822", "mixed", false),
    ("Content-Type: message/rfc822\nContent-Disposition: attachment", "mixed", true),
  ])
  func `parts are attachments or not`(header: String, subtype: String, expected: Bool) {
    #expect(isAttachment(header, in: subtype) == expected)
  }

  @Test func `a message that is one file is an attachment`() {
    let mail = MailBytes("Content-Type: application/pdf\n\nx").structure()
    #expect(mail.parts[0].isAttachment)
  }

  @Test func `multiparts are none`() {
    let mail = MailBytes("Content-Type: multipart/mixed; boundary=b; name=x\n\n--b\n\nx\n--b--\n")
    #expect(!mail.structure().parts[0].isAttachment)
  }
}
