import IMAPClient
import MailCore
import State

/// What a server puts in front of the names of a person's own mailboxes (RFC 2342): on some all lie below `INBOX.`
struct NamePrefix: Equatable {
  let text: String

  init(_ text: String) { self.text = text }

  init(_ session: IMAPSession) { self.init(session.namespaces?.personal.first?.prefix ?? "") }

  /// As the server told it last.
  init(_ state: StateStore) throws(StateError) { self.init(try state.fact(Fact.namePrefix) ?? "") }

  func remember(_ context: AccountContext) throws {
    guard try self != NamePrefix(context.state) else { return }
    try context.state.setFact(Fact.namePrefix, text)
    context.noteChange()
  }

  /// The name of a mailbox as the server wants it.
  func full(_ name: String) -> String {
    guard !text.isEmpty, !name.hasPrefix(text), name != "INBOX" else { return name }
    return text + name
  }

  func full(_ name: MailboxName) -> MailboxName {
    name.isInbox ? name : MailboxName(full(name.text), delimiter: name.delimiter)
  }
}
