/// Leaves files that were pasted into a text out of it: uuencode blocks, and lines of base64 (keys, signatures, images).
///
/// A line is taken for base64 if it has at least 60 characters, all of its alphabet and of more than one kind; a shorter
/// line of that alphabet right behind it belongs to it.
enum BlobLines {
  private static let shortest = 60

  /// Appends the lines that are text, with LF ends; returns the uuencode blocks left out, as ranges of `text`.
  static func appendText(
    _ text: UnsafeRawBufferPointer, into output: inout [UInt8]
  ) -> [UUEncode.Block] {
    let blocks = mayHoldUUEncode(text) ? UUEncode.blocks(in: text) : []
    var start = 0
    for block in blocks {
      appendLines(text, start..<block.range.lowerBound, into: &output)
      start = block.range.upperBound
    }
    appendLines(text, start..<text.count, into: &output)
    return blocks
  }

  private static func mayHoldUUEncode(_ text: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < text.count {
      if text[index] == UInt8(ascii: "b"), text.hasPrefix("begin ", at: index, to: text.count) {
        return true
      }
      index = text.lineEnd(from: index, to: text.count) + 1
    }
    return false
  }

  private static func appendLines(
    _ text: UnsafeRawBufferPointer, _ range: Range<Int>, into output: inout [UInt8]
  ) {
    var index = range.lowerBound
    var runStart = index  // what is yet to be copied, in one piece
    var wasBlob = false
    while index < range.upperBound {
      let end = text[index..<range.upperBound].lineEnd
      let isBlob = isBlobLine(text, index..<end.content, follows: wasBlob)
      wasBlob = isBlob
      if isBlob {
        output.append(contentsOf: text[runStart..<index])
        runStart = end.next
      } else if end.next - end.content == 2 {
        output.append(contentsOf: text[runStart..<end.content])
        runStart = end.next - 1  // past the CR
      }
      index = end.next
    }
    output.append(contentsOf: text[runStart..<range.upperBound])
  }

  private static func isBlobLine(
    _ text: UnsafeRawBufferPointer, _ line: Range<Int>, follows: Bool
  ) -> Bool {
    let isLong = line.count >= shortest
    guard isLong || follows && isTail(text, line) else { return false }
    var kinds: UInt8 = 0
    for index in line {
      switch text[index] {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): kinds |= 1
      case UInt8(ascii: "a")...UInt8(ascii: "z"): kinds |= 2
      case UInt8(ascii: "0")...UInt8(ascii: "9"): kinds |= 4
      case UInt8(ascii: "+"), UInt8(ascii: "/"): kinds |= 8
      case ASCII.equals: kinds |= 16
      default: return false
      }
    }
    // A word may stand behind a blob: only what no word has makes a short line part of it.
    return isLong ? (kinds & 15).nonzeroBitCount > 1 : kinds > 3
  }

  /// A short line that may end a blob: whole groups, or the checksum of OpenPGP's armour (RFC 4880 §6).
  private static func isTail(_ text: UnsafeRawBufferPointer, _ line: Range<Int>) -> Bool {
    guard let first = line.first else { return false }
    return line.count % 4 == 0 || line.count == 5 && text[first] == ASCII.equals
  }
}
