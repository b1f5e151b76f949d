import MIME
import SafeHTML

/// Decides by facts of a message what its reader is warned of.
package struct WarningFinder {
  private let facts: MessageFacts
  private let people: KnownPeople

  /// A date or a name for other programs is hidden, too; this many words are none.
  private static let mostUnseenWords = 20

  package static func warnings(of facts: MessageFacts, people: KnownPeople) -> [MessageWarning] {
    let finder = WarningFinder(facts: facts, people: people)
    return [
      finder.senderNameHoldsAddress, finder.knownNameNewAddress, finder.lookalikeDomain,
      finder.replyToElsewhere, finder.authenticationFailed, finder.bodyChanged,
      finder.linkTextDiffers,
      finder.dangerousAttachment, finder.hiddenText,
    ].compactMap { $0 }
  }

  private var sender: MailAddress? { facts.from.first }

  private var domain: String? { sender.flatMap { KnownPeople.domain(of: $0.address) } }

  /// Whether a list that the reader knows sent it on: of its writers much is as usual that would not be of others.
  private var isFromKnownList: Bool {
    facts.list?.isKnown(to: people, confirmed: facts.confirmedDomains) ?? false
  }

  // MARK: Who

  private var senderNameHoldsAddress: MessageWarning? {
    guard let sender else { return nil }
    if let other = otherSender {
      return MessageWarning(
        .senderNameHoldsAddress,
        "The message says that it is from \(sender.address) and from \(other), which is another sender."
      )
    }
    guard let shown = ShownAddress.find(in: sender), !isFromKnownList else {
      return nil
    }
    guard domain != nil else {
      return MessageWarning(
        .senderNameHoldsAddress,
        "The sender's name shows the address \(shown), but the message names no address that it is from."
      )
    }
    return MessageWarning(
      .senderNameHoldsAddress,
      "The sender's name shows the address \(shown), but the message is from \(sender.address).")
  }

  /// The address of a second sender who belongs to another organisation: who is confirmed as one says nothing of the other.
  private var otherSender: String? {
    guard let sender, domain != nil else { return nil }
    return facts.from.dropFirst().map(\.address).first { address in
      KnownPeople.domain(of: address) != nil
        && !FreeMail.belongTogether(address, sender.address)
    }
  }

  private var knownNameNewAddress: MessageWarning? {
    guard let sender, domain != nil else { return nil }
    let name = KnownPeople.normalised(PlainLetters.fold(sender.name))
    guard name.contains(" "), !people.knows(sender.address.lowercased()) else { return nil }
    // In characters that look like those of a known name it is that name.
    let known = people.addresses(name) + (LookalikeLetters.latin(name).map(people.addresses) ?? [])
    guard let other = known.first,
      !known.contains(where: { FreeMail.belongTogether($0, sender.address) }), !isFromKnownList
    else { return nil }
    return MessageWarning(
      .knownNameNewAddress,
      "You know \(sender.name) by \(other), but this is from \(sender.address), which never wrote to you before."
    )
  }

  private var lookalikeDomain: MessageWarning? {
    guard let sender, let domain, !people.knows(sender.address.lowercased()) else { return nil }
    if let other = LookalikeDomain.imitated(by: domain, known: people.domains()) {
      return MessageWarning(
        .lookalikeDomain,
        "The sender's domain \(shown(domain)) looks like \(other), which you know, and is another.")
    }
    guard HostName(domain).mixesScripts else { return nil }
    return MessageWarning(
      .lookalikeDomain, "The sender's domain \(shown(domain)) mixes letters of several scripts.")
  }

  private func shown(_ domain: String) -> String {
    let name = HostName(domain)
    return name.isInternational ? "\(name.unicode) (\(name.ascii))" : domain
  }

  private var replyToElsewhere: MessageWarning? {
    guard let sender, domain != nil, !facts.replyTo.isEmpty, !isFromKnownList else { return nil }
    // Whom its reader sees as a recipient, too, gets an answer as a list does.
    let recipients = Set(facts.recipients.map { $0.address.lowercased() })
    let elsewhere = facts.replyTo.filter { reply in
      let address = reply.address.lowercased()
      return KnownPeople.domain(of: address) != nil
        && !FreeMail.belongTogether(address, sender.address) && !recipients.contains(address)
        && !people.knows(address)
    }
    guard elsewhere.count == facts.replyTo.count, let first = elsewhere.first else { return nil }
    return MessageWarning(
      .replyToElsewhere,
      "A reply would go to \(first.address), which does not belong to the sender."
    )
  }

  private var authenticationFailed: MessageWarning? {
    guard case .failed(let domain, let authority) = facts.verdict, !isFromKnownList else {
      return nil
    }
    return MessageWarning(
      .authenticationFailed,
      "\(authority) found that this was not sent by \(domain), whose owner wants such mail refused."
    )
  }

  private var bodyChanged: MessageWarning? {
    // A list's own words below the text are its business, and who else changes it writes no list's fields.
    guard case .changed(let domain) = facts.body, facts.list == nil else { return nil }
    return MessageWarning(.bodyChanged, "The text was changed after \(domain) had signed it.")
  }

  // MARK: What

  private var linkTextDiffers: MessageWarning? {
    let links = facts.misleadingLinks.filter { !isOwnCounting($0) }
    guard let first = links.first else { return nil }
    return MessageWarning(
      .linkTextDiffers,
      "A link shows \(first.shown) and leads to \(first.real)\(own: Self.more(links.count)).")
  }

  /// A sender who is confirmed may show its own name on links through a service that counts clicks.
  private func isOwnCounting(_ link: SafePage.MisleadingLink) -> Bool {
    guard case .confirmed(let domain, _) = facts.verdict, !FreeMail.isOne(domain) else {
      return false
    }
    return Organisation.isSame(link.shown, domain)
  }

  private var dangerousAttachment: MessageWarning? {
    let dangerous = facts.attachments.filter { attachment in
      switch attachment.warning {
      case .windowsExecutable, .macExecutable, .androidPackage: true
      // Programs of one's own are what developers send each other.
      case .script: !isFromKnownList
      case .archive, nil: false
      }
    }
    guard let first = dangerous.first, let warning = first.warning else { return nil }
    let name = first.fileName ?? first.mediaType
    let words = warning.warning + Self.more(dangerous.count)
    return MessageWarning(
      .dangerousAttachment, "The attachment \(name) can do harm when opened: \(own: words).")
  }

  private static func more(_ count: Int) -> String {
    count > 1 ? ", and \(count - 1) more like it" : ""
  }

  private var hiddenText: MessageWarning? {
    guard facts.unseenWords >= Self.mostUnseenWords else { return nil }
    return MessageWarning(
      .hiddenText,
      "\(own: facts.unseenWords) words are in this message that its reader is not meant to see.")
  }
}
