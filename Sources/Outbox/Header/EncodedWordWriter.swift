/// Writes text beyond ASCII as encoded words (RFC 2047), folded, the Q form.
enum EncodedWordWriter {
  /// RFC 2047 §2: a word has at most 75 characters.
  private static let room = 75 - "=?utf-8?q??=".utf8.count

  /// The text as it stands where it is plain ASCII, else words with a fold between them.
  ///
  /// What could drive a line or a terminal is encoded, so no text can begin another field.
  static func unstructured(_ text: String) -> String {
    isPlain(text) ? text : words(text)
  }

  /// A display name: plain, quoted, or encoded words.
  static func phrase(_ name: String) -> String {
    guard isPlain(name) else { return words(name) }
    if name.utf8.allSatisfy({ isAtomText($0) || $0 == 0x20 }) { return name }
    var quoted = "\""
    for character in name.unicodeScalars {
      if character == "\"" || character == "\\" { quoted += "\\" }
      quoted.unicodeScalars.append(character)
    }
    return quoted + "\""
  }

  private static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && !text.contains("=?")
      && text.utf8.count < 900
  }

  private static func words(_ text: String) -> String {
    var words: [String] = []
    var word = ""
    for character in text.unicodeScalars {
      let letters = encoded(character)
      // Never within a character (RFC 2047 §5).
      if word.utf8.count + letters.utf8.count > room {
        words.append(word)
        word = ""
      }
      word += letters
    }
    if !word.isEmpty { words.append(word) }
    return words.map { "=?utf-8?q?\($0)?=" }.joined(separator: "\n ")
  }

  /// RFC 2047 §5 (3): what may stand in a phrase, so that the words fit anywhere.
  private static func encoded(_ character: Unicode.Scalar) -> String {
    if character == " " { return "_" }
    var text = ""
    for byte in UTF8.encode(character) ?? UTF8.encodedReplacementCharacter {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "!"), UInt8(ascii: "*"),
        UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "/"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let hex = String(byte, radix: 16, uppercase: true)
        text += hex.count == 1 ? "=0\(hex)" : "=\(hex)"
      }
    }
    return text
  }

  // atext, RFC 5322 §3.2.3
  private static func isAtomText(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }
  }
}
