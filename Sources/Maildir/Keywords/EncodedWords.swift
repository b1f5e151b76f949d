import MailCore

/// RFC 2047 encoded words (`=?utf-8?q?caf=C3=A9?=`), as other tools write them into label headers.
///
/// Only what such tools use: UTF-8, US-ASCII and ISO 8859-1, both encodings. Anything else stays as
/// it stands: a keyword that looks odd, and none that is lost.
enum EncodedWords {
  static func decodeIfAny(_ bytes: [UInt8]) -> [UInt8] {
    var isBehindEquals = false
    for byte in bytes {
      if isBehindEquals, byte == UInt8(ascii: "?") { return decode(bytes) }
      isBehindEquals = byte == UInt8(ascii: "=")
    }
    return bytes
  }

  private static func decode(_ bytes: [UInt8]) -> [UInt8] {
    var decoded: [UInt8] = []
    var place = 0
    var blanks = 0  // at the end of `decoded`, behind an encoded word
    var isBehindWord = false
    while place < bytes.count {
      if let (word, end) = word(in: bytes, at: place) {
        // §6.2: white space between two encoded words is none.
        if isBehindWord { decoded.removeLast(blanks) }
        decoded += word
        (place, blanks, isBehindWord) = (end, 0, true)
        continue
      }
      let isBlank = ASCII.isBlank(bytes[place])
      blanks = isBlank ? blanks + 1 : 0
      isBehindWord = isBehindWord && isBlank
      decoded.append(bytes[place])
      place += 1
    }
    return decoded
  }

  // encoded-word = "=?" charset "?" encoding "?" encoded-text "?="  RFC 2047 §2
  private static func word(in bytes: [UInt8], at start: Int) -> ([UInt8], end: Int)? {
    let mark = UInt8(ascii: "?")
    guard start + 6 < bytes.count, bytes[start] == UInt8(ascii: "="), bytes[start + 1] == mark,
      let charsetEnd = bytes[(start + 2)...].prefix(40).firstIndex(of: mark),
      charsetEnd + 2 < bytes.count, bytes[charsetEnd + 2] == mark,
      let textEnd = bytes[(charsetEnd + 3)...].firstIndex(of: mark),
      textEnd + 1 < bytes.count, bytes[textEnd + 1] == UInt8(ascii: "=")
    else { return nil }
    let text = bytes[(charsetEnd + 3)..<textEnd]
    let raw: [UInt8]?
    switch bytes[charsetEnd + 1] {
    case UInt8(ascii: "q"), UInt8(ascii: "Q"): raw = quoted(text)
    case UInt8(ascii: "b"), UInt8(ascii: "B"): raw = base64(text)
    default: raw = nil
    }
    // §5 of RFC 2231: a language may follow the charset.
    let charset = bytes[(start + 2)..<charsetEnd].prefix { $0 != UInt8(ascii: "*") }
    guard let raw, let utf8 = utf8(raw, charset.map(ASCII.lowered)) else { return nil }
    return (utf8, textEnd + 2)
  }

  private static func utf8(_ raw: [UInt8], _ charset: [UInt8]) -> [UInt8]? {
    switch String(decoding: charset, as: UTF8.self) {
    case "utf-8", "utf8", "us-ascii", "ascii":
      // What is cut in the middle of a character is joined with the next word's.
      return raw
    case "iso-8859-1", "latin1":
      return raw.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] }
    default: return nil
    }
  }

  private static func quoted(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var raw: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "_"): raw.append(ASCII.space)
      case UInt8(ascii: "="):
        guard let high = rest.popFirst().flatMap(Hex.value),
          let low = rest.popFirst().flatMap(Hex.value)
        else { return nil }
        raw.append(high << 4 | low)
      default: raw.append(byte)
      }
    }
    return raw
  }

  private static func base64(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var raw: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for byte in text where byte != UInt8(ascii: "=") {
      guard let digit = Base64.digit(byte) else { return nil }
      bits = (bits << 6 | digit) & 0xFFF
      count += 6
      if count >= 8 {
        count -= 8
        raw.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return raw
  }
}
