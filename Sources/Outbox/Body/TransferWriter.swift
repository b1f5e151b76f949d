/// Encodes a part's content, with LF line ends, for transport. The output has LF line ends and none at
/// its very end unless the content has one.
enum TransferWriter {
  /// RFC 2045 §6.7. Line ends stay line ends.
  static func quotedPrintable(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
    var start = 0
    while start < bytes.count {
      let end = bytes.lineFeed(from: start)
      quote(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), into: &output)
      if end < bytes.count { output.append(0x0A) }
      start = end + 1
    }
  }

  private static func quote(_ line: UnsafeRawBufferPointer, into output: inout [UInt8]) {
    var column = 0
    for (index, byte) in line.enumerated() {
      let isLast = index == line.count - 1
      let isBlank = byte == 0x20 || byte == 0x09
      // A dot or From at the start of a line is what relays like to change.
      let isRisky = column == 0 && (byte == UInt8(ascii: ".") || startsFrom(line, index))
      let isPlain =
        !isRisky && (byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "=") || isBlank && !isLast)
      let width = isPlain ? 1 : 3
      // The last place is the soft break's.
      if column + width > (isLast ? 76 : 75) {
        output += [UInt8(ascii: "="), 0x0A]
        column = 0
      }
      if isPlain {
        output.append(byte)
      } else {
        output += [UInt8(ascii: "="), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
      }
      column += width
    }
  }

  private static func startsFrom(_ line: UnsafeRawBufferPointer, _ index: Int) -> Bool {
    line.count - index >= 5 && line[index] == UInt8(ascii: "F")
      && line[index..<(index + 5)].elementsEqual("From ".utf8)
  }

  private static let hexadecimal = Array("0123456789ABCDEF".utf8)

  /// RFC 2045 §6.8, of the content in its canonical form: every LF is CRLF there.
  static func base64Text(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
    var writer = Base64Lines()
    for byte in bytes {
      if byte == 0x0A { writer.append(0x0D, into: &output) }
      writer.append(byte, into: &output)
    }
    writer.finish(into: &output)
  }

  /// Of bytes that are what they are.
  static func base64(_ bytes: [UInt8], into output: inout [UInt8]) {
    var writer = Base64Lines()
    for byte in bytes { writer.append(byte, into: &output) }
    writer.finish(into: &output)
  }

  /// Which of both makes the smaller text: base64 adds a third, quoted-printable two bytes for each
  /// that it escapes.
  static func prefersBase64(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var escaped = 0
    for byte in bytes where byte > 0x7E || byte == UInt8(ascii: "=") || byte < 0x09 { escaped += 1 }
    return escaped > bytes.count / 6
  }
}

/// Base64 in lines of 76 characters, fed byte by byte.
private struct Base64Lines {
  private var group: UInt32 = 0
  private var filled = 0
  private var column = 0
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  mutating func append(_ byte: UInt8, into output: inout [UInt8]) {
    group = group << 8 | UInt32(byte)
    filled += 1
    if filled == 3 { flush(letters: 4, into: &output) }
  }

  mutating func finish(into output: inout [UInt8]) {
    guard filled > 0 else { return }
    let letters = filled + 1
    group <<= UInt32(8 * (3 - filled))
    flush(letters: letters, into: &output)
    for _ in letters..<4 { output.append(UInt8(ascii: "=")) }
  }

  private mutating func flush(letters: Int, into output: inout [UInt8]) {
    if column == 76 {
      output.append(0x0A)
      column = 0
    }
    for index in 0..<letters {
      output.append(Self.alphabet[Int(group >> UInt32(18 - 6 * index) & 63)])
    }
    column += 4
    group = 0
    filled = 0
  }
}
