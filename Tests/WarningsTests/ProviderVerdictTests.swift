import MIME
import Testing
import Warnings

struct ProviderVerdictTests {
  static func verdict(
    _ header: String, from: String = "a@bank.com", authority: String = "mx.home.example"
  ) -> ProviderVerdict {
    Array((header + "\n\nx").utf8).withUnsafeBytes { bytes in
      ProviderVerdict.read(
        HeaderFields(bytes, in: 0..<bytes.count), bytes, authorities: [authority], from: from)
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
    "Authentication-Results: other.example; dmarc=fail\n" + pass,
  ]) func `the provider's own result confirms the sender`(header: String) {
    #expect(Self.verdict(header) == Self.confirmed)
  }

  @Test(arguments: ["2002:a05:1:b0:0:0", "10.2.3.4", "mx.google.com"])
  func `Gmail's inner hosts have no names`(host: String) {
    let rest =
      "with SMTP id x; date\nAuthentication-Results: mx.google.com; dmarc=pass header.from=bank.com"
    #expect(
      Self.verdict("Received: by \(host) \(rest)", authority: "mx.google.com")
        == .confirmed(domain: "bank.com", by: "mx.google.com"))
    #expect(
      Self.verdict("Received: by 2002:b05:1:: \(rest)", authority: "mx.google.com") == .unknown)
  }

  @Test(arguments: [
    "dmarc=fail (p=none) header.from=bank.com; dkim=pass header.d=bank.com",
    "dmarc=fail; dkim=pass header.d=mail.bank.com; spf=pass smtp.mailfrom=bank.com",
    "dkim=pass header.d=other.com.zz", "dkim=pass header.d=news.bank.com",
  ]) func `what DMARC lets fail is never confirmed, nor what only a list of suffixes puts together`(
    results: String
  ) {
    let from =
      results.hasSuffix(".zz")
      ? "a@bank.com.zz" : results.hasSuffix("news.bank.com") ? "a@mail.bank.com" : "a@bank.com"
    #expect(
      Self.verdict("Authentication-Results: mx.home.example; \(results)", from: from) == .unknown)
  }

  @Test(arguments: [
    "=?utf-8?q?mx=2Ehome=2Eexample?=", "=?utf-8?b?bXguaG9tZS5leGFtcGxl?=", "ｍｘ.home.example",
    "mx.home.example\u{200B}",
  ]) func `a provider's name is believed in no other spelling`(name: String) {
    #expect(
      Self.verdict("Authentication-Results: \(name); dmarc=pass header.from=bank.com") == .unknown)
  }

  @Test(arguments: [
    "[127.0.0.1]", "localhost", "mx", "[::1]", "2002:a05:1::", "192.0.2.1",
    "home.example.evil.test",
  ])
  func `a host that anybody may be is not the provider's`(host: String) {
    #expect(Self.verdict("Received: from x by \(host) with SMTP; date\n" + Self.pass) == .unknown)
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
    "Authentication-Results: mx.home.example; dkim=none\n" + pass,
    "Authentication-Results: mx.home.example; spf=none; dmarc=none\nSubject: x\nAuthentication-Results: mx.home.example; dkim=pass header.d=bank.com",
    "Authentication-Results: mx.home.example\n" + pass,
  ]) func `what others say, or of others, confirms nobody`(header: String) {
    #expect(Self.verdict(header) == .unknown)
  }

  @Test(arguments: [
    "dmarc=fail (p=REJECT sp=NONE dis=NONE) header.from=bank.com",
    "dmarc=fail action=quarantine header.from=bank.com",
    "dmarc=fail policy.p=reject", "arc=pass; dmarc=fail (p=REJECT)",
    "dkim=pass header.d=bank.com; dmarc=fail (p=reject)",
    "spf=pass smtp.mailfrom=x@bank.com; dmarc=fail(p=quarantine)",
  ]) func `what the owner of the domain wants refused has failed`(results: String) {
    #expect(Self.verdict("Authentication-Results: mx.home.example; \(results)") == Self.failed)
    #expect(
      warnings("Authentication-Results: mx.home.example; \(results)\nFrom: a@bank.com\n\nx") == [
        .authenticationFailed
      ])
  }

  @Test(arguments: [
    "x-csa=none; x-ptr=pass smtp.helo=x\nAuthentication-Results: mx.home.example; dkim=none; dmarc=fail (p=reject); spf=none",
    "spf=pass smtp.mailfrom=evil.test\nAuthentication-Results: mx.home.example; dmarc=fail (p=reject)",
    "dkim=none\nX-Spam: no\nAuthentication-Results: mx.home.example; dmarc=fail (p=reject)",
  ]) func `a field for each method says that one failed, wherever it stands`(results: String) {
    #expect(Self.verdict("Authentication-Results: mx.home.example; \(results)") == Self.failed)
  }

  @Test func `a field of the provider's own tests is passed over`() {
    let own = "Authentication-Results: mx.home.example; x-csa=none; x-ptr=pass smtp.helo=x\n"
    #expect(Self.verdict(own + Self.pass) == Self.confirmed)
    #expect(Self.verdict(own + "Received: by mx.evil.test; date\n" + Self.pass) == .unknown)
    // What the first one said of DMARC holds.
    let fail = "\nAuthentication-Results: mx.home.example; dmarc=fail (p=reject)"
    #expect(Self.verdict(Self.pass + fail) == Self.confirmed)
  }

  @Test(arguments: [
    "dmarc=fail (p=NONE)", "dmarc=fail", "dmarc=fail action=none",
    "dmarc=temperror",
  ]) func `what nobody wants refused has not`(results: String) {
    #expect(Self.verdict("Authentication-Results: mx.home.example; \(results)") != Self.failed)
  }

  @Test func `lists that the reader knows may break what they send on, and no others`() {
    func kinds(_ results: String, lists: Set<String> = ["talk.lists.test"]) -> [MessageWarning.Kind]
    {
      warnings(
        "Authentication-Results: mx.home.example; dmarc=fail (p=reject)\(results)\n"
          + "List-Id: Talk <talk.lists.test>\nPrecedence: bulk\nFrom: a@bank.com\n\nx", lists: lists
      )
    }
    #expect(kinds("; spf=pass smtp.mailfrom=talk-bounces@lists.test") == [])
    #expect(kinds("; dkim=pass header.d=lists.test") == [])
    #expect(kinds("") == [.authenticationFailed])
    // Known, and sent by somebody else; sent by whom it says, and not known.
    #expect(kinds("; spf=pass smtp.mailfrom=x@evil.test") == [.authenticationFailed])
    #expect(kinds("; arc=pass") == [.authenticationFailed])
    #expect(kinds("; spf=pass smtp.mailfrom=x@lists.test", lists: []) == [.authenticationFailed])
  }

  @Test func `the provider's name is learned from what stands topmost`() {
    let mine = [String?](repeating: "mx.home.example", count: 48)
    #expect(ProviderVerdict.learned(from: mine + ["x", nil]) == "mx.home.example")
    #expect(ProviderVerdict.learned(from: mine + ["x", nil, "y"]) == nil)
    #expect(ProviderVerdict.learned(from: Array(mine.prefix(9))) == nil)
  }
}
