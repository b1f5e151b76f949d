#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A socket that listens on this machine alone. Closed with its last reference.
final class LoopbackSocket {
  enum Family { case four, six }

  struct Failure: Error {
    let code: Int32
    init() { code = errno }
    var reason: String { String(cString: strerror(code)) }
  }

  let descriptor: Int32
  let port: UInt16

  /// - Parameter port: 0 for any that is free.
  init(_ family: Family, port: UInt16) throws(Failure) {
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    let descriptor = socket(family == .four ? AF_INET : AF_INET6, type, 0)
    guard descriptor >= 0 else { throw Failure() }
    guard let bound = Self.listening(descriptor, family, port) else {
      let failure = Failure()
      close(descriptor)
      throw failure
    }
    self.descriptor = descriptor
    self.port = bound
  }

  deinit { close(descriptor) }

  /// The next connection, non-blocking; nil where there is none at the moment.
  func accepted() -> Int32? {
    let connection = accept(descriptor, nil, nil)
    guard connection >= 0 else { return nil }
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    _ = fcntl(connection, F_SETFL, O_NONBLOCK)
    return connection
  }

  private static func listening(_ descriptor: Int32, _ family: Family, _ port: UInt16) -> UInt16? {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    // A port that a log-in used a minute ago may be used again.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
    switch family {
    case .four:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      guard listening(descriptor, &address) else { return nil }
      return UInt16(bigEndian: address.sin_port)
    case .six:
      setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size)
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
      guard listening(descriptor, &address) else { return nil }
      return UInt16(bigEndian: address.sin6_port)
    }
  }

  /// Binds, listens, and reads back what the address has become.
  private static func listening<Address>(_ descriptor: Int32, _ address: inout Address) -> Bool {
    var length = socklen_t(MemoryLayout<Address>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && listen(descriptor, 16) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
  }
}
