#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Whether a host is this very machine, or one on its own wire: loopback, link-local, or no address at all.
///
/// Services there trust who reaches them. No server outside may send us to them.
enum LocalAddress {
  /// **Blocks**: the name is resolved, as the connection will do it. That also sees through spellings such as `127.1`.
  static func isLocal(_ host: String, _ nameServer: NameServer) -> Bool {
    let bare = host.hasPrefix("[") ? String(host.dropFirst().prefix { $0 != "]" }) : host
    let name = bare.lowercased().split(separator: ".").joined(separator: ".")
    if name == "localhost" || name.hasSuffix(".localhost") { return true }
    // Asked of the tests' server, or not at all.
    if nameServer.isOverridden {
      return any(of: nameServer.connectable(bare), numeric: true, isLocal)
    }
    return any(of: bare, numeric: false, isLocal)
  }

  private static func any(of host: String, numeric: Bool, _ test: (UnsafePointer<sockaddr>) -> Bool)
    -> Bool
  {
    var hints = addrinfo()
    hints.ai_flags = numeric ? AI_NUMERICHOST : 0
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return false }
    defer { freeaddrinfo(list) }
    var next = list
    while let entry = next {
      if let address = entry.pointee.ai_addr, test(address) { return true }
      next = entry.pointee.ai_next
    }
    return false
  }

  private static func isLocal(_ address: UnsafePointer<sockaddr>) -> Bool {
    let raw = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      let found = raw.loadUnaligned(as: sockaddr_in.self)
      return isLocal(ipv4: withUnsafeBytes(of: found.sin_addr) { Array($0) })
    case AF_INET6:
      let found = raw.loadUnaligned(as: sockaddr_in6.self)
      return isLocal(ipv6: withUnsafeBytes(of: found.sin6_addr) { Array($0) })
    default: return false
    }
  }

  /// 0.0.0.0/8, 127.0.0.0/8, 169.254.0.0/16 (RFC 6890)
  static func isLocal(ipv4 bytes: [UInt8]) -> Bool {
    bytes[0] == 0 || bytes[0] == 127 || bytes[0] == 169 && bytes[1] == 254
  }

  /// `::`, `::1`, fe80::/10, and the others where they are embedded (RFC 4291 §2.5.5).
  static func isLocal(ipv6 bytes: [UInt8]) -> Bool {
    if bytes[0] == 0xFE, bytes[1] & 0xC0 == 0x80 { return true }
    guard bytes[..<10].allSatisfy({ $0 == 0 }) else { return false }
    if bytes[10] == 0xFF, bytes[11] == 0xFF { return isLocal(ipv4: Array(bytes[12...])) }
    // What is left of ::/96 is `::`, `::1` and the old form of IPv4 addresses.
    return bytes[10] == 0 && bytes[11] == 0 && isLocal(ipv4: Array(bytes[12...]))
  }
}
