#if os(Linux) && !DEBUG
  // A release brings Foundation along whole, and that has ways to a network in it. The indexer has no use for one, and
  // nothing in it may have: these stand before the C library's.

  /// Answered to every call: an error that names no host and asks for no second try.
  private let refused: Int32 = -1

  @c(socket) public func refuseSocket(_ domain: Int32, _ type: Int32, _ kind: Int32) -> Int32 {
    refused
  }

  @c(connect) public func refuseConnect(
    _ socket: Int32, _ address: UnsafeRawPointer?, _ length: UInt32
  ) -> Int32 { refused }

  @c(bind) public func refuseBind(_ socket: Int32, _ address: UnsafeRawPointer?, _ length: UInt32)
    -> Int32
  { refused }

  @c(listen) public func refuseListen(_ socket: Int32, _ backlog: Int32) -> Int32 { refused }

  @c(sendto) public func refuseSend(
    _ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32,
    _ address: UnsafeRawPointer?, _ length: UInt32
  ) -> Int { Int(refused) }

  @c(recvfrom) public func refuseReceive(
    _ socket: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int, _ flags: Int32,
    _ address: UnsafeMutableRawPointer?, _ length: UnsafeMutableRawPointer?
  ) -> Int { Int(refused) }

  @c(getaddrinfo) public func refuseLookup(
    _ name: UnsafePointer<CChar>?, _ service: UnsafePointer<CChar>?, _ hints: UnsafeRawPointer?,
    _ results: UnsafeMutableRawPointer?
  ) -> Int32 {
    // EAI_FAIL: no answer, now or later.
    -4
  }

  @c(gethostbyname) public func refuseName(_ name: UnsafePointer<CChar>?)
    -> UnsafeMutableRawPointer?
  { nil }
#endif
