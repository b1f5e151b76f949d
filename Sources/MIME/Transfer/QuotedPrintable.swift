#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Quoted-printable (RFC 2045 §6.7): what is no escape stays as it is.
package enum QuotedPrintable {
  private static let equals = UInt8(ascii: "=")

  /// Appends the decoded bytes; returns whether an `=` introduced no escape.
  ///
  /// Blanks at the end of a line were added on the way and are dropped, as the RFC demands.
  static func append(_ body: UnsafeRawBufferPointer, into bytes: inout [UInt8], limit: Int) -> Bool
  {
    let input = UnsafeRawBufferPointer(rebasing: body[..<inputEnd(body, limit: limit)])
    guard let start = input.baseAddress else { return false }
    var isDamaged = false
    appendFilling(&bytes, room: input.count) { output in
      var written = 0
      var index = 0
      while index < input.count {
        // A run up to the next escape or line end is copied whole.
        let end = runEnd(input, from: index)
        if end > index {
          memcpy(output + written, start + index, end - index)
          written += end - index
          index = end
          continue
        }
        if input[index] == equals {
          index = unescape(input, at: index, output: output, &written, &isDamaged)
        } else {
          index = endLine(input, at: index, output: output, &written)
        }
      }
      return written
    }
    return isDamaged
  }

  /// Where to stop reading for `limit` decoded bytes: never inside an escape.
  private static func inputEnd(_ body: UnsafeRawBufferPointer, limit: Int) -> Int {
    guard limit < body.count / 3 else { return body.count }
    let end = limit * 3 + 3
    guard end < body.count else { return body.count }
    if body[end - 1] == equals { return end - 1 }
    return body[end - 2] == equals ? end - 2 : end
  }

  /// The size once decoded.
  static func decodedSize(_ body: UnsafeRawBufferPointer) -> Int {
    guard let start = body.baseAddress else { return 0 }
    var size = body.count
    var index = 0
    while index < body.count,
      let found = memchr(start + index, Int32(equals), body.count - index)
    {
      index = start.distance(to: UnsafeRawPointer(found)) + 1
      if index + 1 < body.count, hexPair(body, at: index) != nil {
        size -= 2
        index += 2
      } else if let next = softBreakEnd(body, after: index) {
        size -= next - index + 1
        index = next
      }
    }
    return size
  }

  /// The first `=`, line feed, or blank before a line's end.
  private static func runEnd(_ input: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index < input.count {
      let byte = input[index]
      if byte == equals || byte == 0x0A { break }
      index += 1
    }
    guard index < input.count, input[index] == 0x0A else {
      return index < input.count ? index : blankStart(input, before: index, after: start)
    }
    return blankStart(input, before: index, after: start)
  }

  /// Where the blanks (and the carriage return) before `end` begin.
  private static func blankStart(
    _ input: UnsafeRawBufferPointer, before end: Int, after start: Int
  ) -> Int {
    var index = end
    while index > start, isBlank(input[index - 1]) || input[index - 1] == 0x0D { index -= 1 }
    return index
  }

  /// Passes blanks and writes the line break that follows them.
  private static func endLine(
    _ input: UnsafeRawBufferPointer, at start: Int, output: UnsafeMutablePointer<UInt8>,
    _ written: inout Int
  ) -> Int {
    var index = start
    while index < input.count, input[index] != 0x0A { index += 1 }
    guard index < input.count else { return index }
    if index > start, input[index - 1] == 0x0D {
      output[written] = 0x0D
      written += 1
    }
    output[written] = 0x0A
    written += 1
    return index + 1
  }

  /// Decodes what begins with the `=` at `start`.
  private static func unescape(
    _ input: UnsafeRawBufferPointer, at start: Int, output: UnsafeMutablePointer<UInt8>,
    _ written: inout Int, _ isDamaged: inout Bool
  ) -> Int {
    let next = start + 1
    if next + 1 < input.count, let value = hexPair(input, at: next) {
      output[written] = value
      written += 1
      return next + 2
    }
    if let end = softBreakEnd(input, after: next) { return end }
    output[written] = equals
    written += 1
    isDamaged = true
    return next
  }

  /// The start of the line after a soft break, where `index` stands behind its `=`.
  private static func softBreakEnd(_ input: UnsafeRawBufferPointer, after index: Int) -> Int? {
    var end = index
    while end < input.count, isBlank(input[end]) { end += 1 }
    if end < input.count, input[end] == 0x0D { end += 1 }
    if end >= input.count { return end }
    return input[end] == 0x0A ? end + 1 : nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func hexPair(_ bytes: UnsafeRawBufferPointer, at index: Int) -> UInt8? {
    guard let high = hexDigit(bytes[index]), let low = hexDigit(bytes[index + 1]) else {
      return nil
    }
    return high << 4 | low
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
