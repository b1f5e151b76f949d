import Foundation

/// Where a request goes, taken apart from a URL: the server, and what it is asked for.
package struct HTTPAddress: Sendable, Equatable {
  /// `https`, not `http`.
  package let isEncrypted: Bool
  /// A name in ASCII, or an address; IPv6 without brackets.
  package let host: String
  package let port: UInt16
  /// Path and query as they stand in the request: at least `/`.
  package let target: String

  /// Nil unless it is an absolute URL of `https` or `http` with a host. User, password and fragment are left out.
  package init?(_ url: String) {
    guard let parts = URLComponents(string: url), let host = parts.encodedHost,
      let plain = Self.withoutBrackets(host)
    else { return nil }
    switch parts.scheme?.lowercased() {
    case "https": isEncrypted = true
    case "http": isEncrypted = false
    default: return nil
    }
    guard let port = UInt16(exactly: parts.port ?? (isEncrypted ? 443 : 80)), port > 0 else {
      return nil
    }
    self.host = plain
    self.port = port
    let path = parts.percentEncodedPath
    target = (path.isEmpty ? "/" : path) + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
  }

  /// From an address that was taken apart before.
  ///
  /// - Parameters:
  ///   - host: an IPv6 address with its brackets.
  ///   - port: nil for the scheme's own.
  ///   - target: in ASCII; the slash that begins it may be missing.
  package init?(isEncrypted: Bool, host: String, port: UInt16?, target: String) {
    guard let plain = Self.withoutBrackets(host), port != 0 else { return nil }
    self.isEncrypted = isEncrypted
    self.host = plain
    self.port = port ?? (isEncrypted ? 443 : 80)
    self.target = target.hasPrefix("/") ? target : "/" + target
  }

  /// Host, and the port where it is not the scheme's own (RFC 9110 §7.2).
  package var authority: String {
    let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return port == (isEncrypted ? 443 : 80) ? name : "\(name):\(port)"
  }

  /// Nil for what is neither a name in ASCII nor an address.
  private static func withoutBrackets(_ host: String) -> String? {
    let isAddress = host.hasPrefix("[") && host.hasSuffix("]")
    let name = isAddress ? String(host.dropFirst().dropLast()) : host
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        true
      default: isAddress && byte == UInt8(ascii: ":")
      }
    }
    return isPlain && !name.isEmpty ? name : nil
  }
}
