/// Where services that put themselves before a link send on, read from the link itself: no server is asked.
package enum Redirect {
  /// The address that a wrapped one holds, through up to three wrappings; nil where it is none that is known.
  package static func target(of address: WebAddress) -> WebAddress? {
    var found: WebAddress?
    var current = address
    for _ in 0..<3 {
      guard let next = unwrapped(current) else { break }
      found = next
      current = next
    }
    return found
  }

  private static func unwrapped(_ address: WebAddress) -> WebAddress? {
    guard address.isWeb, let host = address.host else { return nil }
    func parameter(_ names: String...) -> WebAddress? {
      names.lazy.compactMap { address.parameter($0) }.compactMap { WebAddress($0) }.first(
        where: \.isWeb)
    }
    let path = address.path.prefix { $0 != "?" }
    switch Organisation.domain(of: host) {
    case "outlook.com" where host.hasSuffix("safelinks.protection.outlook.com"):
      return parameter("url")
    case "google.com" where path == "/url": return parameter("q", "url")
    case "facebook.com" where host.hasPrefix("l."): return parameter("u")
    case "instagram.com" where host.hasPrefix("l."): return parameter("u")
    case "youtube.com" where path == "/redirect": return parameter("q")
    case "slack-redir.net": return parameter("url")
    case "cudasvc.com" where host.hasPrefix("linkprotect."): return parameter("a")
    case "urldefense.com", "urldefense.us": return proofpoint(address)
    case "proofpoint.com" where host.hasPrefix("urldefense"): return proofpoint(address)
    default: return nil
    }
  }

  /// `/v1/url?u=`, `/v2/url?u=` with `-` for `%` and `_` for `/`, `/v3/__https://…__;…`.
  private static func proofpoint(_ address: WebAddress) -> WebAddress? {
    if address.path.hasPrefix("/v3/__"), let end = address.path.firstRange(of: "__;") {
      return WebAddress(String(address.path[..<end.lowerBound].dropFirst(6)))
    }
    guard let wrapped = address.parameter("u") else { return nil }
    guard address.path.hasPrefix("/v2/") else { return WebAddress(wrapped) }
    let encoded = wrapped.utf8.map { byte -> UInt8 in
      switch byte {
      case ASCII.dash: ASCII.percent
      case UInt8(ascii: "_"): ASCII.slash
      default: byte
      }
    }
    return WebAddress(PercentEncoding.decode(encoded))
  }
}
