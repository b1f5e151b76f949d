import MIME
import Testing
import Warnings

struct SignedBodyTests {
  /// `bh=` by dkimpy 1.1.4 of the body "Hello  world \n\tx\n\n\n".
  private static let hashes = [
    "simple rsa-sha256": "FEqctr1k0R0v4qQHN4vKMrfIMDTbFo2urmqqMtxMs8c=",
    "relaxed rsa-sha256": "E3xn9vbR8VEhozb3jlKwvCzlBf4hCC+zU9iMkHI8Wgg=",
    "simple rsa-sha1": "7XbM/Ob0x2uaG8QaQqG2gpQ1vwU=",
    "relaxed ed25519-sha256": "E3xn9vbR8VEhozb3jlKwvCzlBf4hCC+zU9iMkHI8Wgg=",
  ]
  private static let body = "Hello  world \n\tx\n\n\n"

  private static func check(
    _ signatures: [String], body: String = body, from: String? = "bank.com"
  ) -> SignedBody {
    let message =
      signatures.map { "DKIM-Signature: v=1; \($0)\n" }.joined() + "From: a@bank.com\n\n" + body
    return Array(message.utf8).withUnsafeBytes { bytes in
      SignedBody.check(HeaderFields(bytes, in: 0..<bytes.count), bytes, from: from)
    }
  }

  private static func signature(_ kind: String, length: Int? = nil) -> String {
    let words = kind.split(separator: " ")
    return
      "a=\(words[1]); d=bank.com; c=relaxed/\(words[0]);\n\t\(length.map { "l=\($0); " } ?? "")bh=\(hashes[kind] ?? ""); b=AAAA"
  }

  @Test(arguments: hashes.keys.sorted()) func `a body as it was signed is known again`(kind: String)
  {
    #expect(Self.check([Self.signature(kind)]) == .unchanged(domain: "bank.com"))
    #expect(
      Self.check([Self.signature(kind)], body: Self.body.replacing("\n", with: "\r\n"))
        == .unchanged(domain: "bank.com"))
    #expect(
      Self.check([Self.signature(kind)], body: Self.body + "\n\n") == .unchanged(domain: "bank.com")
    )
    #expect(
      Self.check([Self.signature(kind)], body: Self.body + "more") == .changed(domain: "bank.com"))
  }

  @Test func `relaxed, blanks may change, and simple they may not`() {
    let other = "Hello world\n x\n"
    #expect(
      Self.check([Self.signature("relaxed rsa-sha256")], body: other)
        == .unchanged(domain: "bank.com"))
    #expect(
      Self.check([Self.signature("simple rsa-sha256")], body: other) == .changed(domain: "bank.com")
    )
  }

  @Test func `one signature that fits is enough`() {
    let wrong = "a=rsa-sha256; d=other.test; bh=AAAA; b=AAAA"
    #expect(
      Self.check([wrong, Self.signature("simple rsa-sha256")]) == .unchanged(domain: "bank.com"))
    #expect(Self.check([wrong]) == .changed(domain: "other.test"))
  }

  @Test
  func `who changes a message may sign it, and the sender's own signature tells all the same`() {
    let (own, other) = ("a=rsa-sha256; d=bank.com; bh=AAAA; b=AAAA", "d=lists.test")
    let fits = Self.signature("simple rsa-sha256")
    let foreign = fits.replacing("d=bank.com", with: other)
    for signatures in [[own, foreign], [foreign, own]] {
      #expect(Self.check(signatures) == .changed(domain: "bank.com"))
    }
    let subdomain = own.replacing("bank.com", with: "mail.bank.com")
    #expect(Self.check([foreign, subdomain]) == .changed(domain: "mail.bank.com"))
    // One of several by the sender is enough; of others only where the sender did not sign.
    #expect(Self.check([own, fits]) == .unchanged(domain: "bank.com"))
    #expect(Self.check([foreign]) == .unchanged(domain: "lists.test"))
    #expect(Self.check([own, foreign], from: "shop.test") == .unchanged(domain: "lists.test"))
    #expect(Self.check([own, foreign], from: nil) == .unchanged(domain: "lists.test"))
    // Nor do many foreign ones leave no room for it.
    let many = Array(repeating: foreign, count: 20)
    #expect(Self.check(many + [own]) == .changed(domain: "bank.com"))
    // One that says nothing is none.
    #expect(
      Self.check(["a=rsa-sha256; d=bank.com; b=AAAA", foreign]) == .unchanged(domain: "lists.test"))
  }

  @Test func `what follows the signed bytes is nobody's`() {
    // "Hello world" and its line end.
    let signed =
      "a=rsa-sha256; d=bank.com; c=simple/relaxed; l=13; bh=yGIXoM91E1DiKjvCBcC8NlWyw54TdfMQ08sdtwtOO4I=; b=AAAA"
    #expect(Self.check([signed]) == .unchangedBeginning(domain: "bank.com", bytes: 13))
    #expect(Self.check([signed.replacing("l=13", with: "l=9999")]) == .changed(domain: "bank.com"))
  }

  @Test(arguments: [
    "a=rsa-sha512; d=x; bh=AAAA; b=AAAA", "a=rsa-sha256; d=x; b=AAAA",
    "a=rsa-sha256; bh=AAAA; b=AAAA", "nonsense", "a=rsa-sha256; d=x; bh=!!; b=AAAA",
    "a=rsa-sha256; d=x; d=y; bh=AAAA; b=AAAA", "a=rsa-sha256; d=x; l=-1; bh=AAAA; b=AAAA",
    "a=rsa-sha256; d=x; bh=AAAA", "a=rsa-sha256; d=x; bh=AAAA; b=",
    "a=rsa-sha256; d=x; bh=AAAA; b=...", "a=rsa-sha256; d=x; bh=AAAA; b=AAA",
  ]) func `a signature that cannot be read says nothing`(signature: String) {
    #expect(Self.check([signature]) == .unsigned)
  }

  @Test func `an empty body is a line end if simple, and nothing if relaxed`() {
    #expect(
      Self.check(
        ["a=rsa-sha256; d=x; bh=frcCV1k9oG9oKj3dpUqdJg1PxRT2RSN/XKdLCPjaYaY=; b=AAAA"], body: "")
        == .unchanged(domain: "x"))
    #expect(
      Self.check(
        [
          "a=rsa-sha256; d=x; c=simple/relaxed; bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA"
        ],
        body: "\n\n") == .unchanged(domain: "x"))
    #expect(
      Self.check(["a=rsa-sha1; d=x; bh=uoq1oCgLlTqpdDX/iUbLy7J1Wic=; b=AAAA"], body: "")
        == .unchanged(domain: "x"))
  }

  @Test func `a changed body is told, on lists not`() {
    let message = "DKIM-Signature: a=rsa-sha256; d=bank.com; bh=AAAA; b=AAAA\nFrom: a@bank.com\n"
    #expect(warnings(message + "\nx") == [.bodyChanged])
    #expect(warnings(message + "List-Id: <l.test>\n\nx") == [])
    #expect(warnings(message + "Precedence: bulk\n\nx") == [.bodyChanged])
  }
}
