/// A checksum that bytes are fed to.
protocol BodyHash {
  mutating func update(_ bytes: UnsafeRawBufferPointer)
  mutating func finish() -> [UInt8]
}

/// The blocks of 64 bytes that SHA-1 and SHA-256 work on (FIPS 180-4 §5).
struct HashBlocks {
  private var pending: [UInt8] = []
  private var length: UInt64 = 0

  mutating func update(
    _ bytes: UnsafeRawBufferPointer, _ compress: (UnsafeRawBufferPointer) -> Void
  ) {
    length += UInt64(bytes.count)
    var place = 0
    if !pending.isEmpty {
      place = min(64 - pending.count, bytes.count)
      pending.append(contentsOf: bytes[..<place])
      guard pending.count == 64 else { return }
      pending.withUnsafeBytes(compress)
      pending.removeAll(keepingCapacity: true)
    }
    while bytes.count - place >= 64 {
      compress(UnsafeRawBufferPointer(rebasing: bytes[place..<place + 64]))
      place += 64
    }
    pending.append(contentsOf: bytes[place...])
  }

  /// Appends what §5.1.1 asks for.
  mutating func finish(_ compress: (UnsafeRawBufferPointer) -> Void) {
    let bits = length * 8
    pending.append(0x80)
    while pending.count % 64 != 56 { pending.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) {
      pending.append(UInt8(bits >> UInt64(shift) & 0xFF))
    }
    pending.withUnsafeBytes { all in
      for start in stride(from: 0, to: all.count, by: 64) {
        compress(UnsafeRawBufferPointer(rebasing: all[start..<start + 64]))
      }
    }
  }
}
