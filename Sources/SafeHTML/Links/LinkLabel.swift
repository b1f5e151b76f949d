/// What a link's text says of where it leads.
package enum LinkLabel {
  /// What stands beside a link, for its reader.
  struct Mark: Equatable {
    /// The host that the link seems to lead to; nil where it names none, and hides where it leads all the same.
    var shown: String?
    /// The host it leads to.
    var real: String
  }

  /// The mark that a link needs: its words name another host, or its address cannot be read right.
  static func mark(_ words: LinkWords, to address: WebAddress) -> Mark? {
    let turned = words.looks == words.text ? nil : words.looks
    if let found = misleads(words.text, to: address)
      ?? turned.flatMap({ misleads($0, to: address) })
    {
      return Mark(shown: found.shown, real: found.real)
    }
    // Letters of other scripts are in no other names: most have none, and a page has hundreds.
    guard address.isWeb, let host = address.host,
      address.user != nil || host.utf8.contains(ASCII.dash) && HostName(host).mixesScripts
    else { return nil }
    return Mark(shown: nil, real: host)
  }

  /// The host that the text names, if it names one and the link leads to another organisation.
  ///
  /// A text names a host by an address with its scheme or `www.`, or by being a name and nothing else (`example.com`); so
  /// does a mail address where the link writes to somebody, and a name that the address itself has before an `@`.
  ///
  /// - Returns: what the text names and where the link leads.
  package static func misleads(_ label: String, to address: WebAddress) -> (
    shown: String, real: String
  )? {
    guard address.isWeb || address.scheme == "mailto", let real = address.host else { return nil }
    if let user = address.user, let shown = namedHost(user), !belongTogether(shown, real) {
      return (shown, real)
    }
    // Without a dot, of whatever script, it names no host.
    guard label.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 >= 0x80 }) else { return nil }
    let label = PlainLetters.fold(label)
    guard let shown = address.isWeb ? namedHost(label) : namedDomain(label) else { return nil }
    if belongTogether(shown, real) { return nil }
    if let target = Redirect.target(of: address)?.host, belongTogether(shown, target) { return nil }
    return (shown, real)
  }

  private static func belongTogether(_ left: String, _ right: String) -> Bool {
    Organisation.isSame(left, right) || Organisation.isSame(ascii(left), ascii(right))
  }

  private static func ascii(_ host: String) -> String { HostName(host).ascii }

  static func namedHost(_ label: String) -> String? {
    let words = label.split { $0.isWhitespace || "<>()[]\"“”„'‘’«»,;|".contains($0) }
    guard words.count <= 30 else { return nil }
    for word in words {
      let lowered = word.lowercased()
      if lowered.hasPrefix("http://") || lowered.hasPrefix("https://"),
        let host = host(of: lowered)
      {
        return host
      }
      if lowered.hasPrefix("www."), let host = host(of: "http://" + lowered) { return host }
    }
    guard words.count == 1, let only = words.first?.lowercased(), !only.contains("@"),
      let host = host(of: "http://" + only), let last = host.split(separator: ".").last,
      endings.contains(String(last))
    else { return nil }
    return host
  }

  /// As a person reads it.
  private static func host(of address: String) -> String? {
    guard let host = WebAddress(address)?.host, isHost(host) else { return nil }
    return HostName(host).unicode
  }

  private static func namedDomain(_ label: String) -> String? {
    let words = label.split { $0.isWhitespace || "<>()\"".contains($0) }
    guard words.count == 1, let at = words[0].lastIndex(of: "@") else { return nil }
    let domain = words[0][words[0].index(after: at)...].lowercased()
    return isHost(domain) ? domain : nil
  }

  /// Two labels at least, each of letters, digits and hyphens.
  package static func isHost(_ name: String) -> Bool {
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count >= 2, !name.contains("…") else { return false }
    return labels.allSatisfy { label in
      !label.isEmpty
        && label.unicodeScalars.allSatisfy {
          $0.isASCII
            ? $0 == "-" || ("0"..."9").contains($0) || ASCII.isLetter(UInt8($0.value))
            : $0.properties.isAlphabetic
        }
    }
  }

  /// Endings by which a word is a host's name, and not a file's: no `py`, `sh`, `md`, `rs`, `pl`.
  private static let endings: Set<String> = [
    "com", "org", "net", "edu", "gov", "mil", "int", "info", "biz", "io", "co", "app", "dev", "ai",
    "me", "tv",
    "cloud", "online", "shop", "store", "site", "xyz", "top", "club", "bank", "eu", "us", "uk",
    "ca", "au", "nz",
    "ie", "de", "at", "ch", "fr", "be", "nl", "lu", "it", "es", "pt", "se", "no", "dk", "fi", "is",
    "cz", "sk", "hu",
    "ro", "bg", "gr", "tr", "ru", "ua", "jp", "cn", "kr", "tw", "hk", "sg", "in", "br", "mx", "ar",
    "cl", "za", "il",
  ]
}
