import MIME

/// ``BodyScan`` for bytes that come in pieces.
struct StreamScan: Sendable {
  private(set) var hasLongLines = false
  private(set) var hasEightBit = false
  private var lineLength = 0

  mutating func take(_ bytes: UnsafeRawBufferPointer) {
    var start = 0
    while start < bytes.count {
      let end = bytes.lineFeed(from: start)
      lineLength += end - start
      if lineLength > BodyScan.lineLimit { hasLongLines = true }
      if end < bytes.count { lineLength = 0 }
      start = end + 1
    }
    if !hasEightBit { hasEightBit = UTF8Scan.asciiEnd(bytes) < bytes.count }
  }

  mutating func take(_ bytes: [UInt8]) { bytes.withUnsafeBytes { take($0) } }
}
