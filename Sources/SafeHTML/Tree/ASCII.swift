/// Bytes that pages and addresses are made of, and their classes.
///
/// MIME has its own: what another module of the package has is not inlined, and these are asked for byte by byte.
enum ASCII {
  static let tab: UInt8 = 0x09
  static let lf: UInt8 = 0x0A
  static let cr: UInt8 = 0x0D
  static let space: UInt8 = 0x20
  static let quote: UInt8 = 0x22
  static let number: UInt8 = 0x23
  static let percent: UInt8 = 0x25
  static let ampersand: UInt8 = 0x26
  static let apostrophe: UInt8 = 0x27
  static let openParenthesis: UInt8 = 0x28
  static let closeParenthesis: UInt8 = 0x29
  static let comma: UInt8 = 0x2C
  static let dash: UInt8 = 0x2D
  static let dot: UInt8 = 0x2E
  static let slash: UInt8 = 0x2F
  static let zero: UInt8 = 0x30
  static let colon: UInt8 = 0x3A
  static let semicolon: UInt8 = 0x3B
  static let less: UInt8 = 0x3C
  static let greater: UInt8 = 0x3E
  static let question: UInt8 = 0x3F
  static let at: UInt8 = 0x40

  @inline(__always) static func lowered(_ byte: UInt8) -> UInt8 {
    byte &- 65 < 26 ? byte | 0x20 : byte
  }

  @inline(__always) static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

  @inline(__always) static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 97 < 26 }

  /// What HTML and CSS count as blank: form feeds, too.
  @inline(__always) static func isBlank(_ byte: UInt8) -> Bool {
    byte == space || byte &- 9 < 5
  }

  @inline(__always) static func hexValue(_ byte: UInt8) -> UInt8? {
    if isDigit(byte) { return byte &- zero }
    let letter = lowered(byte) &- 97
    return letter < 6 ? letter &+ 10 : nil
  }
}
