import Foundation
import MailCore
import SASL
import Testing

@Suite struct SecretMaskTests {
  private static let secret = "tr0ub4dor&\"3 staple"

  private func mask(_ secret: String = Self.secret, _ kind: SASLCredential.Kind = .password)
    -> SecretMask
  {
    var mask = SecretMask(
      SASLCredential(user: "alice", secret: Secret(secret), kind: kind), host: "imap.example.org",
      port: 993)
    // As LOGIN sends it.
    mask.hide(answer: Array(Self.base64(secret).utf8))
    return mask
  }

  private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  @Test(arguments: [
    secret, "tr0ub4dor&\\\"3 staple", "tr0ub4dor%26%223%20staple", base64(secret),
    base64("\0alice\0" + secret), base64("a" + secret + "zz"), base64("alice \(secret)\r\n"),
    base64("user=alice\u{1}auth=Bearer \(secret)\u{1}\u{1}"),
  ])
  func `every form of the secret is cut out, whole and nothing else`(form: String) {
    #expect(mask().masked("No: \(form) is wrong.") == "No: <secret> is wrong.")
    #expect(mask().masked(form) == "<secret>")
    #expect(mask().masked("(\(form))") == "(<secret>)")
  }

  @Test func `what is cut short is cut out, too, from eight characters on`() {
    for form in [Self.secret, Self.base64("\0alice\0" + Self.secret), Self.base64(Self.secret)] {
      for count in 8..<form.count {
        #expect(mask().masked("no \(form.prefix(count))") == "no <secret>", "\(count)")
        #expect(mask().masked("no \(form.suffix(count))…") == "no <secret>…", "\(count)")
      }
    }
  }

  @Test(arguments: ["\r\n", " ", "\n\t"])
  func `Base64 that was broken into lines is cut out`(lineEnd: String) {
    let whole = Array(Self.base64("\0alice\0" + Self.secret))
    for width in 4..<whole.count {
      let lines = stride(from: 0, to: whole.count, by: width).map {
        String(whole[$0..<min($0 + width, whole.count)])
      }
      let shown = mask().masked("no " + lines.joined(separator: lineEnd))
      #expect(shown == "no <secret>", "\(width): \(shown)")
    }
  }

  @Test func `a token is cut out of what OAuth's messages are made of`() {
    let token = "ya29.A0ARrdaM-k_1~longer+than/that=="
    let mask = mask(token, .accessToken)
    for form in [
      token, Self.base64("user=alice\u{1}auth=Bearer \(token)\u{1}\u{1}"),
      Self.base64(
        "n,a=alice,\u{1}host=imap.example.org\u{1}port=993\u{1}auth=Bearer \(token)\u{1}\u{1}"),
      Self.base64("{\"token\":\"\(token)\"}").replacing("+", with: "-").replacing("/", with: "_"),
    ] {
      #expect(mask.masked("no \(form) no") == "no <secret> no")
    }
  }

  @Test func `words that have little in common with it stay`() {
    for text in [
      "Authentication failed for alice", "", "a", "tr0ub4d", "QWxpY2U= is no staple",
      "2.7.8 Error: authentication failed: authentication failure",
    ] {
      #expect(mask().masked(text) == text)
    }
    // Of a short one only the whole is looked for, and of a very short one nothing.
    #expect(mask("pass1").masked("pass2 pass1 passw") == "pass2 <secret> passw")
    #expect(mask("pw").masked("pw p w") == "pw p w")
  }

  @Test func `bytes that are no text are found in what was made text of them`() {
    let bytes: [UInt8] = [0x70, 0xE4, 0x73, 0x73, 0x77, 0xF6, 0x72, 0x64, 0x31, 0x32]
    var mask = SecretMask()
    mask.hide(Secret(bytes))
    #expect(mask.masked("no \(String(decoding: bytes, as: UTF8.self)) no") == "no <secret> no")
    #expect(mask.masked(Array("no ".utf8) + bytes) == Array("no <secret>".utf8))
  }
}
