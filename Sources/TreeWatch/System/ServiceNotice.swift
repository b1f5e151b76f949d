#if canImport(Glibc)
  import CWatchCalls
  import Glibc
#else
  import Darwin
#endif

/// Tells the service manager how the program is: datagrams to the socket that `NOTIFY_SOCKET` names (sd_notify(3)).
package struct ServiceNotice: Sendable {
  /// How often ``alive()`` is asked for: half of the time after which the program would be restarted. Nil where it is not.
  package let aliveEvery: Duration?
  /// struct sockaddr_un.
  private let address: [UInt8]

  /// Nil where no service manager listens.
  package init?(environment: [String: String]) {
    guard let path = environment["NOTIFY_SOCKET"], let first = path.utf8.first,
      first == UInt8(ascii: "/") || first == UInt8(ascii: "@"), path.utf8.count < 108
    else { return nil }
    // A leading @ stands for a NUL: a name that is no file's.
    let name = first == UInt8(ascii: "@") ? [0] + Array(path.utf8.dropFirst()) : Array(path.utf8)
    address = withUnsafeBytes(of: sa_family_t(AF_UNIX)) { Array($0) } + name
    let isOurs = environment["WATCHDOG_PID"].map { Int32($0) == getpid() } ?? true
    aliveEvery =
      isOurs
      ? environment["WATCHDOG_USEC"].flatMap { Int64($0) }.map { .microseconds($0 / 2) } : nil
  }

  /// The service has started; or it is done with what ``reloading()`` began.
  package func ready() { send("READY=1") }

  /// One line for `systemctl status`.
  package func status(_ text: String) {
    send("STATUS=" + text.split(whereSeparator: \.isNewline).joined(separator: " "))
  }

  package func alive() { send("WATCHDOG=1") }

  package func stopping() { send("STOPPING=1") }

  package func reloading() {
    send("RELOADING=1\nMONOTONIC_USEC=\(SleepClock.awake * 1000)")
  }

  private func send(_ text: String) {
    #if os(Linux)
      let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      guard socket >= 0 else { return }
      defer { close(socket) }
      address.withUnsafeBytes { address in
        guard let start = address.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
          return
        }
        let bytes = Array(text.utf8)
        // Not waited for: where nothing reads the socket any more, mail goes on all the same.
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        while sendto(socket, bytes, bytes.count, flags, start, socklen_t(address.count)) < 0,
          errno == EINTR
        {}
      }
    #endif
  }
}
