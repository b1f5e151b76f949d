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
    /// CR without LF behind it: how many at least.
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
    while let found = memchr(from, Int32(ASCII.lf), end - from) {
      let place = UnsafeRawPointer(found)
      var length = place - from
      if length > 0, (place - 1).load(as: UInt8.self) == ASCII.cr {
        length -= 1
        step.pairs += 1
      } else {
        step.bareLineFeeds += 1
      }
      if memchr(from, Int32(ASCII.cr), length) != nil { step.bareReturns += 1 }
      memcpy(to, from, length)
      (to + length).storeBytes(of: ASCII.lf, as: UInt8.self)
      to += length + 1
      from = place + 1
    }
    if memchr(from, Int32(ASCII.cr), end - from) != nil { step.bareReturns += 1 }
    memcpy(to, from, end - from)
    step.written = to + (end - from) - output
    return step
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
