extension KnownProviders {
  /// Providers whose mail no program like this one can reach, in November 2026, by deltachat's list of providers
  /// (https://providers.delta.chat).
  private static let withoutIMAP: [(name: String, domains: [String], words: String)] = [
    (
      "Tuta", ["tuta.com", "tuta.io", "tutanota.com", "tutanota.de", "tutamail.com", "keemail.me"],
      "Tuta has no IMAP: its mail can be read with its own programs alone."
    ),
    ("HEY", ["hey.com"], "HEY has no IMAP: its mail can be read with its own programs alone."),
    ("i.ua", ["i.ua", "ua.fm", "email.ua"], "i.ua has no IMAP."),
    (
      "firemail", ["firemail.de", "firemail.at", "firemail.eu"],
      "firemail has IMAP for paying customers alone."
    ),
  ]

  /// Why the mail of addresses in this domain cannot be had, or not by everybody.
  package static func obstacle(domain: String) -> String? {
    let domain = domain.lowercased()
    return withoutIMAP.first { $0.domains.contains(domain) }?.words
  }
}
