/// Files in uuencode, as a whole body or between the lines of a text.
package enum UUEncode {
  /// One `begin MODE NAME` … `end` block in a text.
  package struct Block: Sendable, Equatable {
    /// From the `begin` line to past the `end` line.
    package let range: Range<Int>
    /// The lines between.
    package let lines: Range<Int>
    /// The name's bytes as they stand.
    package let name: Range<Int>
  }

  /// Appends the decoded bytes of a body, from behind its `begin` line if it has one up to `end`.
  ///
  /// Returns whether a line did not fit.
  static func append(_ body: UnsafeRawBufferPointer, into bytes: inout [UInt8], limit: Int) -> Bool
  {
    let lines = blocks(in: body, limit: 1).first?.lines ?? 0..<body.count
    let start = bytes.count
    var isDamaged = false
    forEachLine(body, in: lines) { line in
      if bytes.count - start >= limit || isEnd(line) { return false }
      if !appendLine(line, into: &bytes) { isDamaged = true }
      return true
    }
    return isDamaged
  }

  static func decodedSize(_ body: UnsafeRawBufferPointer) -> Int {
    size(of: blocks(in: body, limit: 1).first?.lines ?? 0..<body.count, in: body)
  }

  /// The decoded size of a block's lines: each line's first character says its length.
  package static func size(of lines: Range<Int>, in bytes: UnsafeRawBufferPointer) -> Int {
    var size = 0
    forEachLine(bytes, in: lines) { line in
      if isEnd(line) { return false }
      if let first = line.first, first >= 0x20, first <= 0x60 {
        size += Int((first &- 0x20) & 0x3F)
      }
      return true
    }
    return size
  }

  /// The blocks of a text in order; a `begin` line counts only where the next line fits its own length.
  package static func blocks(in text: UnsafeRawBufferPointer, limit: Int = 1000) -> [Block] {
    var blocks: [Block] = []
    var open: (start: Int, lines: Int, name: Range<Int>)?
    var index = 0
    // One pass: a block without an end closes where a line no longer fits.
    while index < text.count, blocks.count < limit {
      let end = text[index...].lineEnd
      let line = UnsafeRawBufferPointer(rebasing: text[index..<end.content])
      if let block = open {
        if isEnd(line) || !fits(line) {
          let stop = isEnd(line) ? end.next : index
          blocks.append(
            Block(range: block.start..<stop, lines: block.lines..<index, name: block.name))
          open = nil
          if stop == index { continue }
        }
      } else if let name = beginName(line) {
        let next = text[end.next...].lineEnd
        if end.next < text.count,
          fits(UnsafeRawBufferPointer(rebasing: text[end.next..<next.content]))
        {
          open = (index, end.next, index + name.lowerBound..<index + name.upperBound)
        }
      }
      index = end.next
    }
    if let block = open {
      blocks.append(
        Block(range: block.start..<text.count, lines: block.lines..<text.count, name: block.name))
    }
    return blocks
  }

  /// The place of the name in `begin 644 name`.
  private static func beginName(_ line: UnsafeRawBufferPointer) -> Range<Int>? {
    guard line.count > 10, line.starts(with: "begin ".utf8) else { return nil }
    var index = 6
    while index < line.count, line[index] >= 0x30, line[index] <= 0x37 { index += 1 }
    guard index >= 9, index <= 11, index + 1 < line.count, line[index] == 0x20 else { return nil }
    return index + 1..<line.count
  }

  private static func isEnd(_ line: UnsafeRawBufferPointer) -> Bool {
    line.count >= 3 && line.prefix(3).elementsEqual("end".utf8)
      && line.dropFirst(3).allSatisfy { $0 <= 0x20 }
  }

  /// Whether a line is as long as its first character says, give or take lost or added blanks and a checksum.
  static func fits(_ line: UnsafeRawBufferPointer) -> Bool {
    guard let first = line.first, first >= 0x20, first <= 0x60 else { return line.isEmpty }
    let digits = (Int((first &- 0x20) & 0x3F) + 2) / 3 * 4
    guard line.count <= digits + 3, line.count > digits - 8 else { return false }
    return line.allSatisfy { $0 >= 0x20 && $0 <= 0x60 }
  }

  /// Decodes one line; blanks lost at its end count as zero bits.
  private static func appendLine(_ line: UnsafeRawBufferPointer, into bytes: inout [UInt8]) -> Bool
  {
    guard let first = line.first else { return true }
    guard first >= 0x20, first <= 0x60 else { return false }
    let length = Int((first &- 0x20) & 0x3F)
    func value(_ index: Int) -> UInt32 {
      index < line.count ? UInt32((line[index] &- 0x20) & 0x3F) : 0
    }
    appendFilling(&bytes, room: 66) { output in
      var index = 1
      for place in stride(from: 0, to: length, by: 3) {
        let group =
          value(index) << 18 | value(index + 1) << 12 | value(index + 2) << 6 | value(index + 3)
        output[place] = UInt8(truncatingIfNeeded: group >> 16)
        output[place + 1] = UInt8(truncatingIfNeeded: group >> 8)
        output[place + 2] = UInt8(truncatingIfNeeded: group)
        index += 4
      }
      return length
    }
    return fits(line)
  }

  private static func forEachLine(
    _ bytes: UnsafeRawBufferPointer, in range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Bool
  ) {
    var index = range.lowerBound
    while index < range.upperBound {
      let end = bytes[index..<range.upperBound].lineEnd
      guard body(UnsafeRawBufferPointer(rebasing: bytes[index..<end.content])) else { return }
      index = end.next
    }
  }
}
