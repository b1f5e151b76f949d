/// What a link's text says of where it leads.
package enum LinkLabel {
  /// What a reader is shown beside a link.
  struct Mark: Equatable {
    /// The host that the link seems to lead to; nil where it names none, and hides where it leads all the same.
    var shown: String?
    /// The host it leads to.
    var real: String
  }

  /// The mark that a link needs: its words name another host or are too many to tell, or its address cannot be read right.
  static func mark(_ words: LinkWords, to address: WebAddress) -> Mark? {
    let names = words.readings.map { NamedHosts($0) } + words.inPlace
    var found: [Misleading] = []
    if address.user != nil || !names.allSatisfy(\.isEmpty), let end = LinkEnd(address) {
      found = names.compactMap { misleads($0, to: end) }
    }
    if let worst = found.first(where: \.isAddress) {
      return Mark(shown: worst.shown, real: worst.real)
    }
    // That one is called by its host's name does not say that the link leads there.
    if let first = found.first { return Mark(shown: nil, real: first.real) }
    // Letters of other scripts are in no other names: most have none, and a page has hundreds.
    guard address.isWeb, let host = address.host,
      words.isCut || address.user != nil
        || host.utf8.contains(ASCII.dash) && isReadWrong(HostName(host))
    else { return nil }
    return Mark(shown: nil, real: host)
  }

  /// Whether a host's characters look like others.
  private static func isReadWrong(_ host: HostName) -> Bool {
    guard host.isInternational else { return false }
    let latin = LookalikeLetters.latin(host.unicode)
    return host.mixesScripts || latin?.utf8.allSatisfy { $0 < 0x80 } ?? false
  }

  /// The host that a text names, and where the link leads instead.
  package struct Misleading: Equatable {
    package var shown: String
    package var real: String
    /// Whether the text is to be read as the link's address, and does not only name somebody in a sentence.
    package var isAddress: Bool
  }

  /// The host that the text names, if it names one and the link leads to another organisation. A name that the address
  /// itself has before an `@` counts as one.
  package static func misleads(_ label: String, to address: WebAddress) -> Misleading? {
    LinkEnd(address).flatMap { misleads(NamedHosts(label), to: $0) }
  }

  private static func misleads(_ names: NamedHosts, to end: LinkEnd) -> Misleading? {
    if let shown = end.user { return Misleading(shown: shown, real: end.real, isAddress: true) }
    let service = end.service(namedBy: names)
    var others: [HostMentions.Mention] = []
    for reading in names.readings {
      let named = end.isWeb ? reading.hosts : reading.mailDomains
      others += named.filter(end.isElsewhere).map { host in
        var mention = host.mention
        if mention.host == service { mention.isAddress = false }
        return mention
      }
      // So many hosts are there to hide one.
      if reading.isCut || reading.isCutInDoubt,
        let last = named.last ?? reading.mailDomains.last ?? reading.hosts.last
      {
        return Misleading(
          shown: others.first?.host ?? last.mention.host, real: end.host, isAddress: reading.isCut)
      }
    }
    if others.isEmpty, end.isWeb, let domain = names.mailDomain, end.isElsewhere(domain) {
      return Misleading(shown: domain.mention.host, real: end.host, isAddress: false)
    }
    return (others.first(where: \.isAddress) ?? others.first).map {
      Misleading(shown: $0.host, real: end.host, isAddress: $0.isAddress)
    }
  }

  /// Two labels at least, each of letters, digits and hyphens.
  package static func isHost(_ name: String) -> Bool {
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count >= 2 else { return false }
    return labels.allSatisfy { label in
      !label.isEmpty
        && label.unicodeScalars.allSatisfy {
          $0.isASCII
            ? $0 == "-" || ("0"..."9").contains($0) || ASCII.isLetter(UInt8($0.value))
            : $0.properties.isAlphabetic || $0.properties.generalCategory == .nonspacingMark
        }
    }
  }
}
