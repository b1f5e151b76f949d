import MIME
import Testing

struct CharsetTests {
  static func text(_ bytes: [UInt8], _ label: String?) -> String {
    var text: [UInt8] = []
    bytes.withUnsafeBytes { _ = Charset.appendUTF8($0, label: label, into: &text) }
    return String(decoding: text, as: UTF8.self)
  }

  static func fidelity(_ bytes: [UInt8], _ label: String?) -> CharsetFidelity {
    var text: [UInt8] = []
    return bytes.withUnsafeBytes { Charset.appendUTF8($0, label: label, into: &text) }
  }

  @Test(
    arguments: [
      ("iso-8859-1", [0x80, 0x93, 0xE9], "€“é"),
      ("latin1", [0x92, 0xE4], "’ä"),
      ("ISO_8859-15", [0xA4], "€"),
      ("iso-8859-2", [0xB1, 0xE8], "ąč"),
      ("latin5", [0xFE], "ş"),
      ("windows-1250", [0x9C], "ś"),
      ("cp1251", [0xCF, 0xF0, 0xE8], "При"),
      ("koi8-r", [0xF0, 0xD2, 0xC9], "При"),
      ("koi8-u", [0xA4], "є"),
      ("windows-874", [0xA1], "ก"),
      ("gb2312", [0xC4, 0xE3, 0xBA, 0xC3], "你好"),
      ("gb2312", [0x81, 0x30, 0x81, 0x30], "\u{80}"),
      ("big5", [0xA7, 0x41, 0xA6, 0x6E], "你好"),
      ("ks_c_5601-1987", [0xB0, 0xA1, 0x8C, 0x63], "가똠"),
      ("Shift_JIS", [0x93, 0xFA, 0x87, 0x40, 0x5C], "日①\\"),
      ("euc-jp", [0xC6, 0xFC, 0xAD, 0xA1], "日①"),
      ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x2D, 0x21, 0x1B, 0x28, 0x42, 0x61], "日①a"),
      ("iso-2022-jp", [0x1B, 0x28, 0x49, 0x31, 0x32, 0x1B, 0x28, 0x42], "ｱｲ"),
      ("hz-gb-2312", Array("a~{<:Ky~}~~".utf8), "a己所~"),
      ("utf-7", Array("Hi +Jjo-!".utf8), "Hi ☺!"),
      ("unicode-1-1-utf-7", Array("+AOk-".utf8), "é"),
      ("utf-16", [0xFF, 0xFE, 0x3D, 0xD8, 0x00, 0xDE], "😀"),
      ("utf-16", [0, 0x41, 0, 0x42], "AB"),
      ("utf-16le", [0x41, 0, 0x42, 0], "AB"),
      ("windows-1258", [0x61, 0xEC], "a\u{301}"),
      ("\"utf-8\"; x", [0xC3, 0xA9], "é"),
      (" UTF8 ", [0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"),
      ("macintosh", [0x8E], "é"),
      ("cp850", [0x82], "é"),
      ("iso-2022-kr", [0x1B, 0x24, 0x29, 0x43, 0x0E, 0x30, 0x21, 0x0F], "가"),
    ] as [(String, [UInt8], String)])
  func `a label is read as the WHATWG standard says`(label: String, bytes: [UInt8], text: String) {
    // Canonically equal is enough: libraries compose Vietnamese differently.
    #expect(Self.text(bytes, label) == text)
    #expect(Self.fidelity(bytes, label) == .exact)
  }

  @Test func `text without a label is guessed`() {
    #expect(Self.text([0xC3, 0xA9], nil) == "é")
    #expect(Self.text([0x63, 0xE9, 0x80], nil) == "cé€")
    #expect(Self.text([0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42], nil) == "日")
    #expect(Self.text([0x63, 0xE9], "unknown-8bit") == "cé")
    #expect(Self.text([0x63, 0xE9], "no-such-charset") == "cé")
    #expect(Self.fidelity([0x63, 0xE9], nil) == .guessed)
  }

