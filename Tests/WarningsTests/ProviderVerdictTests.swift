import MIME
import Testing
import Warnings

struct ProviderVerdictTests {
  static func verdict(_ header: String, from: String = "a@bank.com") -> ProviderVerdict {
    Array((header + "\n\nx").utf8).withUnsafeBytes { bytes in
      ProviderVerdict.read(
        HeaderFields(bytes, in: 0..<bytes.count), bytes, authorities: ["mx.home.example"],
        from: from)
    }
  }

  private static let pass =
    "Authentication-Results: mx.home.example; dmarc=pass header.from=bank.com"
  private static let failed = ProviderVerdict.failed(domain: "bank.com", by: "mx.home.example")
  private static let confirmed = ProviderVerdict.confirmed(
    domain: "bank.com", by: "mx.home.example")

  @Test(arguments: [
    pass, "Authentication-Results: MX.home.example 1; dkim=pass header.d=mail.bank.com",
    "Authentication-Results: mx.home.example;\n\tdkim = pass (2048-bit; key) header.i=@bank.com;\n spf=fail",
    "Authentication-Results: mx.home.example; spf=pass (a; b) smtp.mailfrom=bounce@bank.com",
    "Received: by mx2.home.example; date\n" + pass,
    "Received: by 2002:a05:1:b0:0:0 with SMTP id x; date\n" + pass,
    "Authentication-Results: mx.home.example; dkim=fail header.d=bank.com\nAuthentication-Results: mx.home.example; dmarc=pass (p=REJECT) header.from=bank.com",
    "Authentication-Results: other.example; dmarc=fail\n" + pass,
  ]) func `the provider's own result confirms the sender`(header: String) {
    #expect(Self.verdict(header) == Self.confirmed)
  }

  @Test(arguments: [
    "", "Authentication-Results: mx.home.example.evil.test; dmarc=pass header.from=bank.com",
    "Authentication-Results: xmx.home.example; dmarc=pass header.from=bank.com",
    "Received: from x by mx.evil.test; date\n" + pass, "Received: from evil (evil)\n" + pass,
    "Authentication-Results: mx.home.example; dkim=pass header.d=evil.test",
    "Authentication-Results: mx.home.example; dkim=fail header.d=bank.com",
    "Authentication-Results: mx.home.example; dmarc=pass header.from=evil.test",
    "Authentication-Results: mx.home.example; none", "Authentication-Results: mx.home.example",
    "Authentication-Results: dmarc=pass header.from=bank.com", "Authentication-Results: ;;;=;(((",
    "ARC-Authentication-Results: i=1; mx.home.example; dmarc=pass header.from=bank.com",
    "Authentication-Results: mx.home.example; x=\"; dmarc=pass header.from=bank.com\"",
    "Authentication-Results: mx.home.example; x=y (; dmarc=pass header.from=bank.com)",
    "Authentication-Results: mx.home.example; dkim=none\nReceived: by mx.home.example\n" + pass,
  ]) func `what others say, or of others, confirms nobody`(header: String) {
    #expect(Self.verdict(header) == .unknown)
  }

  @Test(arguments: [
    "dmarc=fail (p=REJECT sp=NONE dis=NONE) header.from=bank.com",
    "dmarc=fail action=quarantine header.from=bank.com",
    "dmarc=fail policy.p=reject", "spf=pass smtp.mailfrom=x@bank.com; dmarc=fail(p=quarantine)",
  ]) func `what the owner of the domain wants refused has failed`(results: String) {
    #expect(Self.verdict("Authentication-Results: mx.home.example; \(results)") == Self.failed)
    #expect(
      warnings("Authentication-Results: mx.home.example; \(results)\nFrom: a@bank.com\n\nx") == [
        .authenticationFailed
      ])
  }

  @Test(arguments: [
    "dmarc=fail (p=NONE)", "dmarc=fail", "dmarc=fail action=none",
    "arc=pass; dmarc=fail (p=REJECT)", "dmarc=temperror",
    "dkim=pass header.d=bank.com; dmarc=fail (p=reject)",
  ]) func `what nobody wants refused has not`(results: String) {
    #expect(Self.verdict("Authentication-Results: mx.home.example; \(results)") != Self.failed)
  }

  @Test func `lists may break what they send on`() {
    let header =
      "Authentication-Results: mx.home.example; dmarc=fail (p=reject)\nList-Id: <l.test>\nFrom: a@bank.com"
    #expect(warnings(header + "\n\nx") == [])
  }

  @Test func `the provider's name is learned from what stands topmost`() {
    let mine = [String?](repeating: "mx.home.example", count: 48)
    #expect(ProviderVerdict.learned(from: mine + ["x", nil]) == "mx.home.example")
    #expect(ProviderVerdict.learned(from: mine + ["x", nil, "y"]) == nil)
    #expect(ProviderVerdict.learned(from: Array(mine.prefix(9))) == nil)
  }
}
