/// An address that a link may have, as browsers read it.
package struct WebAddress: Sendable, Equatable {
  /// Without blanks and line breaks, which browsers drop.
  package let text: String
  /// In lower case: `https`.
  package let scheme: String

  private static let schemes: Set<String> = [
    "http", "https", "mailto", "tel", "news", "nntp", "ftp", "matrix", "xmpp", "mid", "cid",
  ]

  /// Nil where the address leads nowhere outside the page, or to something that runs.
  package init?(_ address: String) {
    self.init(bytes: Array(address.utf8))
  }

  init?(_ address: PageBytes) {
    self.init(bytes: address)
  }

  private init?(bytes: some Collection<UInt8>) {
    var clean: [UInt8] = []
    clean.reserveCapacity(bytes.count + 6)
    for byte in bytes.drop(while: { $0 <= ASCII.space }) {
      switch byte {
      case ASCII.tab, ASCII.lf, ASCII.cr, 0: continue
      case ..<ASCII.space, 0x7F: return nil
      default: clean.append(byte)
      }
    }
    while clean.last == ASCII.space { clean.removeLast() }
    if clean.starts(with: "//".utf8) { clean.insert(contentsOf: "https:".utf8, at: 0) }
    guard let colon = clean.firstIndex(of: ASCII.colon) else { return nil }
    let scheme = String(decoding: clean[..<colon].map(ASCII.lowered), as: UTF8.self)
    guard Self.schemes.contains(scheme), colon + 1 < clean.count else { return nil }
    self.scheme = scheme
    text = String(decoding: clean, as: UTF8.self)
  }

  package var isWeb: Bool { scheme == "http" || scheme == "https" }

  /// The host in lower case, without user, port and final dot; for `mailto:` the first recipient's domain.
  package var host: String? {
    var rest = text.utf8.dropFirst(scheme.utf8.count + 1)
    if scheme == "mailto" {
      let address = rest.prefix { $0 != ASCII.question && $0 != ASCII.comma }
      guard let at = address.lastIndex(of: ASCII.at) else { return nil }
      return Self.clean(address[address.index(after: at)...])
    }
    guard isWeb || scheme == "ftp" else { return nil }
    // Browsers take any number of slashes, of either kind.
    rest = rest.drop { $0 == ASCII.slash || $0 == UInt8(ascii: "\\") }
    var authority = rest.prefix {
      $0 != ASCII.slash && $0 != ASCII.question && $0 != ASCII.number
        && $0 != UInt8(ascii: "\\")
    }
    if let at = authority.lastIndex(of: ASCII.at) {
      authority = authority[authority.index(after: at)...]
    }
    if authority.first != UInt8(ascii: "[") {
      authority = authority.prefix { $0 != ASCII.colon }
    }
    return Self.clean(authority)
  }

  /// What follows the host: path and query.
  package var path: String {
    guard isWeb else { return "" }
    let rest = text.utf8.dropFirst(scheme.utf8.count + 1).drop { $0 == ASCII.slash }
    return String(
      decoding: rest.drop { $0 != ASCII.slash && $0 != ASCII.question }, as: UTF8.self)
  }

  /// The value of a parameter of the query, decoded.
  package func parameter(_ name: String) -> String? {
    guard let question = text.utf8.firstIndex(of: ASCII.question) else { return nil }
    let query = text.utf8[text.utf8.index(after: question)...].prefix { $0 != ASCII.number }
    for pair in query.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1)
      if parts.count == 2, parts[0].elementsEqual(name.utf8) {
        return PercentEncoding.decode(parts[1])
      }
    }
    return nil
  }

  private static func clean(_ host: some Collection<UInt8>) -> String? {
    // Most are plain, and a page has hundreds.
    if !host.isEmpty,
      host.allSatisfy({
        ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == ASCII.dash || $0 == ASCII.dot
      })
    {
      var bytes = host.map(ASCII.lowered)
      while bytes.last == ASCII.dot { bytes.removeLast() }
      return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
    var name = PercentEncoding.decode(host).lowercased()
    // The full-width and the ideographic dot count as dots.
    name = name.replacing("\u{3002}", with: ".").replacing("\u{FF0E}", with: ".")
    while name.hasSuffix(".") { name.removeLast() }
    return name.isEmpty || name.contains(where: \.isWhitespace) ? nil : name
  }
}

/// `%41` and its like (RFC 3986 §2.1).
package enum PercentEncoding {
  package static func decode(_ bytes: some Collection<UInt8>) -> String {
    let input = Array(bytes)
    var output: [UInt8] = []
    var place = 0
    while place < input.count {
      if input[place] == ASCII.percent, place + 2 < input.count,
        let high = ASCII.hexValue(input[place + 1]), let low = ASCII.hexValue(input[place + 2])
      {
        output.append(high << 4 | low)
        place += 3
      } else {
        output.append(input[place])
        place += 1
      }
    }
    return String(decoding: output, as: UTF8.self)
  }
}
