import Settings

/// A server as a person types it: `host`, `host:port`, `[::1]:993`.
package struct ServerAnswer: Sendable, Equatable {
  package var host: String
  package var port: UInt16?

  package init?(_ text: String) {
    var host = text[...]
    var port: UInt16?
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
      if rest.hasPrefix(":") {
        guard let number = UInt16(rest.dropFirst()), number > 0 else { return nil }
        port = number
      }
    } else if text.count(where: { $0 == ":" }) == 1, let colon = text.firstIndex(of: ":") {
      host = text[..<colon]
      guard let number = UInt16(text[text.index(after: colon)...]), number > 0 else { return nil }
      port = number
    }
    let name = host.contains(":") ? String(host) : DomainName(String(host))?.ascii
    guard let name, DomainName.isHost(name) else { return nil }
    self.host = name
    self.port = port
  }

  /// What the port tells of TLS, where it tells.
  package static func usualTLS(_ kind: ServerOffer.Kind, port: UInt16?) -> TLSMode? {
    switch (kind, port) {
    case (_, nil), (.imap, 993), (.smtp, 465): .implicit
    case (.imap, 143), (.smtp, 587), (.smtp, 25): .starttls
    default: nil
    }
  }

  /// The host is this machine, by its name alone: the only place where the configuration takes plain text.
  package var isLoopback: Bool {
    let host = host.lowercased()
    return host == "localhost" || host == "::1"
      || (host.hasPrefix("127.") && host.split(separator: ".").count == 4
        && host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) })
  }
}

/// The `window` key as it may be typed: `all`, `90d`, `5GB`.
package enum WindowAnswer {
  package static func isValid(_ text: String) -> Bool {
    if text == "all" { return true }
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits), number > 0 else { return false }
    switch text[digits.endIndex...] {
    case "d": return number <= 100_000
    case "kB", "MB", "GB", "KiB", "MiB", "GiB": return number <= 1_000_000
    case "TB", "TiB": return number <= 1000
    default: return false
    }
  }
}
