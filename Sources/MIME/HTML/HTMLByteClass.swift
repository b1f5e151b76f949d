/// What a byte of text may be the beginning of.
enum HTMLByteClass: UInt8 {
  case word, blank, ampersand
  /// The lead byte of a character that may be a blank or padding.
  case special

  @inline(__always) static func of(_ byte: UInt8) -> HTMLByteClass {
    switch byte {
    case 0x09, 0x0A, 0x0C, 0x0D, 0x20: .blank
    case 0x26: .ampersand
    case 0xC2, 0xCD, 0xE1, 0xE2, 0xEF: .special
    default: .word
    }
  }
}
