import MailCore

/// A request that asks for one answer and the end of the connection. It does not print what is secret in it.
package struct HTTPRequest: Sendable {
  package enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
  }

  package let method: Method
  package let address: HTTPAddress
  /// In the order in which they are sent; Host, Content-Length and Connection come by themselves.
  package var fields: [HTTPField] = []
  /// The value of that field.
  package var authorization: Secret?
  /// A GET sends none.
  package var body: Secret?

  package init(_ method: Method, _ address: HTTPAddress) {
    self.method = method
    self.address = address
  }

  /// The whole of what goes over the wire (RFC 9112 §2 and §3).
  ///
  /// - Throws: `.unsendable` where a line break or another control character could end a line before its time.
  package func encoded() throws(HTTPWireError) -> Secret {
    guard address.target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .unsendable }
    var bytes = Array("\(method.rawValue) \(address.target) HTTP/1.1\r\n".utf8)
    try Self.add("Host", Array(address.authority.utf8), to: &bytes)
    for field in fields { try Self.add(field.name, Array(field.value.utf8), to: &bytes) }
    if let authorization {
      try authorization.withBytes { value throws(HTTPWireError) in
        try Self.add("Authorization", value, to: &bytes)
      }
    }
    let content = method == .post ? body ?? Secret("") : nil
    if let content {
      let length = content.withBytes { $0.count }
      try Self.add("Content-Length", Array("\(length)".utf8), to: &bytes)
    }
    bytes += Array("Connection: close\r\n\r\n".utf8)
    content?.withBytes { bytes += $0 }
    return Secret(bytes)
  }

  private static func add(_ name: String, _ value: [UInt8], to bytes: inout [UInt8])
    throws(HTTPWireError)
  {
    guard HTTPField.isName(name.utf8), HTTPField.isValue(value) else { throw .unsendable }
    bytes += Array(name.utf8) + Array(": ".utf8) + value + Array("\r\n".utf8)
  }
}
