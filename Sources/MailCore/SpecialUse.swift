/// What a mailbox is for (RFC 6154, and `\Important` of RFC 8457).
package enum SpecialUse: String, CaseIterable, Sendable, Codable {
  case all, archive, drafts, flagged, important, junk, sent, trash

  /// From the LIST attribute, in any case and with or without its backslash. `\Spam` is an old name of `\Junk`.
  package init?(attribute: String) {
    var name = Keywords.fold(attribute)
    if name.hasPrefix("\\") { name.removeFirst() }
    switch name {
    case "allmail": self = .all
    case "spam": self = .junk
    case "starred": self = .flagged
    default: self.init(rawValue: name)
    }
  }
}
