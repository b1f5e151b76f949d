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
    var found = words.readings.compactMap { misleads($0, to: address) }
    found += words.inPlace.compactMap { misleads($0, to: address, isAlone: false) }
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
  ///
  /// - Parameter isAlone: whether the text is all that a link says, and no word of a sentence.
  package static func misleads(
    _ label: String, to address: WebAddress, isAlone: Bool = true
  ) -> Misleading? {
    guard address.isWeb || address.scheme == "mailto", let real = address.host else { return nil }
    // Who only sends on is not where the link leads.
    let target = Redirect.target(of: address) ?? address
    let end = target.host ?? real
    func isElsewhere(_ shown: String) -> Bool { !belongTogether(shown, end) }
    if let user = address.user,
      let shown = HostMentions(in: user).hosts.map(\.host).first(where: isElsewhere)
    {
      return Misleading(shown: shown, real: real, isAddress: true)
    }
    let service = target == address ? nil : serviceNamed(by: label, for: end)
    let label = PlainLetters.fold(label)
    var others: [HostMentions.Mention] = []
    for words in [label, LookalikeLetters.latin(label), withoutBlanklessScripts(label)]
      .compactMap({ $0 })
    {
      let mentions = HostMentions(in: words, isAlone: isAlone)
      let named =
        address.isWeb
        ? mentions.hosts
        : mentions.domains.map { HostMentions.Mention(host: $0, isAddress: true) }
      var hosts: Set<String> = []
      others += named.filter { hosts.insert($0.host).inserted || $0.isAddress }
        .filter { isElsewhere($0.host) }
        .map { HostMentions.Mention(host: $0.host, isAddress: $0.isAddress && $0.host != service) }
      // So many hosts are there to hide one.
      if mentions.isCut, let last = named.last {
        return Misleading(shown: others.first?.host ?? last.host, real: end, isAddress: true)
      }
    }
    return (others.first(where: \.isAddress) ?? others.first).map {
      Misleading(shown: $0.host, real: end, isAddress: $0.isAddress)
    }
  }

  /// The service's host where the words are such a service's address themselves, with the host it sends on to in them: the
  /// sender hides nothing, and its reader hardly finds it.
  private static func serviceNamed(by label: String, for end: String) -> String? {
    guard let address = WebAddress(label), Redirect.target(of: address)?.host == end else {
      return nil
    }
    return address.host
  }

  /// In Chinese and Japanese a host is among other characters without a blank; nil where there are none.
  private static func withoutBlanklessScripts(_ words: String) -> String? {
    guard words.utf8.contains(where: { $0 >= 0xE2 }) else { return nil }
    var found = false
    let scalars = words.unicodeScalars.map { scalar -> Unicode.Scalar in
      switch scalar.value {
      case 0x2E80...0x9FFF, 0xAC00...0xD7AF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
        found = true
        return " "
      default: return scalar
      }
    }
    return found ? String(String.UnicodeScalarView(scalars)) : nil
  }

  private static func belongTogether(_ left: String, _ right: String) -> Bool {
    Organisation.isSame(left, right) || Organisation.isSame(ascii(left), ascii(right))
      || Organisation.isSame(left, HostName(right).unicode)
  }

  private static func ascii(_ host: String) -> String { HostName(host).ascii }

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
