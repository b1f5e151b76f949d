/// Outlook's Thread-Index: 22 bytes name the conversation, each reply adds five to its parent's.
struct ThreadIndexHeader {
  /// Decoded, at least 22 bytes, at most 22 + 5 × 100.
  let bytes: [UInt8]

  private static let rootLength = 22
  private static let replyLength = 5

  /// - Parameter value: the field's value, base64 with whatever blanks folding left in it. Nil where
  ///   it is damaged, too short, or names no conversation.
  init?(value: some Sequence<UInt8>) {
    var bytes: [UInt8] = []
    var group: UInt32 = 0
    var bits = 0
    for byte in value {
      guard let digit = Self.digit(byte) else {
        if byte == UInt8(ascii: "=") { break }
        if byte <= 0x20 { continue }
        return nil
      }
      group = group << 6 | UInt32(digit)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
        if bytes.count == Self.rootLength + 100 * Self.replyLength { break }
      }
    }
    // The last 16 are a GUID: without one only a time is left, and strangers share those.
    guard bytes.count >= Self.rootLength,
      bytes[6..<Self.rootLength].contains(where: { $0 != 0 })
    else { return nil }
    self.bytes = bytes
  }

  var conversation: ArraySlice<UInt8> { bytes.prefix(Self.rootLength) }

  /// The parent's whole index, or nil at a root. Values that lost their last characters are about.
  var parent: ArraySlice<UInt8>? {
    let added = bytes.count - Self.rootLength
    guard added > 0 else { return nil }
    return bytes.prefix(Self.rootLength + (added - 1) / Self.replyLength * Self.replyLength)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte + 4
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
