import Foundation

@testable import Transport

#if canImport(Glibc)
  import Glibc
#endif

extension SocketAddress {
  static func loopback(port: UInt16) -> SocketAddress {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    inet_pton(AF_INET, "127.0.0.1", &name.sin_addr)
    return SocketAddress(family: AF_INET, bytes: withUnsafeBytes(of: name) { Array($0) })
  }
}

func pause(seconds: Double) { Thread.sleep(forTimeInterval: seconds) }

/// A listener whose queue is full: further connections get no answer at all.
final class FullServer {
  let address: SocketAddress
  private var descriptors: [Int32] = []

  init() {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    descriptors = [listener]
    let any = SocketAddress.loopback(port: 0)
    _ = any.bytes.withUnsafeBytes {
      bind(listener, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    listen(listener, 0)
    var name = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &name) {
      _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) }
    }
    address = .loopback(port: UInt16(bigEndian: name.sin_port))
    for _ in 0..<4 {
      let filler = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      _ = fcntl(filler, F_SETFL, O_NONBLOCK)
      _ = address.bytes.withUnsafeBytes {
        connect(
          filler, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
      }
      descriptors.append(filler)
    }
  }

  deinit { for descriptor in descriptors { close(descriptor) } }
}
