#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension SocketAddress {
  /// Whether it lies out in the world: not this machine, not a network of one's own, not a network's own services.
  ///
  /// For requests that strangers ask for, such as the images of a mail. Addresses that wrap others are judged by those.
  var isPublic: Bool {
    bytes.withUnsafeBytes { raw in
      switch family {
      case AF_INET where raw.count >= MemoryLayout<sockaddr_in>.size:
        let four = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
        return withUnsafeBytes(of: four) { Self.isPublic(four: $0) }
      case AF_INET6 where raw.count >= MemoryLayout<sockaddr_in6>.size:
        let six = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
        return withUnsafeBytes(of: six) { Self.isPublic(six: $0) }
      default: return false
      }
    }
  }

  /// The registry of special addresses (RFC 6890), without those of documentation, which lead nowhere.
  private static func isPublic(four: some RandomAccessCollection<UInt8>) -> Bool {
    let part = Array(four)
    switch (part[0], part[1]) {
    case (0, _), (10, _), (127, _), (224..., _): return false
    case (100, 64...127), (169, 254), (172, 16...31), (192, 168), (198, 18...19): return false
    case (192, 0): return part[2] != 0
    default: return true
    }
  }

  private static func isPublic(six: some RandomAccessCollection<UInt8>) -> Bool {
    let part = Array(six)
    if part[..<10].allSatisfy({ $0 == 0 }), part[10] == 0xFF, part[11] == 0xFF {
      return isPublic(four: part[12...])
    }
    // 64:ff9b::/96 and 2002::/16 lead to addresses of the old kind.
    if part.starts(with: [0x00, 0x64, 0xFF, 0x9B]), part[4..<12].allSatisfy({ $0 == 0 }) {
      return isPublic(four: part[12...])
    }
    if part.starts(with: [0x20, 0x02]) { return isPublic(four: part[2..<6]) }
    // Teredo hides who is meant.
    if part.starts(with: [0x20, 0x01, 0, 0]) { return false }
    return part[0] & 0xE0 == 0x20
  }
}
