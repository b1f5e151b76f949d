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

  /// The levels of the path, as they are written.
  var levels: [Substring] {
    path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
      .dropFirst().map { $0 }
  }

  /// Whether browsers make another path of it: a level is `.` or `..`, with its dots encoded or not (URL Standard §4.4).
  var hasDotLevels: Bool {
    levels.contains { level in
      // Some servers leave out what is behind a semicolon.
      let name = PercentEncoding.decode(level.utf8).prefix { $0 != ";" }
      return name == "." || name == ".."
    }
  }

  /// What parameters of the query say, decoded; nil where they are not there, say nothing, or disagree.
  ///
  /// Servers differ in which of two of one name they read, and in what is one name to them: PHP leaves out blanks before it
  /// and what follows a bracket, others read it in any case, or let a semicolon end a value.
  ///
  /// - Parameter names: in lower case.
  package func parameter(_ names: String...) -> String? { parameter(ofAny: names) }

  func parameter(ofAny names: [String]) -> String? {
    var found: [String] = []
    var others: [String] = []
    for pair in path.utf8.drop(while: { $0 != ASCII.question }).dropFirst()
      .split(separator: UInt8(ascii: "&"))
    {
      for (place, piece) in pair.split(separator: UInt8(ascii: ";")).enumerated() {
        let name = piece.prefix { $0 != UInt8(ascii: "=") }
        guard names.contains(Self.parameterName(name)) else { continue }
        // The whole of it: an address may have semicolons.
        let written = (place == 0 ? pair : piece)[name.endIndex...].dropFirst()
        guard !written.isEmpty else { continue }
        let value = PercentEncoding.decode(written)
        if place == 0 { found.append(value) } else { others.append(value) }
      }
    }
    guard let first = found.first, (found + others).allSatisfy({ $0 == first }) else { return nil }
    return first
  }

  private static func parameterName(_ bytes: Substring.UTF8View) -> String {
    let name = PercentEncoding.decode(bytes.map { $0 == UInt8(ascii: "+") ? ASCII.space : $0 })
    return name.drop { $0.isWhitespace }.prefix { $0 != "[" && $0 != "\0" }.lowercased()
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
