import IMAPWire
import MailCore

/// What a server puts in front of the names of a person's own mailboxes (RFC 2342): on some all lie below `INBOX.`
package struct NamePrefix: Equatable {
  private let own: String
  /// Other people's, and those that all share: names that begin so are whole.
  private let others: [String]

  /// - Parameter namespaces: nil where the server reports none.
  package init(_ namespaces: Namespaces?) {
    own = namespaces?.personal.first?.prefix ?? ""
    let others =
      (namespaces?.personal.dropFirst().map(\.prefix) ?? [])
      + (namespaces?.otherUsers.map(\.prefix) ?? []) + (namespaces?.shared.map(\.prefix) ?? [])
    self.others = others.filter { !$0.isEmpty }
  }

  /// - Parameter stored: what ``stored`` was; nil where the server never reported any.
  package init(stored: String?) {
    let lines = stored?.split(separator: "\n", omittingEmptySubsequences: false)
    own = lines?.first.map(String.init) ?? ""
    others = lines?.dropFirst().map(String.init) ?? []
  }

  /// One in each line, a person's own first.
  package var stored: String { ([own] + others).joined(separator: "\n") }

  /// The name of a mailbox as the server wants it.
  package func full(_ name: String) -> String {
    // A first level that is spelled out is the server's own.
    guard !own.isEmpty, !name.utf8.elementsEqual("INBOX".utf8), !SpelledLevel.isSpelled(name),
      !([own] + others).contains(where: { name.utf8.starts(with: $0.utf8) })
    else { return name }
    return own + name
  }

  /// Whether the name is, or leads to, what other people have or all share.
  package func isOthers(_ name: MailboxName) -> Bool {
    let beginning = name.text + (name.delimiter.map(String.init) ?? "/")
    return others.contains {
      $0.utf8.starts(with: beginning.utf8) || beginning.utf8.starts(with: $0.utf8)
    }
  }

  /// The same; INBOX is everywhere called so.
  package func full(_ name: MailboxName) -> MailboxName {
    name.isInbox ? name : MailboxName(full(name.text), delimiter: name.delimiter)
  }
}
