import SASL
import Testing
import Transport

/// The digests that Transport brings, against published values.
struct DigestTests {
  private let digests = SASLDigests.openSSL

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test(arguments: [
    (SASLDigests.Algorithm.md5, "900150983cd24fb0d6963f7d28e17f72"),  // RFC 1321
    (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),  // RFC 3174
    (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),  // RFC 6234
  ]) func `hashes are right`(algorithm: SASLDigests.Algorithm, expected: String) throws {
    #expect(try hex(digests.hash(algorithm, Array("abc".utf8))) == expected)
  }

  // RFC 2202 and RFC 4231, test case 2; and the empty key.
  @Test(arguments: [
    (SASLDigests.Algorithm.md5, "750c783e6ab0b503eaa86e310a5db738"),
    (.sha1, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
    (.sha256, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
  ]) func `keyed hashes are right`(algorithm: SASLDigests.Algorithm, expected: String) throws {
    let message = Array("what do ya want for nothing?".utf8)
    #expect(try hex(digests.hmac(algorithm, Array("Jefe".utf8), message)) == expected)
    let padded = try digests.hmac(algorithm, [0, 0, 0], message)
    #expect(try digests.hmac(algorithm, [], message) == padded)
  }

  // RFC 6070 for SHA-1; RFC 7914 §11 has SHA-256 (first 32 bytes).
  @Test func `derived keys are right`() throws {
    let sha1 = try digests.pbkdf2(.sha1, Array("password".utf8), Array("salt".utf8), 4096)
    #expect(hex(sha1) == "4b007901b765489abead49d926f721d065a429c1")
    let sha256 = try digests.pbkdf2(.sha256, Array("passwd".utf8), Array("salt".utf8), 1)
    #expect(hex(sha256) == "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc")
  }

  @Test func `random bytes differ each time`() throws {
    #expect(try digests.randomBytes(18) != digests.randomBytes(18))
  }
}
