import MailCore
import Settings

/// Which mailbox a peer's folder is on the server: mbsync's channels, the server's prefix, and what the user says.
package struct FolderMapping: Sendable, Equatable {
  /// One channel. Names have their levels joined by slashes.
  package struct Rule: Sendable, Equatable {
    package var folder: String
    package var mailbox: String
    /// Nil where the rule is about this one mailbox; else both names are prefixes, and what follows must match.
    package var patterns: FolderPatterns?

    package init(folder: String, mailbox: String, patterns: FolderPatterns? = nil) {
      self.folder = folder
      self.mailbox = mailbox
      self.patterns = patterns
    }

    func mailbox(of name: String) -> String? {
      guard let patterns else { return FolderMapping.isSame(name, folder) ? mailbox : nil }
      guard name.hasPrefix(folder), name.utf8.count > folder.utf8.count else { return nil }
      let rest = String(name.dropFirst(folder.count))
      return patterns.matches(name: rest, delimiter: "/") ? mailbox + rest : nil
    }
  }

  package enum Verdict: Sendable, Equatable {
    case mailbox(String)
    /// The same directory holds it for another server.
    case othersMailbox
    /// No rule brings it to a server.
    case unsynced
  }

  /// None: every folder is the mailbox of its name.
  package var rules: [Rule] = []
  /// Rules for the same directory and other servers.
  package var othersRules: [Rule] = []
  /// Stands before every mailbox's name on the server but INBOX, with its last slash.
  package var prefix = ""
  /// Said by the user: goes before all rules.
  package var said: [Rule] = []

  package init() {}

  package func verdict(on folder: String) -> Verdict {
    if let told = said.lazy.compactMap({ $0.mailbox(of: folder) }).first { return .mailbox(told) }
    if rules.isEmpty, othersRules.isEmpty { return .mailbox(prefixed(folder)) }
    // A rule about this one folder goes before one about many.
    for isExact in [true, false] {
      for rule in rules where (rule.patterns == nil) == isExact {
        if let mailbox = rule.mailbox(of: folder) { return .mailbox(prefixed(mailbox)) }
      }
    }
    return othersRules.contains { $0.mailbox(of: folder) != nil } ? .othersMailbox : .unsynced
  }

  private func prefixed(_ mailbox: String) -> String {
    Keywords.fold(mailbox) == "inbox" ? mailbox : prefix + mailbox
  }

  static func isSame(_ one: String, _ other: String) -> Bool {
    one == other || Keywords.fold(one) == "inbox" && Keywords.fold(other) == "inbox"
  }
}
