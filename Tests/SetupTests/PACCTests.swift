import Testing

@testable import Setup

@Suite struct PACCTests {
  private let digest = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

  private func service(_ text: String) throws -> MailService? {
    let address = try EmailAddress("ann@example.org")
    return PACCDocument(Array(text.utf8))?.service(for: address)
  }

  @Test func `hosts are read, with the usual ports and the address as the user`() throws {
    let text = """
      {"protocols": {"imap": {"host": "IMAP.example.net"}, "smtp": {"host": "smtp.example.net"},
        "jmap": {"url": "https://jmap.example.net"}}, "authentication": {"password": true},
       "info": {"provider": {"name": "Example Mail of Somewhere", "shortName": "Example"}}}
      """
    let service = try #require(try service(text))
    #expect(service.origin == .pacc && service.provider == "Example")
    #expect(
      service.imap
        == ServerOffer(host: "imap.example.net", port: 993, tls: .implicit, user: "ann@example.org")
    )
    #expect(service.smtp?.port == 465 && service.smtp?.host == "smtp.example.net")
  }

  @Test(arguments: [
    "", "<html>", "[]", #"{"protocols": 5}"#, #"{"info": {}}"#,
    #"{"protocols": {"imap": {"port": 993}}}"#,
  ]) func `what is no description is refused`(text: String) throws {
    #expect(try service(text) == nil)
  }

  @Test(arguments: ["a b.org", "-oops.org", "x;y.org", "localhost", "x..org", "[::1]", "ü.org", ""])
  func `only host names are let through`(host: String) throws {
    let service = try service(#"{"protocols": {"imap": {"host": "\#(host)"}}}"#)
    #expect(service?.imap == nil)
  }

  @Test func `the record of DNS names the digest`() {
    #expect(PACCDigest("v=UAAC1; a=sha256; d=\(digest)")?.sha256.count == 32)
    #expect(PACCDigest("v=UAAC1;a=sha256;d=\(digest);x=later")?.sha256.first == 0xE3)
    for record in [
      "", "v=spf1 -all", "v=UAAC2; a=sha256; d=\(digest)", "v=UAAC1; a=md5; d=\(digest)",
      "v=UAAC1; a=sha256; d=AAAA", "v=UAAC1; a=sha256; d=\(digest); d=\(digest)",
    ] {
      #expect(PACCDigest(record) == nil, "\(record)")
    }
  }
}
