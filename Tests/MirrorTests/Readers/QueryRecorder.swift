import Foundation
import MailTestKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A network of its own with a name server that only writes down that it was asked, and never answers.
///
/// Programs that run within see it as the only one; whatever they send anywhere is counted, too.
final class QueryRecorder {
  private let network: PrivateNetwork
  private let socket: Int32
  private let resolver: String

  /// Mounts that only one program sees, beside a network of its own.
  static let isPossible =
    PrivateNetwork.isPossible
    && (try? MailTestKit.run([
      "unshare", "-m", "mount", "--bind", "/etc/hostname", "/etc/resolv.conf",
    ]))?
    .status == 0

  init(home: String) throws {
    network = try PrivateNetwork()
    resolver = home + "/resolv.conf"
    try writeFile(resolver, "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
    socket = try network.within {
      let socket = Self.udpSocket()
      var place = sockaddr_in()
      place.sin_family = sa_family_t(AF_INET)
      place.sin_port = UInt16(53).bigEndian
      place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let status = withUnsafePointer(to: &place) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard socket >= 0, status == 0 else { throw KitError("no name server: \(errno)") }
      return socket
    }
  }

  deinit { close(socket) }

  func run(_ command: [String], environment: [String: String]) throws -> Outcome {
    let seen = [
      "unshare", "-m", "sh", "-c", "mount --bind \"$0\" /etc/resolv.conf && exec \"$@\"", resolver,
    ]
    return try network.within { try MailTestKit.run(seen + command, environment: environment) }
  }

  /// Questions that have come so far.
  func queries() -> Int {
    var count = 0
    var question = [UInt8](repeating: 0, count: 512)
    while recv(socket, &question, question.count, Int32(MSG_DONTWAIT)) > 0 { count += 1 }
    return count
  }

  /// Packets that anybody within has sent, or tried to send, so far.
  func packets() throws -> Int {
    try network.within {
      let lines = try String(contentsOfFile: "/proc/thread-self/net/snmp", encoding: .utf8)
        .split(separator: "\n").filter { $0.hasPrefix("Ip:") }.map { $0.split(separator: " ") }
      return zip(lines[0], lines[1]).reduce(0) { sum, field in
        ["OutRequests", "OutNoRoutes"].contains(field.0) ? sum + (Int(field.1) ?? 0) : sum
      }
    }
  }

  private static func udpSocket() -> Int32 {
    #if canImport(Glibc)
      Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    #else
      Darwin.socket(AF_INET, SOCK_DGRAM, 0)
    #endif
  }
}
