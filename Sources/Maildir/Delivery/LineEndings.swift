#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How message files end their lines. The server always sends CRLF (RFC 5322 §2.3).
package enum LineEndings: String, Sendable, Hashable {
  case lf, crlf
}

/// CRLF to LF and back, block by block.
package enum LineConverter {
  package struct Step: Equatable, Sendable {
    /// Input bytes used: one less than given where the block ends in CR and more is to come.
    package var read = 0
    package var written = 0
    package var pairs = 0
    /// LF without CR before it.
    package var bareLineFeeds = 0
    /// CR without LF after it.
    package var bareReturns = 0

    /// The way back gives the same bytes.
    package var isReversible: Bool { bareLineFeeds == 0 && bareReturns == 0 }
  }

  /// Turns every CRLF of the block into LF; bare CR and bare LF pass as they are.
  ///
  /// `output` has room for the block's size. The block starts where the last one's `read` ended.
  package static func toLF(
    _ block: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer, isLast: Bool
  ) -> Step {
    var step = Step()
    guard var from = block.baseAddress, !block.isEmpty else { return step }
    step.read = !isLast && block[block.count - 1] == ASCII.cr ? block.count - 1 : block.count
    let end = from + step.read
    var to = output
    while from < end {
      let plain = copyPlain(from, end, to: to)
      from += plain
      to += plain
      guard from < end else { break }
      var byte = from.load(as: UInt8.self)
      from += 1
      if byte == ASCII.cr {
        if from < end, from.load(as: UInt8.self) == ASCII.lf {
          step.pairs += 1
          byte = ASCII.lf
          from += 1
        } else {
          step.bareReturns += 1
        }
      } else if byte == ASCII.lf {
        step.bareLineFeeds += 1
      }
      to.storeBytes(of: byte, as: UInt8.self)
      to += 1
    }
    step.written = to - output
    return step
  }

  /// Copies words of eight bytes up to the first byte that may end a line: CR, LF, or another below 14.
  ///
  /// - Returns: how many bytes stand before that one, or before the last piece that is no word. Some more may have been
  ///   written.
  @inline(__always)
  private static func copyPlain(
    _ from: UnsafeRawPointer, _ end: UnsafeRawPointer, to: UnsafeMutableRawPointer
  ) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var count = 0
    let last = end - from - 8
    while count <= last {
      let bytes = (from + count).loadUnaligned(as: UInt64.self)
      (to + count).storeBytes(of: bytes, as: UInt64.self)
      let word = UInt64(littleEndian: bytes)
      // The top bit of each byte below 14, and perhaps of ones after it.
      let ends = (word &- ones &* 14) & ~word & (ones << 7)
      if ends != 0 { return count + (ends.trailingZeroBitCount >> 3) }
      count += 8
    }
    return count
  }

  /// Turns every LF of the block into CRLF. `output` has room for twice the block.
  package static func toCRLF(_ block: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer)
    -> Int
  {
    guard var from = block.baseAddress else { return 0 }
    let end = from + block.count
    var to = output
    while let found = memchr(from, Int32(ASCII.lf), end - from) {
      let length = UnsafeRawPointer(found) - from
      memcpy(to, from, length)
      to += length
      to.storeBytes(of: ASCII.cr, as: UInt8.self)
      (to + 1).storeBytes(of: ASCII.lf, as: UInt8.self)
      to += 2
      from = UnsafeRawPointer(found) + 1
    }
    memcpy(to, from, end - from)
    return to + (end - from) - output
  }
}
