import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A blocking TCP connection on loopback. One thread reads while another may write.
///
/// Unchecked: the descriptor never changes, and `closed` lies behind `lock`.
package final class Socket: @unchecked Sendable {
  private let descriptor: Int32
  private let lock = NSLock()
  private var closed = false

  init(descriptor: Int32) {
    self.descriptor = descriptor
    var on: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  package convenience init(connectingTo port: UInt16) throws {
    let descriptor = try makeSocket()
    let code = withLoopback(port) { connect(descriptor, $0, $1) }
    guard code == 0 else {
      let error = errno
      closeDescriptor(descriptor)
      throw KitError.system("connect to port \(port)", error)
    }
    self.init(descriptor: descriptor)
  }

  deinit { closeDescriptor(descriptor) }

  /// Up to `limit` bytes; empty at the end of the stream or once it is cut.
  package func read(limit: Int = 65536) -> [UInt8] {
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      while true {
        count = max(0, recv(descriptor, buffer.baseAddress, limit, 0))
        if count > 0 || errno != EINTR || isClosed { return }
        errno = 0
      }
    }
    return bytes
  }

  /// False where the peer is gone.
  @discardableResult
  package func write(_ bytes: some Collection<UInt8>) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Whether something can be read within the time.
  package func isReadable(within seconds: Double) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, Int32(seconds * 1000)) > 0
  }

  package func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Ends both directions and wakes whoever reads.
  package func close() {
    lock.lock()
    defer { lock.unlock() }
    guard !closed else { return }
    closed = true
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Ends the connection with a reset, as a broken network does.
  package func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    lock.lock()
    defer { lock.unlock() }
    guard !closed else { return }
    closed = true
    // Connecting to "nowhere" aborts at once; close would wait for the last reader.
    var nowhere = sockaddr(
      sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    _ = connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  private var isClosed: Bool {
    lock.lock()
    defer { lock.unlock() }
    return closed
  }
}

/// Accepts connections on a free loopback port, each on a thread of its own.
package final class Listener: Sendable {
  package let port: UInt16
  private let descriptor: Descriptor

  package init(_ accepted: @escaping @Sendable (Socket) -> Void) throws {
    let descriptor = Descriptor(try makeSocket())
    let listening = descriptor.number
    var on: Int32 = 1
    setsockopt(
      listening, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard withLoopback(0, { bind(listening, $0, $1) }) == 0, listen(listening, 128) == 0 else {
      throw KitError.system("bind", errno)
    }
    port = try boundPort(listening)
    self.descriptor = descriptor
    onThread("listener") {
      while let socket = descriptor.next() { onThread("connection") { accepted(socket) } }
    }
  }

  deinit { stop() }

  /// New connections are refused from here on.
  package func stop() { shutdown(descriptor.number, Int32(SHUT_RDWR)) }
}

/// Closed with the last reference, so that nobody shuts down a number that has become another's.
private final class Descriptor: Sendable {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  deinit { closeDescriptor(number) }

  /// The next connection; nil once the listener is stopped.
  func next() -> Socket? {
    while true {
      let connection = accept(number, nil, nil)
      if connection >= 0 {
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        return Socket(descriptor: connection)
      }
      if errno != EINTR && errno != ECONNABORTED { return nil }
    }
  }
}

/// Whether a server could listen at a port.
func isFree(_ port: UInt16) throws -> Bool {
  let descriptor = try makeSocket()
  defer { close(descriptor) }
  return withLoopback(port) { bind(descriptor, $0, $1) } == 0
}

/// `Socket.close` hides the system's name inside the class.
private func closeDescriptor(_ descriptor: Int32) { close(descriptor) }

func onThread(_ name: String, _ body: @escaping @Sendable () -> Void) {
  let thread = Thread(block: body)
  thread.name = name
  thread.stackSize = 1 << 20
  thread.start()
}

private func makeSocket() throws -> Int32 {
  let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
  let descriptor = socket(AF_INET, type, 0)
  guard descriptor >= 0 else { throw KitError.system("socket", errno) }
  return descriptor
}

private func withLoopback<R>(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R
{
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}

private func boundPort(_ descriptor: Int32) throws -> UInt16 {
  var address = sockaddr_in()
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let code = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
  }
  guard code == 0 else { throw KitError.system("getsockname", errno) }
  return UInt16(bigEndian: address.sin_port)
}
