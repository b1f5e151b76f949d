#if os(Linux)
  import CWatchCalls
  import Glibc

  /// Tells when the machine's network has become another: a link up or down, an address, a default route (rtnetlink(7)).
  package final class NetworkChanges {
    package let descriptor: Int32
    private var news = NetworkNews()

    private static let room = 32 * 1024

    /// Nil where the system does not allow such a socket.
    package init?() {
      descriptor = watch_open_network()
      if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Whether something has changed since the last call; never waits.
    package func read() -> Bool {
      var isChanged = false
      withUnsafeTemporaryAllocation(byteCount: Self.room, alignment: 8) { buffer in
        while true {
          let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
          if count > 0 {
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            if news.isChange(bytes) { isChanged = true }
          } else if count < 0, errno == ENOBUFS {
            isChanged = true  // More messages than the system keeps.
          } else if count == 0 || errno != EINTR {
            return
          }
        }
      }
      return isChanged
    }
  }
#else
  /// Changes of the network are not told of here.
  package final class NetworkChanges {
    package let descriptor: Int32 = -1
    package init?() { return nil }
    package func read() -> Bool { false }
  }
#endif
