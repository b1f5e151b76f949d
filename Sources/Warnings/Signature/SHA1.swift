/// SHA-1 (FIPS 180-4 §6.1), which old signatures have; it proves nothing any more.
struct SHA1: BodyHash {
  private var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
  private var blocks = HashBlocks()

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var state = self.state
    blocks.update(bytes) { Self.compress($0, &state) }
    self.state = state
  }

  mutating func finish() -> [UInt8] {
    var state = self.state
    blocks.finish { Self.compress($0, &state) }
    return state.flatMap { $0.bigEndianBytes }
  }

  private static func compress(_ block: UnsafeRawBufferPointer, _ state: inout [UInt32]) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 80) { words in
      for place in 0..<16 {
        words[place] = UInt32(
          bigEndian: block.loadUnaligned(fromByteOffset: place * 4, as: UInt32.self))
      }
      for place in 16..<80 {
        words[place] =
          (words[place - 3] ^ words[place - 8] ^ words[place - 14] ^ words[place - 16]).rotated(31)
      }
      var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
      for place in 0..<80 {
        let (mix, constant): (UInt32, UInt32) =
          switch place {
          case ..<20: ((b & c) | (~b & d), 0x5A82_7999)
          case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
          case ..<60: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
          default: (b ^ c ^ d, 0xCA62_C1D6)
          }
        let next = a.rotated(27) &+ mix &+ e &+ constant &+ words[place]
        (e, d, c, b, a) = (d, c, b.rotated(2), a, next)
      }
      for (place, value) in [a, b, c, d, e].enumerated() { state[place] &+= value }
    }
  }
}
