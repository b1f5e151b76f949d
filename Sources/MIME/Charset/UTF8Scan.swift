/// Where UTF-8 text stops being so, found a word at a time.
package enum UTF8Scan {
  /// The first offset at or after `start` whose byte is no ASCII, or NUL; `bytes.count` where all is ASCII.
  package static func asciiEnd(_ bytes: UnsafeRawBufferPointer, from start: Int = 0) -> Int {
    var index = start
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    // A byte has its high bit in `word | (word - ones)` where it is ≥ 0x80, or where some byte is NUL:
    // borrows only start at a NUL, so a clean word is never suspected.
    while index + 32 <= bytes.count {
      let first = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let second = bytes.loadUnaligned(fromByteOffset: index + 8, as: UInt64.self)
      let third = bytes.loadUnaligned(fromByteOffset: index + 16, as: UInt64.self)
      let fourth = bytes.loadUnaligned(fromByteOffset: index + 24, as: UInt64.self)
      let suspect =
        first | second | third | fourth | (first &- ones) | (second &- ones) | (third &- ones)
        | (fourth &- ones)
      if suspect & highs != 0 { break }
      index += 32
    }
    while index + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if (word | (word &- ones)) & highs != 0 { break }
      index += 8
    }
    while index < bytes.count, bytes[index] &- 1 < 0x7F { index += 1 }
    return index
  }

  /// The first offset at or after `start` where no well-formed character begins, or a NUL stands (RFC 3629 §4).
  package static func validEnd(_ bytes: UnsafeRawBufferPointer, from start: Int = 0) -> Int {
    var index = start
    while true {
      index = asciiEnd(bytes, from: index)
      while index < bytes.count, bytes[index] >= 0x80 {
        let length = characterLength(bytes, at: index)
        if length == 0 { return index }
        index += length
      }
      if index >= bytes.count { return bytes.count }
      if bytes[index] == 0 { return index }
    }
  }

  /// The length of the well-formed character at `index`, or 0: no overlong forms, surrogates, or values past U+10FFFF.
  package static func characterLength(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
    let lead = bytes[index]
    let left = bytes.count - index
    func continues(_ offset: Int) -> Bool { bytes[index + offset] & 0xC0 == 0x80 }
    switch lead {
    case 0..<0x80: return 1
    case 0xC2...0xDF:
      return left > 1 && continues(1) ? 2 : 0
    case 0xE0...0xEF:
      guard left > 2, continues(1), continues(2) else { return 0 }
      let second = bytes[index + 1]
      if lead == 0xE0, second < 0xA0 { return 0 }
      if lead == 0xED, second > 0x9F { return 0 }
      return 3
    case 0xF0...0xF4:
      guard left > 3, continues(1), continues(2), continues(3) else { return 0 }
      let second = bytes[index + 1]
      if lead == 0xF0, second < 0x90 { return 0 }
      if lead == 0xF4, second > 0x8F { return 0 }
      return 4
    default: return 0
    }
  }

  /// Whether the bytes at `index` are a character cut off by the end of the text.
  static func isCutOff(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Bool {
    let needed =
      switch bytes[index] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 0
      }
    guard bytes.count - index < needed else { return false }
    return bytes[(index + 1)...].allSatisfy { $0 & 0xC0 == 0x80 }
  }
}

extension [UInt8] {
  /// Appends the UTF-8 form of a scalar value; U+FFFD for what is none, nothing for NUL.
  package mutating func appendScalar(_ value: UInt32) {
    switch value {
    case 0: break
    case 1..<0x80: append(UInt8(value))
    case 0x80..<0x800:
      append(UInt8(0xC0 | value >> 6))
      append(UInt8(0x80 | value & 0x3F))
    case 0xD800...0xDFFF: appendScalar(0xFFFD)
    case 0x800..<0x1_0000:
      append(UInt8(0xE0 | value >> 12))
      append(UInt8(0x80 | value >> 6 & 0x3F))
      append(UInt8(0x80 | value & 0x3F))
    case 0x1_0000...0x10_FFFF:
      append(UInt8(0xF0 | value >> 18))
      append(UInt8(0x80 | value >> 12 & 0x3F))
      append(UInt8(0x80 | value >> 6 & 0x3F))
      append(UInt8(0x80 | value & 0x3F))
    default: appendScalar(0xFFFD)
    }
  }

  /// Appends bytes that are known to be text, without their NULs.
  mutating func appendWithoutNULs(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.contains(0) else { return append(contentsOf: bytes) }
    append(contentsOf: bytes.lazy.filter { $0 != 0 })
  }
}
