/// The bytes that mail, pages and addresses are made of, and their classes.
///
/// Parsers of other modules ask for them byte by byte, so all of it is inlined there.
package enum ASCII {
  @inlinable package static var tab: UInt8 { 0x09 }
  @inlinable package static var lf: UInt8 { 0x0A }
  @inlinable package static var cr: UInt8 { 0x0D }
  @inlinable package static var space: UInt8 { 0x20 }
  @inlinable package static var quote: UInt8 { 0x22 }
  @inlinable package static var number: UInt8 { 0x23 }
  @inlinable package static var percent: UInt8 { 0x25 }
  @inlinable package static var ampersand: UInt8 { 0x26 }
  @inlinable package static var apostrophe: UInt8 { 0x27 }
  @inlinable package static var openParenthesis: UInt8 { 0x28 }
  @inlinable package static var closeParenthesis: UInt8 { 0x29 }
  @inlinable package static var plus: UInt8 { 0x2B }
  @inlinable package static var comma: UInt8 { 0x2C }
  @inlinable package static var dash: UInt8 { 0x2D }
  @inlinable package static var dot: UInt8 { 0x2E }
  @inlinable package static var slash: UInt8 { 0x2F }
  @inlinable package static var zero: UInt8 { 0x30 }
  @inlinable package static var colon: UInt8 { 0x3A }
  @inlinable package static var semicolon: UInt8 { 0x3B }
  @inlinable package static var less: UInt8 { 0x3C }
  @inlinable package static var equals: UInt8 { 0x3D }
  @inlinable package static var greater: UInt8 { 0x3E }
  @inlinable package static var question: UInt8 { 0x3F }
  @inlinable package static var at: UInt8 { 0x40 }
  @inlinable package static var backslash: UInt8 { 0x5C }
  @inlinable package static var underscore: UInt8 { 0x5F }

  @inlinable @inline(__always) package static func lowered(_ byte: UInt8) -> UInt8 {
    byte &- 65 < 26 ? byte | 0x20 : byte
  }

  /// Space, tab, CR or LF: what folding may put between words.
  @inlinable @inline(__always) package static func isBlank(_ byte: UInt8) -> Bool {
    byte == space || byte == tab || byte == lf || byte == cr
  }

  @inlinable @inline(__always) package static func isDigit(_ byte: UInt8) -> Bool {
    byte &- zero < 10
  }

  @inlinable @inline(__always) package static func isLetter(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 97 < 26
  }

  /// The value of a hexadecimal digit, or nil.
  @inlinable @inline(__always) package static func hexValue(_ byte: UInt8) -> UInt8? {
    if isDigit(byte) { return byte &- zero }
    let letter = lowered(byte) &- 97
    return letter < 6 ? letter &+ 10 : nil
  }
}
