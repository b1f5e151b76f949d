#if os(Linux) && !DEBUG
  import Glibc

  // A release has Foundation inside, and that comes with ways to a network. The indexer has no use for them, and nothing
  // in it may have: every call that opens a socket, looks up a host or moves bytes over either is refused here, in the
  // program itself, before the C library is asked.

  private func refused() -> Int32 {
    errno = EACCES
    return -1
  }

  // MARK: Sockets

  @c(socket) public func refuseSocket(_ domain: Int32, _ type: Int32, _ kind: Int32) -> Int32 {
    refused()
  }

  @c(socketpair) public func refusePair(
    _ domain: Int32, _ type: Int32, _ kind: Int32, _ pair: UnsafeMutableRawPointer?
  ) -> Int32 { refused() }

  @c(connect) public func refuseConnect(
    _ socket: Int32, _ address: UnsafeRawPointer?, _ length: UInt32
  ) -> Int32 { refused() }

  @c(bind) public func refuseBind(_ socket: Int32, _ address: UnsafeRawPointer?, _ length: UInt32)
    -> Int32
  { refused() }

  @c(listen) public func refuseListen(_ socket: Int32, _ backlog: Int32) -> Int32 { refused() }

  @c(accept) public func refuseAccept(
    _ socket: Int32, _ address: UnsafeMutableRawPointer?, _ length: UnsafeMutableRawPointer?
  ) -> Int32 { refused() }

  @c(accept4) public func refuseAcceptWithFlags(
    _ socket: Int32, _ address: UnsafeMutableRawPointer?, _ length: UnsafeMutableRawPointer?,
    _ flags: Int32
  ) -> Int32 { refused() }

  @c(shutdown) public func refuseShutdown(_ socket: Int32, _ how: Int32) -> Int32 { refused() }

  @c(getsockname) public func refuseOwnAddress(
    _ socket: Int32, _ address: UnsafeMutableRawPointer?, _ length: UnsafeMutableRawPointer?
  ) -> Int32 { refused() }

  @c(getpeername) public func refusePeerAddress(
    _ socket: Int32, _ address: UnsafeMutableRawPointer?, _ length: UnsafeMutableRawPointer?
  ) -> Int32 { refused() }

  @c(getsockopt) public func refuseOption(
    _ socket: Int32, _ level: Int32, _ name: Int32, _ value: UnsafeMutableRawPointer?,
    _ length: UnsafeMutableRawPointer?
  ) -> Int32 { refused() }

  @c(setsockopt) public func refuseSettingOption(
    _ socket: Int32, _ level: Int32, _ name: Int32, _ value: UnsafeRawPointer?, _ length: UInt32
  ) -> Int32 { refused() }

  // MARK: Bytes

  @c(send) public func refuseSend(
    _ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32
  ) -> Int { Int(refused()) }

  @c(sendto) public func refuseSendTo(
    _ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32,
    _ address: UnsafeRawPointer?, _ length: UInt32
  ) -> Int { Int(refused()) }

  @c(sendmsg) public func refuseSendMessage(
    _ socket: Int32, _ message: UnsafeRawPointer?, _ flags: Int32
  ) -> Int { Int(refused()) }

  @c(recv) public func refuseReceive(
    _ socket: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int, _ flags: Int32
  ) -> Int { Int(refused()) }

  @c(recvfrom) public func refuseReceiveFrom(
    _ socket: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int, _ flags: Int32,
    _ address: UnsafeMutableRawPointer?, _ length: UnsafeMutableRawPointer?
  ) -> Int { Int(refused()) }

  @c(recvmsg) public func refuseReceiveMessage(
    _ socket: Int32, _ message: UnsafeMutableRawPointer?, _ flags: Int32
  ) -> Int { Int(refused()) }

  // MARK: Names and interfaces

  @c(getaddrinfo) public func refuseLookup(
    _ name: UnsafePointer<CChar>?, _ service: UnsafePointer<CChar>?, _ hints: UnsafeRawPointer?,
    _ results: UnsafeMutableRawPointer?
  ) -> Int32 {
    EAI_FAIL
  }

  @c(getnameinfo) public func refuseReverseLookup(
    _ address: UnsafeRawPointer?, _ length: UInt32, _ host: UnsafeMutablePointer<CChar>?,
    _ hostSize: UInt32, _ service: UnsafeMutablePointer<CChar>?, _ serviceSize: UInt32,
    _ flags: Int32
  ) -> Int32 {
    EAI_FAIL
  }

  @c(gethostbyname) public func refuseName(_ name: UnsafePointer<CChar>?)
    -> UnsafeMutableRawPointer?
  { nil }

  @c(getifaddrs) public func refuseInterfaces(_ list: UnsafeMutableRawPointer?) -> Int32 {
    refused()
  }
#endif
