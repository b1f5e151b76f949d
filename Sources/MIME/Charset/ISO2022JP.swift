/// ISO-2022-JP (RFC 1468) as mail really has it: with half-width kana and the vendor rows no escape announces.
///
/// The escapes are undone to EUC-JP, whose vendor variant the C library knows; its own ISO-2022-JP knows neither.
enum ISO2022JP {
  private enum Set { case ascii, kana, kanji, supplement }

  /// Whether an escape to Japanese stands in the text.
  static func hasEscape(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while let escape = bytes[index...].firstIndex(of: 0x1B) {
      if let (set, _) = set(bytes, after: escape), set != .ascii { return true }
      index = escape + 1
    }
    return false
  }

  static func append(
    _ bytes: UnsafeRawBufferPointer, charset: Charset, into text: inout [UInt8]
  ) -> Bool {
    var euc: [UInt8] = []
    euc.reserveCapacity(bytes.count + bytes.count / 8)
    var set = Set.ascii
    var isExact = true
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == 0x1B {
        if let (next, length) = Self.set(bytes, after: index) {
          set = next
          index += length
        } else {
          isExact = false
          index += 1
        }
        continue
      }
      // Lines begin in ASCII again; blanks and what is 8-bit belong to no set.
      if byte == 0x0A { set = .ascii }
      if byte <= 0x20 || set == .ascii {
        appendPlain(byte, into: &euc)
        index += 1
        continue
      }
      if set == .kana {
        euc.append(0x8E)
        euc.append(byte | 0x80)
        index += 1
        continue
      }
      guard index + 1 < bytes.count, bytes[index + 1] > 0x20 else {
        isExact = false
        index += 1
        continue
      }
      if set == .supplement { euc.append(0x8F) }
      euc.append(byte | 0x80)
      euc.append(bytes[index + 1] | 0x80)
      index += 2
    }
    let isKnown = euc.withUnsafeBytes { Iconv.append($0, from: charset.iconvNames, into: &text) }
    return isKnown && isExact
  }

  /// Half-width kana are also sent as single 8-bit bytes.
  private static func appendPlain(_ byte: UInt8, into euc: inout [UInt8]) {
    if byte >= 0xA1, byte <= 0xDF { euc.append(0x8E) }
    euc.append(byte)
  }

  /// The set that the escape at `index` chooses, with the escape's length.
  private static func set(_ bytes: UnsafeRawBufferPointer, after index: Int) -> (Set, Int)? {
    guard index + 2 < bytes.count else { return nil }
    switch (bytes[index + 1], bytes[index + 2]) {
    case (0x28, 0x42), (0x28, 0x4A), (0x28, 0x48): return (.ascii, 3)  // ( B, ( J, ( H
    case (0x28, 0x49): return (.kana, 3)  // ( I
    case (0x24, 0x40), (0x24, 0x42): return (.kanji, 3)  // $ @, $ B
    case (0x24, 0x28) where index + 3 < bytes.count:
      switch bytes[index + 3] {
      case 0x44: return (.supplement, 4)  // $ ( D
      case 0x40, 0x42: return (.kanji, 4)
      default: return nil
      }
    default: return nil
    }
  }
}
