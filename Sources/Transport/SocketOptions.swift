#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

enum SocketOptions {
  /// Small commands go out at once. A peer that vanished is noticed after a minute where it has something to acknowledge,
  /// and after little more than two where the line rests.
  static func set(on descriptor: Int32) {
    set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
    set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 15)
    set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, 4)
    #if canImport(Glibc)
      set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 120)
      set(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 60_000)
    #else
      set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPALIVE, 120)
      set(descriptor, Int32(IPPROTO_TCP), TCP_RXT_CONNDROPTIME, 60)
      set(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
    #endif
  }

  /// With a linger time of 0 a close is a reset, whoever closes: the system does so for a process that was killed, too.
  static func dropUnsentBytes(_ drops: Bool, on descriptor: Int32) {
    var value = linger(l_onoff: drops ? 1 : 0, l_linger: 0)
    _ = setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    _ = setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}
