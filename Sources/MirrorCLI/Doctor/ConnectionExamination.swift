import CLISupport
import Foundation
import MailCore
import Settings
import Transport

/// The way to one server, IMAP's or SMTP's: its name, the connection, TLS.
struct ConnectionExamination {
  let server: ServerSettings
  /// Before the name of each check: nothing, or `smtp-`.
  var prefix = ""

  /// DNS alone, to tell a wrong name from a server that is down.
  func name() -> Finding {
    var hints = addrinfo()
    #if canImport(Glibc)
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = SOCK_STREAM
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(server.host, nil, &hints, &list)
    guard status == 0 else {
      let reason = String(cString: gai_strerror(status))
      return .wrong(
        prefix + "name", "\(server.host) cannot be resolved: \(reason).",
        "Check host, and that you are online.", .unreachable)
    }
    defer { freeaddrinfo(list) }
    var families: [Int32] = []
    var entry = list
    while let address = entry {
      families.append(address.pointee.ai_family)
      entry = address.pointee.ai_next
    }
    let six = families.count { $0 == AF_INET6 }
    return .fine(
      prefix + "name",
      "\(server.host) has \(Quantities.count(families.count, "address", "addresses"))"
        + (six > 0 ? ", \(six) of IPv6" : ""))
  }

  /// - Parameter stream: nil where it never stood: then there is nothing to tell.
  func connection(_ stream: NetworkStream?) -> [Finding] {
    guard let stream else { return [] }
    let reached = Finding.fine(prefix + "connection", "\(stream.endpoint) answers")
    guard let tls = stream.tls else {
      guard server.tls == .none else { return [reached] }
      return [
        reached,
        .notice(
          prefix + "tls", "none, as configured: the connection stays on this machine."),
      ]
    }
    let certificate = tls.certificate
    return [
      reached,
      self.tls(
        "\(tls.version), \(tls.cipher)", issuer: certificate?.issuer, expires: certificate?.expires),
    ]
  }

  /// The certificate has been verified, or there would be no connection.
  ///
  /// - Parameter expires: Unix seconds.
  func tls(_ words: String, issuer: String?, expires: Int64?, now: Date = Date()) -> Finding {
    guard let expires else { return .fine(prefix + "tls", words) }
    let days = Int((Double(expires) - now.timeIntervalSince1970) / 86_400)
    let by = issuer.map { $0.isEmpty ? "" : " by \($0)" } ?? ""
    let whole = "\(words), certificate\(by) good for \(Quantities.count(days, "day"))"
    if days < 14 {
      return .notice(
        prefix + "tls", whole + ".", "The server's operator has to renew it in time.")
    }
    return .fine(prefix + "tls", whole)
  }

  /// An error of the way to the server, or of its answers.
  func wrong(_ error: any Error, reached: Bool) -> Finding {
    guard let error = error as? any Explained else {
      return .wrong(prefix + "server", "failed: \(type(of: error)).", nil)
    }
    if let transport = error as? TransportError {
      switch transport {
      case .certificate, .protocolTooOld, .handshake, .notTLS, .bytesBeforeTLS, .trustFile:
        return .wrong(prefix + "tls", error)
      default: break
      }
    }
    return .wrong(prefix + (reached ? "log-in" : "connection"), error)
  }
}
