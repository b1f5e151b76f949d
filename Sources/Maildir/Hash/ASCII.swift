/// Bytes that header fields are made of.
enum ASCII {
  static let space = UInt8(ascii: " ")
  static let tab = UInt8(ascii: "\t")
  static let cr: UInt8 = 0x0D
  static let lf: UInt8 = 0x0A

  static func lowered(_ byte: UInt8) -> UInt8 {
    byte &- 65 < 26 ? byte | 0x20 : byte
  }

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == space || byte == tab || byte == ASCII.cr || byte == ASCII.lf
  }
}
