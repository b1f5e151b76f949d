import MailCore

/// Encodes a part's content, with LF line ends, for transport. The output has LF line ends and none at
/// its very end unless the content has one.
enum TransferWriter {
  /// So many bytes are written at once.
  private static let pieceSize = 64 * 1024

  /// RFC 2045 §6.7. Line ends stay line ends.
  static func quotedPrintable<E: Error>(
    _ bytes: UnsafeRawBufferPointer, _ sink: ([UInt8]) throws(E) -> Void
  ) throws(E) {
    var output: [UInt8] = []
    var start = 0
    while start < bytes.count {
      let end = bytes.lineFeed(from: start)
      let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      var column = 0
      var place = 0
      while place < line.count {
        let next = min(line.count, place + pieceSize)
        quote(line, place..<next, &column, into: &output)
        place = next
        if output.count >= pieceSize { try flush(&output, sink) }
      }
      if end < bytes.count { output.append(0x0A) }
      start = end + 1
    }
    try flush(&output, sink)
  }

  /// Quoted-printable as it came, with soft breaks where lines are too long and what it forgot escaped.
  static func quotedPrintableAgain<E: Error>(
    _ bytes: UnsafeRawBufferPointer, _ sink: ([UInt8]) throws(E) -> Void
  ) throws(E) {
    var output: [UInt8] = []
    var column = 0
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == 0x0A {
        output.append(byte)
        column = 0
      } else {
        let escape = escapeLength(bytes, at: index - 1)
        let width = byte > 0x7E ? 3 : escape
        let isLast = index - 1 + escape == bytes.count || bytes[index - 1 + escape] == 0x0A
        let isSoftBreak = byte == UInt8(ascii: "=") && escape == 1 && isLast
        if !isSoftBreak, column + width > (isLast ? 76 : 75) {
          output += [UInt8(ascii: "="), 0x0A]
          column = 0
        }
        if byte > 0x7E {
          output += [UInt8(ascii: "="), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
        } else {
          output += bytes[(index - 1)..<(index - 1 + escape)]
        }
        column += width
        index += escape - 1
      }
      if output.count >= pieceSize { try flush(&output, sink) }
    }
    try flush(&output, sink)
  }

  /// 3 where `=41` begins here, else 1.
  private static func escapeLength(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
    func isHex(_ byte: UInt8) -> Bool {
      (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
    }
    guard bytes[index] == UInt8(ascii: "="), index + 2 < bytes.count, isHex(bytes[index + 1]),
      isHex(bytes[index + 2])
    else { return 1 }
    return 3
  }

  private static func flush<E: Error>(
    _ output: inout [UInt8], _ sink: ([UInt8]) throws(E) -> Void
  ) throws(E) {
    guard !output.isEmpty else { return }
    try sink(output)
    output.removeAll(keepingCapacity: true)
  }

  private static func quote(
    _ line: UnsafeRawBufferPointer, _ range: Range<Int>, _ column: inout Int,
    into output: inout [UInt8]
  ) {
    for index in range {
      let byte = line[index]
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
  static func base64Text<E: Error>(
    _ bytes: UnsafeRawBufferPointer, _ sink: ([UInt8]) throws(E) -> Void
  ) throws(E) {
    var writer = Base64Lines()
    var output: [UInt8] = []
    for byte in bytes {
      if byte == 0x0A { writer.append(0x0D, into: &output) }
      writer.append(byte, into: &output)
      if output.count >= pieceSize { try flush(&output, sink) }
    }
    writer.finish(into: &output)
    try flush(&output, sink)
  }

  /// Base64 as it came, its letters in proper lines; what is none of them is left out.
  static func base64Again<E: Error>(
    _ bytes: UnsafeRawBufferPointer, _ sink: ([UInt8]) throws(E) -> Void
  ) throws(E) {
    var output: [UInt8] = []
    var column = 0
    for byte in bytes where isBase64(byte) {
      if column == 76 {
        output.append(0x0A)
        column = 0
      }
      output.append(byte)
      column += 1
      if output.count >= pieceSize { try flush(&output, sink) }
    }
    try flush(&output, sink)
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "+"), UInt8(ascii: "/"),
      UInt8(ascii: "="):
      true
    default: false
    }
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
  private static let length = 57  // bytes of a line
  private var line: [UInt8] = []

  mutating func append(_ byte: UInt8, into output: inout [UInt8]) {
    if line.count == Self.length {
      finish(into: &output)
      output.append(0x0A)
    }
    line.append(byte)
  }

  mutating func finish(into output: inout [UInt8]) {
    output += Base64.encode(line)
    line.removeAll(keepingCapacity: true)
  }
}
