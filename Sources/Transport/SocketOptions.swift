#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

enum SocketOptions {
  /// Small commands go out at once; a peer that vanished is noticed after about two minutes.
  static func set(on descriptor: Int32) {
    set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
    set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 15)
    set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, 4)
    #if canImport(Glibc)
      set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 60)
    #else
      set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPALIVE, 60)
      set(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
    #endif
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    _ = setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Whether the connection never leaves this machine: judged by the peer's address, never by its name.
  static func isPeerLoopback(_ descriptor: Int32) -> Bool {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      let raw = UnsafeMutableRawPointer(pointer)
      let address = raw.assumingMemoryBound(to: sockaddr.self)
      guard getpeername(descriptor, address, &size) == 0 else { return false }
      switch Int32(address.pointee.sa_family) {
      case AF_INET:
        let four = raw.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_addr
        return withUnsafeBytes(of: four) { $0.first == 127 }
      case AF_INET6:
        let six = raw.assumingMemoryBound(to: sockaddr_in6.self).pointee.sin6_addr
        return withUnsafeBytes(of: six) { isLoopback($0) }
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
