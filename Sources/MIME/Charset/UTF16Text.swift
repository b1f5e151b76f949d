/// UTF-16 with or without a byte order mark (RFC 2781).
enum UTF16Text {
  /// Appends the text; without a known order a mark decides, else the side on which most zero bytes stand.
  ///
  /// Returns whether every unit had its partner.
  static func append(
    _ bytes: UnsafeRawBufferPointer, bigEndian: Bool?, into text: inout [UInt8]
  ) -> Bool {
    let isBig = bigEndian ?? looksBigEndian(bytes)
    func unit(_ index: Int) -> UInt32 {
      let first = UInt32(bytes[index])
      let second = UInt32(bytes[index + 1])
      return isBig ? first << 8 | second : second << 8 | first
    }
    var isExact = bytes.count % 2 == 0
    var index = 0
    while index + 1 < bytes.count {
      let high = unit(index)
      index += 2
      guard high & 0xF800 == 0xD800 else {
        text.appendScalar(high)
        continue
      }
      if high < 0xDC00, index + 1 < bytes.count {
        let low = unit(index)
        if low & 0xFC00 == 0xDC00 {
          text.appendScalar(0x1_0000 + (high & 0x3FF) << 10 + (low & 0x3FF))
          index += 2
          continue
        }
      }
      text.appendScalar(0xFFFD)
      isExact = false
    }
    return isExact
  }

  private static func looksBigEndian(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if bytes.starts(with: [0xFE, 0xFF]) { return true }
    if bytes.starts(with: [0xFF, 0xFE]) { return false }
    var even = 0
    var odd = 0
    for (index, byte) in bytes.prefix(512).enumerated() where byte == 0 {
      if index % 2 == 0 { even += 1 } else { odd += 1 }
    }
    return even > odd
  }
}
