import MailCore
import Testing

struct Base64Tests {
  // RFC 4648 §10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ]) func `the RFC's examples hold both ways`(plain: String, encoded: String) {
    #expect(Base64.encode(Array(plain.utf8)) == Array(encoded.utf8))
    #expect(Base64.decode(encoded.utf8) == Array(plain.utf8))
    #expect(Base64.decode(encoded.utf8.filter { $0 != UInt8(ascii: "=") }) == Array(plain.utf8))
  }

  @Test func `any bytes come back`() {
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255) }
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }
  }

  @Test(arguments: [
    "Z", "Zg=", "Zg===", "Z===", "=", "Zg==Zg==", "Zm9v Zg", "Zm9v\r\n", "Zm-_", "Zm9=v",
  ])
  func `what is no Base64 is told apart`(encoded: String) {
    #expect(Base64.decode(Array(encoded.utf8)) == nil)
  }
}