  /// Bytes made by Python's codecs.
  @Test(
    arguments: [
      (
        "shift_jis", "82a882cd82e682a482b282b482a282dc82b7814293fa967b8cea82c582b78142",
        "おはようございます。日本語です。"
      ),
      ("euc-jp", "a4aaa4cfa4e8a4a6a4b4a4b6a4a4a4dea4b9a1a3", "おはようございます。"),
      ("gbk", "c4e3bac3a3accac0bde7a1a3d5e2cac7d6d0cec4d3cabcfea1a3", "你好，世界。这是中文邮件。"),
      ("euc-kr", "bec8b3e7c7cfbcbcbfe420bfa9b7afbad020b8dec0cfc0d4b4cfb4d9", "안녕하세요 여러분 메일입니다"),
      ("cp1251", "cff0e8e2e5f22c20ddf2ee20f0f3f1f1eae8e920f2e5eaf1f2", "Привет, Это русский текст"),
      ("koi8-r", "f0d2c9d7c5d42c20fcd4cf20d2d5d3d3cbc9ca20d4c5cbd3d4", "Привет, Это русский текст"),
      (
        "cp1253", "cae1ebe7ecddf1e12c20e1f5f4fc20e5dfede1e920e5ebebe7ede9eafc20eae5dfece5edef",
        "Καλημέρα, αυτό είναι ελληνικό κείμενο"
      ),
      ("cp1255", "f9ece5ed20ecebe5eced20e6e420e8f7f1e820e1f2e1f8e9fa", "שלום לכולם זה טקסט בעברית"),
      (
        "big5", "b17aa66ea141a540acc9a143b36fac4fa4a4a4e5b66ca5f3a141bdd0ac64a6acaafea5f3a143",
        "您好，世界。這是中文郵件，請查收附件。"
      ),
    ] as [(String, String, String)])
  func `text of other scripts is told by its bytes`(label: String, hex: String, text: String) {
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: hex.utf8.count, by: 2) {
      bytes.append(UInt8(hex.dropFirst(index).prefix(2), radix: 16)!)
    }
    #expect(Self.text(bytes, nil) == Self.text(bytes, label))
    #expect(Self.text(bytes, "us-ascii") == Self.text(bytes, label))
    #expect(Self.text(bytes, nil) == text)
  }

  @Test(arguments: [
    "Müller, Jürgen; Größe äöüß über Straße Öl", "Éléphant à l'école où ça été naïf garçon",
    "¿Qué pasó? ¡Año nuevo!",
    "Årsmøde på Ærø, blåbærgrød", "«Cher» — œuvre", "££££ €€€€ ÄÖÜÄÖÜÄÖÜ",
    "Não, coração é português à mão",
  ]) func `western text is not taken for another script`(text: String) {
    let bytes = text.unicodeScalars.map { scalar -> UInt8 in
      switch scalar {
      case "€": 0x80
      case "—": 0x97
      case "œ": 0x9C
      default: UInt8(scalar.value)
      }
    }
    #expect(Self.text(bytes, nil) == text)
  }

  @Test func `a label that cannot be true gives way`() {
    #expect(Self.text(Array("naïve".utf8), "us-ascii") == "naïve")
    #expect(Self.text(Array("naïve".utf8), "iso-8859-1") == "naïve")
    #expect(Self.text([0x6E, 0x61, 0xEF, 0x76, 0x65], "utf-8") == "naïve")
    #expect(Self.text(Array("ü💡 日本語です。".utf8), "shift_jis") == "ü💡 日本語です。")
  }

  @Test func `a footer of another charset does not spoil UTF-8 text`() {
    #expect(Self.text(Array("für Öl ".utf8) + [0xE9, 0x21], "utf-8") == "für Öl é!")
    #expect(Self.fidelity(Array("für Öl ".utf8) + [0xE9, 0x21], "utf-8") == .damaged)
  }

  @Test func `a character cut off by the end is replaced`() {
    #expect(Self.text(Array("für".utf8) + [0xE2, 0x82], "utf-8") == "für\u{FFFD}")
    #expect(Self.text([0xC4, 0xE3, 0xBA], "gbk") == "你\u{FFFD}")
    #expect(Self.text([0x41, 0, 0x42], "utf-16le") == "A")
  }

  @Test func `NULs are dropped`() {
    for label in ["utf-8", "us-ascii", "koi8-r", "gb2312", "iso-2022-jp", "utf-7"] {
      #expect(Self.text([0x61, 0, 0x62], label) == "ab", "\(label)")
    }
  }

  @Test func `whatever the bytes the result is valid UTF-8 without NULs`() {
    var random = SystemRandomNumberGenerator()
    let labels = [
      "utf-8", "us-ascii", "windows-1252", "koi8-r", "gb2312", "big5", "euc-jp", "shift_jis",
      "euc-kr",
      "iso-2022-jp", "iso-2022-kr", "iso-2022-cn", "hz", "utf-7", "utf-16", "utf-32", "johab",
      "euc-tw",
      "tcvn", "viscii", "windows-1258", nil,
    ]
    for round in 0..<2000 {
      let label = labels[round % labels.count]
      let bytes = (0..<Int.random(in: 0..<64, using: &random)).map { _ in
        Bool.random()
          ? UInt8.random(in: 0...255, using: &random)
          : [0x1B, 0x24, 0x42, 0x28, 0x7E].randomElement()!
      }
      var text: [UInt8] = []
      bytes.withUnsafeBytes { _ = Charset.appendUTF8($0, label: label, into: &text) }
      #expect(String(validating: text, as: UTF8.self) != nil, "\(label ?? "nil") \(bytes)")
      #expect(!text.contains(0), "\(label ?? "nil") \(bytes)")
    }
  }

  @Test func `handles serve many threads`() async {
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<16 {
        group.addTask {
          (0..<200).allSatisfy { _ in Self.text([0xC4, 0xE3, 0xBA, 0xC3], "gbk") == "你好" }
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  @Test(arguments: 0...40) func `scanning finds the first odd byte at any place`(place: Int) {
    var bytes = [UInt8](repeating: 0x61, count: 41)
    bytes[place] = 0
    #expect(bytes.withUnsafeBytes { UTF8Scan.asciiEnd($0) } == place)
    bytes[place] = 0x80
    #expect(bytes.withUnsafeBytes { UTF8Scan.validEnd($0) } == place)
    bytes[place] = 0x01
    #expect(bytes.withUnsafeBytes { UTF8Scan.validEnd($0) } == 41)
  }
}
