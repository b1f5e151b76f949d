/// The bytes that mail syntax is made of, and their classes.
enum ASCII {
  static let tab: UInt8 = 0x09
  static let lf: UInt8 = 0x0A
  static let cr: UInt8 = 0x0D
  static let space: UInt8 = 0x20
  static let quote: UInt8 = 0x22
  static let openParenthesis: UInt8 = 0x28
  static let closeParenthesis: UInt8 = 0x29
  static let comma: UInt8 = 0x2C
  static let dash: UInt8 = 0x2D
  static let dot: UInt8 = 0x2E
  static let zero: UInt8 = 0x30
  static let colon: UInt8 = 0x3A
  static let semicolon: UInt8 = 0x3B
  static let less: UInt8 = 0x3C
  static let equals: UInt8 = 0x3D
  static let greater: UInt8 = 0x3E
  static let question: UInt8 = 0x3F
  static let at: UInt8 = 0x40
  static let backslash: UInt8 = 0x5C
  static let underscore: UInt8 = 0x5F

  @inline(__always) static func lowered(_ byte: UInt8) -> UInt8 {
    byte &- 65 < 26 ? byte | 0x20 : byte
  }

  /// Space, tab, CR or LF: what folding may put between words.
  @inline(__always) static func isBlank(_ byte: UInt8) -> Bool {
    byte == space || byte == tab || byte == lf || byte == cr
  }

  @inline(__always) static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

  @inline(__always) static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 97 < 26 }

  /// The value of a hexadecimal digit, or nil.
  @inline(__always) static func hexValue(_ byte: UInt8) -> UInt8? {
    if isDigit(byte) { return byte &- zero }
    let letter = lowered(byte) &- 97
    return letter < 6 ? letter &+ 10 : nil
  }
}
