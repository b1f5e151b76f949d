import Foundation

/// The address on this machine to which the browser brings the answer (RFC 8252 §7.3).
struct RedirectAddress: Equatable {
  /// As the address has it: `127.0.0.1`, `localhost`, `[::1]`.
  let host: String
  /// Nil: any that is free.
  let port: UInt16?
  /// As the address has it; empty stands for `/`.
  let path: String

  /// Nil for addresses of other machines.
  init?(_ url: String) {
    guard let parts = URLComponents(string: url), parts.scheme == "http",
      let host = parts.encodedHost,
      Addresses.isLoopback(host)
    else { return nil }
    self.host = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    port = parts.port.flatMap { UInt16(exactly: $0) }
    path = parts.percentEncodedPath
  }

  /// As providers compare it: letter by letter but for the port.
  func url(port: UInt16) -> String { "http://\(host):\(port)\(path)" }

  /// What a browser asks for there.
  var requestPath: String { path.isEmpty ? "/" : path }

  /// Where to listen. Browsers take either family for the name.
  var families: [LoopbackSocket.Family] {
    switch host.lowercased() {
    case "[::1]": [.six]
    case "localhost": [.four, .six]
    default: [.four]
    }
  }
}
