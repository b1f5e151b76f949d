import MailCore

/// A server by name or address, and its port.
package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
  /// DNS name, or IPv4 or IPv6 address without brackets.
  package let host: String
  package let port: UInt16

  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  package var description: String {
    host.utf8.contains(UInt8(ascii: ":"))
      ? "[\(host.visible)]:\(port)" : "\(host.visible):\(port)"
  }

  /// As certificates and SNI spell it: without the root's dot.
  var certificateName: String {
    host.hasSuffix(".") ? String(host.dropLast()) : host
  }
}
