/// ``BodyScan`` for bytes that come in pieces.
struct StreamScan: Sendable {
  private(set) var hasLongLines = false
  private(set) var hasEightBit = false
  private var lineLength = 0

  mutating func take(_ bytes: [UInt8]) {
    for byte in bytes {
      if byte == 0x0A {
        lineLength = 0
      } else {
        lineLength += 1
        if lineLength > BodyScan.lineLimit { hasLongLines = true }
        if byte > 0x7F { hasEightBit = true }
      }
    }
  }
}
