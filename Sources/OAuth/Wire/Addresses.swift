import Foundation

/// Judges addresses of authorisation servers.
package enum Addresses {
  /// HTTPS, or HTTP to this machine: nothing else may hear a secret.
  package static func isSafe(_ url: String) -> Bool {
    guard let parts = URLComponents(string: url), let host = parts.encodedHost, !host.isEmpty,
      parts.user == nil, parts.password == nil
    else { return false }
    switch parts.scheme?.lowercased() {
    case "https": return true
    case "http": return isLoopback(host)
    default: return false
    }
  }

  static func isLoopback(_ host: String) -> Bool {
    let host = host.lowercased()
    if ["localhost", "::1", "[::1]"].contains(host) { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// For error texts.
  static func host(of url: String) -> String {
    URLComponents(string: url)?.encodedHost ?? "the log-in server"
  }
}
