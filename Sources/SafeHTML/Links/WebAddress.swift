/// An address that a link may have, as browsers read it (URL Standard).
///
/// It is taken apart here and nowhere else, and written anew: what a reader is shown, what is in the page and what is
/// fetched cannot be read in two ways.
package struct WebAddress: Sendable, Equatable {
  /// Of ASCII only, without blanks and line breaks; of the web with its host as browsers ask for it.
  package let text: String
  /// In lower case: `https`.
  package let scheme: String
  /// In lower case and ASCII, without user, port and final dot; for `mailto:` the first recipient's domain.
  package let host: String?
  /// Where it is not the scheme's own.
  package let port: UInt16?
  /// What is before the `@` of an address of the web, which no reader takes for that.
  package let user: String?
  /// Of an address of the web: path and query.
  package let path: String

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

  /// An address as it is written on another's page: with what is missing taken from that.
  package init?(_ reference: String, on page: WebAddress) {
    let isRooted = reference.hasPrefix("/") || reference.hasPrefix("\\")
    let written = isRooted ? reference.replacing("\\", with: "/") : reference
    if written.hasPrefix("//") {
      self.init(page.scheme + ":" + written)
      return
    }
    if let whole = WebAddress(written) {
      self = whole
      return
    }
    guard page.isWeb, let host = page.host, isRooted || !written.contains(":") else { return nil }
    let origin = page.scheme + "://" + host + (page.port.map { ":\($0)" } ?? "")
    let place = String(page.path.prefix { $0 != "?" })
    let rest = String(written.prefix { $0 != "#" })
    if isRooted {
      self.init(origin + rest)
    } else if rest.hasPrefix("?") || rest.isEmpty {
      self.init(origin + place + rest)
    } else {
      let folder = place.lastIndex(of: "/").map { String(place[...$0]) } ?? "/"
      self.init(origin + Self.withoutDots(folder + rest))
    }
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
    let rest = clean[(colon + 1)...]
    guard scheme == "http" || scheme == "https" || scheme == "ftp" else {
      text = scheme + ":" + String(decoding: Self.encoded(rest), as: UTF8.self)
      host = scheme == "mailto" ? Self.domain(ofRecipient: rest) : nil
      (port, user, path) = (nil, nil, "")
      return
    }
    guard let place = WebPlace(rest, scheme: scheme) else { return nil }
    (port, user) = (place.port, place.user)
    var written = Array("\(scheme)://".utf8)
    if let user { written += Self.encoded(Array(user.utf8), alsoAuthority: true) + [ASCII.at] }
    written += place.host.utf8
    if let port { written += ":\(port)".utf8 }
    let start = written.count
    written += Self.encoded(place.rest)
    text = String(decoding: written, as: UTF8.self)
    path = String(
      decoding: written[start...].prefix { $0 != ASCII.number }, as: UTF8.self)
    var name = place.host[...]
    while name.hasSuffix(".") { name = name.dropLast() }
    host = name.isEmpty ? nil : String(name)
  }

  package var isWeb: Bool { scheme == "http" || scheme == "https" }

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

  /// Whether the path or a parameter ends in this file's name.
  ///
  /// - Parameter name: in lower case.
  func namesFile(_ name: String) -> Bool {
    guard isWeb else { return false }
    return path.split { "?&;".contains($0) }.contains { part in
      let decoded = PercentEncoding.decode(part.utf8).lowercased()
      return decoded.hasSuffix(name)
        && decoded.dropLast(name.count).last.map { $0 == "/" || $0 == "=" || $0 == ":" } ?? true
    }
  }

  private static func domain(ofRecipient rest: ArraySlice<UInt8>) -> String? {
    let address = rest.prefix { $0 != ASCII.question && $0 != ASCII.comma }
    guard let at = address.lastIndex(of: ASCII.at) else { return nil }
    return WebPlace.name(address[(at + 1)...]).map { name in
      String(name.reversed().drop { $0 == "." }.reversed())
    }
  }

  /// With what no address has as it is in `%`.
  private static func encoded(
    _ bytes: some Sequence<UInt8>, alsoAuthority: Bool = false
  ) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.underestimatedCount)
    for byte in bytes {
      let stays =
        switch byte {
        case ...ASCII.space, 0x7F..., ASCII.quote, ASCII.less, ASCII.greater, UInt8(ascii: "`"):
          false
        case ASCII.slash, ASCII.question, ASCII.number, ASCII.at, UInt8(ascii: "["),
          UInt8(ascii: "\\"), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "{"),
          UInt8(ascii: "|"), UInt8(ascii: "}"):
          !alsoAuthority
        default: true
        }
      if stays {
        out.append(byte)
      } else {
        out += [ASCII.percent, hexDigit(byte >> 4), hexDigit(byte & 15)]
      }
    }
    return out
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? ASCII.zero + value : UInt8(ascii: "A") + value - 10
  }

  /// A path without `.` and `..` (RFC 3986 §5.2.4).
  private static func withoutDots(_ path: String) -> String {
    let query = path.firstIndex(of: "?") ?? path.endIndex
    var levels: [Substring] = []
    let pieces = path[..<query].split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (place, level) in zip(pieces.indices, pieces) {
      let isLast = place + 1 == pieces.endIndex
      switch level {
      case ".": if isLast { levels.append("") }
      case "..":
        _ = levels.popLast()
        if isLast { levels.append("") }
      default: levels.append(level)
      }
    }
    return "/" + levels.joined(separator: "/") + path[query...]
  }
}
