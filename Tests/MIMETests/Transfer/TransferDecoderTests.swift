import MIME
import Testing

struct TransferDecoderTests {
  static func decoded(_ text: String, _ encoding: TransferEncoding) -> (String, Bool) {
    var bytes: [UInt8] = []
    let isDamaged = Array(text.utf8).withUnsafeBytes {
      TransferDecoder.decode($0, encoding, into: &bytes)
    }
    return (String(decoding: bytes, as: UTF8.self), isDamaged)
  }

  static func size(_ text: String, _ encoding: TransferEncoding) -> Int {
    Array(text.utf8).withUnsafeBytes { TransferDecoder.decodedSize($0, encoding) }
  }

  @Test(arguments: [
    ("", "", false), ("aGVsbG8=", "hello", false), ("aGVs\r\nbG8=\r\n", "hello", false),
    ("aGVsbG8", "hello", false), ("aGVs!bG8=", "hello", true),
    ("aGVsbG8=aGVsbG8=", "hellohello", false),
    ("aGVsbG9h", "helloa", false), ("a", "", true), ("aG Vs\tbG\n8=", "hello", false),
    ("====", "", false),
    ("aGVsbA==\n\n-- \nfooter", "hell", true), ("aGVsbA==\n--b--\n", "hell", true),
    ("aGVsbA==\naGVsbA==\n", "hellhell", false), ("aGVs\r\n\r\n____\r\nmy list\r\n", "hel", true),
    ("aGVs\n\nbG8=\n", "hello", false),
  ]) func `base64 takes what is of its alphabet`(text: String, expected: String, isDamaged: Bool) {
    let (decoded, damaged) = Self.decoded(text, .base64)
    #expect(decoded == expected)
    #expect(damaged == isDamaged)
  }

  @Test(arguments: [TransferEncoding.quotedPrintable, .base64, .uuencode, .identity])
  func `a limit takes the beginning of the same text`(encoding: TransferEncoding) {
    let texts = ["=c3=A9=\n", "b =c3 \r\n=\r\nx=a-", "aGVs\nbG8=", "begin 644 x\n#0V%T\n`\nend\n"]
    for text in texts {
      let body = Array(String(repeating: text, count: 20).utf8)
      body.withUnsafeBytes { body in
        var whole: [UInt8] = []
        TransferDecoder.decode(body, encoding, into: &whole)
        for limit in 0...body.count {
          var few: [UInt8] = []
          TransferDecoder.decode(body, encoding, into: &few, limit: limit)
          #expect(whole.starts(with: few), "limit \(limit)")
          #expect(limit < 32 || !few.isEmpty || whole.isEmpty, "limit \(limit)")
        }
      }
    }
  }

  @Test(arguments: [
    ("a=20b", "a b", false), ("a=\nb", "ab", false), ("a=\r\nb", "ab", false),
    ("a=  \nb", "ab", false),
    ("a  \nb", "a\nb", false), ("a \t\r\nb", "a\r\nb", false), ("a  ", "a", false),
    ("=c3=A9", "é", false),
    ("a=zz", "a=zz", true), ("a=", "a", false), ("a=4", "a=4", true), ("a==\nb", "a=b", true),
    ("\n\n", "\n\n", false), ("a\r\n\r\nb", "a\r\n\r\nb", false), ("a=20  \n", "a \n", false),
    ("a\rb", "a\rb", false),
  ]) func `quoted-printable keeps what is no escape`(
    text: String, expected: String, isDamaged: Bool
  ) {
    let (decoded, damaged) = Self.decoded(text, .quotedPrintable)
    #expect(decoded == expected)
    #expect(damaged == isDamaged)
  }

  @Test func `uuencode is read with and without its begin line`() {
    let lines = "#0V%T\n`\nend\n"
    #expect(Self.decoded("begin 644 cat.txt\n" + lines, .uuencode).0 == "Cat")
    #expect(
      Self.decoded("\r\ntext\r\nbegin 644 cat.txt\r\n#0V%T\r\n`\r\nend\r\n", .uuencode).0 == "Cat")
    #expect(Self.decoded(lines, .uuencode).0 == "Cat")
    #expect(Self.size("begin 644 cat.txt\n" + lines, .uuencode) == 3)
  }

  @Test func `decoded sizes are right without decoding`() {
    for length in [0, 1, 2, 3, 56, 57, 58, 1000, 5700, 5701, 9999] {
      for lineBreak in ["\n", "\r\n"] {
        let encoded = Self.base64(Array(repeating: 0x41, count: length))
        var text = ""
        for start in stride(from: 0, to: encoded.count, by: 76) {
          text += encoded.dropFirst(start).prefix(76) + lineBreak
        }
        #expect(Self.size(text, .base64) == length, "\(length)")
        #expect(Self.size(lineBreak + text, .base64) == length, "\(length) after an empty line")
        #expect(Self.size(encoded, .base64) == length)
      }
    }
    #expect(Self.size("aGVs\nbG9oZWxs\nbw==\n", .base64) == 10)
    #expect(Self.size("a=20b=\r\nc=zz", .quotedPrintable) == 7)
    #expect(Self.size("abc", .identity) == 3)
  }

  @Test func `random bytes come back`() {
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255) }
      var decoded: [UInt8] = []
      let text = Array(Self.base64(bytes).utf8)
      let isDamaged = text.withUnsafeBytes { TransferDecoder.decode($0, .base64, into: &decoded) }
      #expect(decoded == bytes)
      #expect(!isDamaged)
    }
  }

  @Test(arguments: [
    ("7bit", TransferEncoding.identity), (" 8BIT ", .identity), ("7-bit", .identity),
    ("binary", .identity),
    ("Quoted-Printable", .quotedPrintable), ("quoted_printable;", .quotedPrintable),
    ("qp ", .quotedPrintable),
    ("base64 (comment)", .base64), ("\"base64\"", .base64), ("x-uuencode", .uuencode),
    ("spam", .unknown),
    ("text/html", .unknown), ("", .identity),
  ]) func `encoding names are read forgivingly`(name: String, encoding: TransferEncoding) {
    #expect(Array(name.utf8).withUnsafeBytes { TransferEncoding(headerValue: $0) } == encoding)
  }

  static func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var word = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      var digits: [Character] = []
      for _ in 0..<4 {
        digits.append(alphabet[word & 63])
        word >>= 6
      }
      text +=
        String(digits.reversed().prefix(group.count + 1))
        + String(repeating: "=", count: 3 - group.count)
    }
    return text
  }
}
