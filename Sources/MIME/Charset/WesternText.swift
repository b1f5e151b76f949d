/// The two charsets that most mail is written in, read without a library.
enum WesternText {
  /// windows-1252 from 0x80 to 0x9F; the five unassigned bytes are C1 controls, as the WHATWG index has them.
  static let upper: [UInt16] = [
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178,
  ]

  /// The character of one byte.
  static func scalar(_ byte: UInt8) -> UInt32 {
    byte >= 0x80 && byte < 0xA0 ? UInt32(upper[Int(byte) - 0x80]) : UInt32(byte)
  }

  static func append(_ bytes: UnsafeRawBufferPointer, into text: inout [UInt8]) {
    var index = 0
    while index < bytes.count {
      let end = UTF8Scan.asciiEnd(bytes, from: index)
      text.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[index..<end]))
      index = end
      while index < bytes.count, bytes[index] &- 1 >= 0x7F {
        text.appendScalar(scalar(bytes[index]))
        index += 1
      }
    }
  }

  /// Appends UTF-8; what is not well formed is read as windows-1252, a character cut off by the end becomes U+FFFD.
  ///
  /// Returns whether all was well formed.
  static func appendUTF8(_ bytes: UnsafeRawBufferPointer, into text: inout [UInt8]) -> Bool {
    var isExact = true
    var index = 0
    while index < bytes.count {
      let end = UTF8Scan.validEnd(bytes, from: index)
      text.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[index..<end]))
      index = end
      guard index < bytes.count else { break }
      if bytes[index] == 0 {
        index += 1
        continue
      }
      isExact = false
      if UTF8Scan.isCutOff(bytes, at: index) {
        text.appendScalar(0xFFFD)
        break
      }
      text.appendScalar(scalar(bytes[index]))
      index += 1
    }
    return isExact
  }
}
