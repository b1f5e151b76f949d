#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An address as the system's calls take it.
struct SocketAddress: Sendable, Equatable {
  let family: Int32
  let bytes: [UInt8]

  /// Whether a connection to it never leaves this machine: judged by the address, never by a name.
  var isLoopback: Bool {
    bytes.withUnsafeBytes { raw in
      switch family {
      case AF_INET where raw.count >= MemoryLayout<sockaddr_in>.size:
        let four = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
        return withUnsafeBytes(of: four) { $0.first == 127 }
      case AF_INET6 where raw.count >= MemoryLayout<sockaddr_in6>.size:
        let six = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
        return withUnsafeBytes(of: six) { Self.isLoopback($0) }
      default: return false
      }
    }
  }

  /// `::1`, or 127/8 mapped into IPv6.
  private static func isLoopback(_ six: UnsafeRawBufferPointer) -> Bool {
    let isOne = six.dropLast().allSatisfy { $0 == 0 } && six.last == 1
    let isMapped =
      six.prefix(10).allSatisfy { $0 == 0 } && six[10] == 0xFF && six[11] == 0xFF && six[12] == 127
    return isOne || isMapped
  }
}
