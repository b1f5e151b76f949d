import MailCore

/// Base64 as mail carries it (RFC 2045 §6.8): anything not of the alphabet is passed over.
enum Base64Decoder {
  private static let notADigit: UInt8 = 0xFF
  private static let padding: UInt8 = 0xFE

  /// The value of each byte; the URL alphabet's `-` and `_` are taken too.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: notADigit, count: 256)
    for byte in values.indices {
      if let digit = Base64.digit(UInt8(byte)) { values[byte] = UInt8(digit) }
    }
    values[Int(UInt8(ascii: "-"))] = 62
    values[Int(UInt8(ascii: "_"))] = 63
    values[Int(UInt8(ascii: "="))] = padding
    return values
  }()

  /// The values once more, in the four places that they take in a group; the top bits tell what is none.
  private static let placed: [UInt32] = {
    var placed: [UInt32] = []
    for shift: UInt32 in [18, 12, 6, 0] {
      placed += values.map { $0 < 64 ? UInt32($0) << shift : 0xFF00_0000 }
    }
    return placed
  }()

  /// Appends the decoded bytes; returns whether other bytes than line breaks and blanks stood between.
  ///
  /// Padding ends a group, not the text: some programs join encoded pieces.
  static func append(_ body: UnsafeRawBufferPointer, into bytes: inout [UInt8], limit: Int) -> Bool
  {
    let wanted = limit == .max ? body.count : min(body.count, limit / 3 * 4 + 64 + limit / 8)
    let input = UnsafeRawBufferPointer(rebasing: body[..<wanted])
    var isDamaged = false
    appendFilling(&bytes, room: input.count / 4 * 3 + 3) { output in
      values.withUnsafeBufferPointer { values in
        placed.withUnsafeBufferPointer { placed in
          decode(input, values: values, placed, to: output, isDamaged: &isDamaged)
        }
      }
    }
    return isDamaged
  }

  private static func decode(
    _ input: UnsafeRawBufferPointer, values: UnsafeBufferPointer<UInt8>,
    _ placed: UnsafeBufferPointer<UInt32>, to output: UnsafeMutablePointer<UInt8>,
    isDamaged: inout Bool
  ) -> Int {
    var written = 0
    var index = 0
    var group: UInt32 = 0
    var digits = 0
    var isPadded = false
    while index < input.count {
      if digits == 0 {
        while index + 4 <= input.count {
          let word =
            placed[Int(input[index])] | placed[256 + Int(input[index + 1])]
            | placed[512 + Int(input[index + 2])] | placed[768 + Int(input[index + 3])]
          if word & 0xFF00_0000 != 0 { break }
          // Writes one byte more than the group has: the next group, or the spare byte after the last, overwrites it.
          UnsafeMutableRawPointer(output + written).storeBytes(
            of: (word << 8).bigEndian, as: UInt32.self)
          written += 3
          index += 4
        }
        guard index < input.count else { break }
      }
      let byte = input[index]
      let value = values[Int(byte)]
      index += 1
      if value < 64 {
        group = group << 6 | UInt32(value)
        digits += 1
        isPadded = false
        if digits == 4 {
          output[written] = UInt8(truncatingIfNeeded: group >> 16)
          output[written + 1] = UInt8(truncatingIfNeeded: group >> 8)
          output[written + 2] = UInt8(truncatingIfNeeded: group)
          written += 3
          (group, digits) = (0, 0)
        }
      } else if value == padding {
        written += finish(group, digits, at: output + written)
        (group, digits) = (0, 0)
        isPadded = true
      } else if byte > 0x20 {
        isDamaged = true
      } else if byte == 0x0A, isFooter(input, after: index, isPadded: isPadded, values: values) {
        isDamaged = true
        break
      }
    }
    if digits == 1 { isDamaged = true }
    return written + finish(group, digits, at: output + written)
  }

  /// Whether something else than base64 follows behind an empty line or padding: a mailing list added its footer.
  private static func isFooter(
    _ input: UnsafeRawBufferPointer, after feed: Int, isPadded: Bool,
    values: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard feed < input.count, isPadded || input[feed] <= 0x0D else { return false }
    var start = feed
    let blank = input[feed...].lineEnd
    if blank.content == feed { start = blank.next } else if !isPadded { return false }
    guard start < input.count else { return false }
    let line = input[start..<input[start...].lineEnd.content]
    return line.starts(with: "__".utf8) || line.starts(with: "--".utf8)
      || line.contains { $0 > 0x20 && values[Int($0)] == notADigit }
  }

  /// Writes the bytes of an unfinished group.
  private static func finish(
    _ group: UInt32, _ digits: Int, at output: UnsafeMutablePointer<UInt8>
  ) -> Int {
    switch digits {
    case 2:
      output[0] = UInt8(truncatingIfNeeded: group >> 4)
      return 1
    case 3:
      output[0] = UInt8(truncatingIfNeeded: group >> 10)
      output[1] = UInt8(truncatingIfNeeded: group >> 2)
      return 2
    default: return 0
    }
  }

  /// The decoded size, from the shape of the lines where they are all alike, else counted.
  static func decodedSize(_ body: UnsafeRawBufferPointer) -> Int {
    var end = body.count
    var padded = 0
    while end > 0, body[end - 1] <= 0x20 || body[end - 1] == UInt8(ascii: "=") {
      if body[end - 1] == UInt8(ascii: "=") { padded += 1 }
      end -= 1
    }
    let digits = regularDigits(body, end: end) ?? countedDigits(body)
    return digits / 4 * 3 + [0, 0, 1, 2][digits % 4]
  }

  /// The digits before `end` where lines of one length hold them: looks at a few line ends only.
  private static func regularDigits(_ body: UnsafeRawBufferPointer, end: Int) -> Int? {
    let text = UnsafeRawBufferPointer(rebasing: body[..<end])
    guard let feed = text.firstIndex(of: 0x0A) else { return text.contains(0x0D) ? nil : end }
    guard feed > 1 else { return nil }
    let breakLength = text[feed - 1] == 0x0D ? 2 : 1
    let line = feed + 1
    let lines = end / line
    guard lines > 0, line - breakLength > 3 else { return nil }
    let step = max(1, lines / 64)
    for index in stride(from: step, through: lines, by: step) {
      let start = index * line - breakLength
      guard text[start] == (breakLength == 2 ? 0x0D : 0x0A), text[start - 1] > 0x20 else {
        return nil
      }
    }
    guard text[lines * line - 1] == 0x0A, !text[(lines * line)...].contains(0x0A) else {
      return nil
    }
    return end - lines * breakLength
  }

  private static func countedDigits(_ body: UnsafeRawBufferPointer) -> Int {
    var digits = 0
    values.withUnsafeBufferPointer { values in
      for byte in body where values[Int(byte)] < 64 { digits += 1 }
    }
    return digits
  }
}
