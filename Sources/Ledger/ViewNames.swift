import MailCore

/// Names of mailboxes that hold what other mailboxes hold, by what the server marks them as (`\All`, RFC 6154, and
/// `\Important`, RFC 8457). They are mirrored only where the configuration names them, so a folder called like one of them
/// is no reason to make a mailbox.
package struct ViewNames: Codable, Sendable, Equatable {
  /// Swift compares them as folders' names must be: every form that Unicode has for a character is the same.
  private let names: Set<String>

  private init(names: Set<String>) { self.names = names }

  package init(_ names: [MailboxName]) { self.init(names: Set(names.map(\.text))) }

  package init(lines: String) { names = Set(lines.split(separator: "\n").map(String.init)) }

  package var lines: String { names.sorted().joined(separator: "\n") }

  /// With those of before that a later list leaves out: a server may hide them for a while (Gmail, by a setting).
  ///
  /// - Parameter listed: all mailboxes of that list.
  package func keeping(_ earlier: ViewNames?, unless listed: [MailboxName]) -> ViewNames {
    guard let earlier else { return self }
    return ViewNames(
      names: names.union(earlier.names.subtracting(listed.map(\.text))))
  }

  package func contain(_ name: MailboxName) -> Bool { names.contains(name.text) }
}
