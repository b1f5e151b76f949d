import MailCore

/// The spelling of keywords inside a header line.
enum KeywordText {
  static func encode(_ keyword: String, into line: inout [UInt8]) {
    let bytes = Array(keyword.utf8)
    for (place, byte) in bytes.enumerated() {
      let isLast = place == bytes.count - 1
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: ","), 0..<0x20, 0x7F: escape(byte, into: &line)
      // Would be read as the beginning of an encoded word.
      case UInt8(ascii: "=") where !isLast && bytes[place + 1] == UInt8(ascii: "?"):
        escape(byte, into: &line)
      case ASCII.space where isLast || place == 0: escape(byte, into: &line)
      // U+0080–U+009F are controls too: C2 80 … C2 9F.
      case 0x80...0x9F where place > 0 && bytes[place - 1] == 0xC2: escape(byte, into: &line)
      case 0xC2 where !isLast && bytes[place + 1] < 0xA0: escape(byte, into: &line)
      default: line.append(byte)
      }
    }
  }

  private static func escape(_ byte: UInt8, into line: inout [UInt8]) {
    line.append(UInt8(ascii: "%"))
    line.append(Hex.upperDigit(byte >> 4))
    line.append(Hex.upperDigit(byte & 15))
  }

  /// Splits a field's value at its commas and decodes each piece; white space around pieces is
  /// nothing. Encoded words, which other tools write, are decoded before: they may hold the commas.
  static func list(_ value: some Sequence<UInt8>) -> Keywords {
    var names: [String] = []
    var piece: [UInt8] = []
    for byte in EncodedWords.decodeIfAny(Array(value)) {
      if byte == UInt8(ascii: ",") {
        names.append(decode(piece))
        piece = []
      } else {
        piece.append(byte)
      }
    }
    names.append(decode(piece))
    return Keywords(names)
  }

  private static func decode(_ piece: [UInt8]) -> String {
    var rest = piece[...]
    while let byte = rest.first, ASCII.isBlank(byte) { rest.removeFirst() }
    while let byte = rest.last, ASCII.isBlank(byte) { rest.removeLast() }
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2, let high = Hex.value(rest[rest.startIndex]),
        let low = Hex.value(rest[rest.startIndex + 1])
      {
        bytes.append(high << 4 | low)
        rest.removeFirst(2)
      } else if byte == ASCII.cr || byte == ASCII.lf {
        continue  // folding: the white space behind it stays
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
