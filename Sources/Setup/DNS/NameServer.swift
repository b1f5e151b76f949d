import CResolver
import Foundation

/// Asks the system's name servers, or the one that `MIRROR_DNS` names (`127.0.0.1:5353`): an aid for tests.
package struct NameServer: Sendable {
  /// In network order; 0 for the system's own.
  private let server: UInt32
  private let port: UInt16

  package init(environment: [String: String]) {
    let parts = (environment["MIRROR_DNS"] ?? "").split(separator: ":")
    var address = in_addr()
    if let host = parts.first, inet_pton(AF_INET, String(host), &address) == 1 {
      server = address.s_addr
      port = parts.count > 1 ? UInt16(parts[1]) ?? 53 : 53
    } else {
      (server, port) = (0, 53)
    }
  }

  /// Names are asked of another server than the system's, which the rest of the system does not know of.
  package var isOverridden: Bool { server != 0 }

  package enum Answer: Sendable, Equatable {
    case records(DNSMessage)
    case noSuchName
    /// The name is there, a record of this kind is not.
    case noData
    /// No answer, or one that cannot be believed.
    case failed
  }

  /// **Blocks** for some seconds at most: on a thread of your own.
  package func ask(_ name: String, _ kind: DNSMessage.Kind) -> Answer {
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    let length = Int(
      resolver_query(
        name, Int32(kind.rawValue), server, port, 2, 2, &buffer, Int32(buffer.count)))
    guard length > 0 else {
      switch -length {
      case 1: return .noSuchName
      case 4: return .noData
      default: return .failed
      }
    }
    guard length <= buffer.count, let message = try? DNSMessage(Array(buffer[..<length])) else {
      return .failed
    }
    return .records(message)
  }

  /// The address to connect to: only where names are asked elsewhere, else the name itself.
  package func connectable(_ host: String) -> String {
    guard isOverridden, case .records(let message) = ask(host, .a) else { return host }
    return message.addresses.first ?? host
  }
}
