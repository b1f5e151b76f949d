/// The hosts that a text names, found once for all links whose words it may be.
struct NamedHosts {
  /// A host, and the domains by which an organisation is known to be its own.
  struct Host {
    var mention: HostMentions.Mention
    var domains: [String]

    init(_ mention: HostMentions.Mention) {
      self.mention = mention
      domains = Organisation.domains(of: mention.host)
    }
  }

  /// What is found when the text is read in one way.
  struct Reading {
    var hosts: [Host]
    /// Of mail addresses.
    var mailDomains: [Host]
    /// Whether there may be more hosts, and whether there may be more that are no address.
    var isCut: Bool
    var isCutInDoubt: Bool

    var isEmpty: Bool { hosts.isEmpty && mailDomains.isEmpty }
  }

  private(set) var readings: [Reading] = []
  /// Where the text is the address of a service: the service, and the host that it sends on to.
  private(set) var service: (host: String, target: String)?

  /// Of the mail address that the text is, and nothing else.
  private(set) var mailDomain: Host?

  var isEmpty: Bool { readings.isEmpty }

  /// - Parameter isAlone: whether the text is all that a link says, and no word of a sentence.
  init(_ text: String, isAlone: Bool = true) {
    guard text.utf8.contains(where: { $0 == ASCII.dot || $0 >= 0x80 }) else { return }
    let plain = PlainLetters.fold(words: text)
    for words in [plain, LookalikeLetters.latin(plain), Self.withoutBlanklessScripts(plain)] {
      guard let words else { continue }
      let mentions = HostMentions(in: words, isAlone: isAlone)
      var seen: Set<String> = []
      let reading = Reading(
        hosts: mentions.hosts.filter { seen.insert($0.host).inserted || $0.isAddress }.map(
          Host.init),
        mailDomains: mentions.domains.map {
          Host(HostMentions.Mention(host: $0, isAddress: true))
        },
        isCut: mentions.isCut, isCutInDoubt: mentions.isCutInDoubt)
      if !reading.isEmpty { readings.append(reading) }
    }
    if isAlone, let only = readings.first, only.hosts.isEmpty, only.mailDomains.count == 1,
      !plain.contains(" ")
    {
      mailDomain = only.mailDomains.first
    }
    guard !isEmpty, text.utf8.contains(ASCII.colon), let address = WebAddress(text),
      let host = address.host, let target = Redirect.target(of: address)?.host
    else { return }
    service = (host, target)
  }

  /// In Chinese and Japanese a host is among other characters without a blank; nil where there are none.
  private static func withoutBlanklessScripts(_ words: String) -> String? {
    guard words.utf8.contains(where: { $0 >= 0xE2 }) else { return nil }
    var found = false
    let scalars = words.unicodeScalars.map { scalar -> Unicode.Scalar in
      guard scalar.needsNoBlanks else { return scalar }
      found = true
      return " "
    }
    return found ? String(String.UnicodeScalarView(scalars)) : nil
  }
}

/// Where a link leads in the end: past the services that only send on.
struct LinkEnd {
  let isWeb: Bool
  /// The host that its address has.
  let real: String
  let host: String
  /// A host that the address has as its user.
  let user: String?
  private let isSentOn: Bool
  private let domains: [String]

  /// Nil where a link leads to no host.
  init?(_ address: WebAddress) {
    guard address.isWeb || address.scheme == "mailto" || address.scheme == "ftp",
      let real = address.host
    else { return nil }
    self.real = real
    isWeb = address.scheme != "mailto"
    let target = Redirect.target(of: address)
    isSentOn = target != nil
    host = target?.host ?? real
    let domains = Organisation.domains(of: host)
    self.domains = domains
    user = address.user.flatMap { user in
      HostMentions(in: user).hosts.map(\.host).first {
        Self.isElsewhere(Organisation.domains(of: $0), domains)
      }
    }
  }

  func isElsewhere(_ shown: NamedHosts.Host) -> Bool {
    Self.isElsewhere(shown.domains, domains)
  }

  private static func isElsewhere(_ shown: [String], _ end: [String]) -> Bool {
    !shown.contains { end.contains($0) }
  }

  /// The service's host where words are such a service's address themselves, with the host it sends on to in them: the
  /// sender hides nothing, and its reader hardly finds it.
  func service(namedBy names: NamedHosts) -> String? {
    guard isSentOn, let service = names.service, service.target == host else { return nil }
    return service.host
  }
}

extension Unicode.Scalar {
  /// Whether it is of a script whose words follow each other without blanks.
  var needsNoBlanks: Bool {
    switch value {
    case 0x2E80...0x2FFF, 0x3003...0x9FFF, 0xAC00...0xD7AF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
      true
    default: false
    }
  }
}
