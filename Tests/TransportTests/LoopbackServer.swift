import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// A plain TCP server inside the test; each connection is served on a thread of its own.
final class LoopbackServer: Sendable {
  let port: UInt16
  private let listener: Int32

  init(address: String = "127.0.0.1", _ serve: @escaping @Sendable (Int32) -> Void) {
    listener = Self.listen(on: address)
    port = Self.port(of: listener)
    let listener = listener
    Thread.detachNewThread {
      while true {
        let connection = accept(listener, nil, nil)
        if connection < 0 { break }
        Thread.detachNewThread {
          serve(connection)
          Glibc.close(connection)
        }
      }
      // Not in `stop`: the number must not be used again while accept still waits on it.
      Glibc.close(listener)
    }
  }

  /// Frees the port. Without it the server serves on until the tests end, also when nobody holds it.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  /// From now on closing sends a reset in place of an end; a client that has said something has surely connected.
  static func resetOnClose(_ descriptor: Int32) {
    var abrupt = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &abrupt, socklen_t(MemoryLayout<linger>.size))
  }

  /// What a connection takes in before it is read.
  static func limitBuffer(_ descriptor: Int32, to size: Int32) {
    var size = size
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
  }

  /// A port on which nobody listens.
  static func freePort() -> UInt16 {
    let server = LoopbackServer { _ in }
    server.stop()
    return server.port
  }

  private static func listen(on address: String) -> Int32 {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    inet_pton(AF_INET, address, &name.sin_addr)
    let bound = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    precondition(bound == 0 && Glibc.listen(listener, 16) == 0)
    return listener
  }

  private static func port(of listener: Int32) -> UInt16 {
    var name = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &name) {
      _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) }
    }
    return UInt16(bigEndian: name.sin_port)
  }

  static func sendAll(_ descriptor: Int32, _ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return }
      sent += count
    }
  }

  static func sendAll(_ descriptor: Int32, _ text: String) { sendAll(descriptor, Array(text.utf8)) }

  /// nil at the end.
  static func receive(_ descriptor: Int32, _ limit: Int = 65536) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: limit)
    let count = recv(descriptor, &buffer, limit, 0)
    return count > 0 ? Array(buffer.prefix(count)) : nil
  }

  /// Carries bytes to and from a server on another port until one side ends.
  static func relay(_ descriptor: Int32, to port: UInt16) {
    let upstream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    inet_pton(AF_INET, "127.0.0.1", &name.sin_addr)
    _ = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    Thread.detachNewThread {
      while let bytes = receive(upstream) { sendAll(descriptor, bytes) }
      shutdown(descriptor, Int32(SHUT_RDWR))
    }
    while let bytes = receive(descriptor) { sendAll(upstream, bytes) }
    shutdown(upstream, Int32(SHUT_RDWR))
  }
}
