import LocalChanges
import MailCore
import Queue

/// What an account's queue has sent, and the mailboxes where a copy of it comes: there it is no news.
struct OwnCopies {
  /// Empty where the server names none.
  let mailboxes: Set<String>
  let messageIDs: Set<String>

  func contain(_ event: ArrivedEvent) -> Bool {
    mailboxes.contains(event.mailbox) && event.messageID.map(messageIDs.contains) == true
  }
}

extension OwnCopies {
  init(account path: String) {
    let entries = (try? OutboxReader.entries(account: path)) ?? []
    self.init(
      mailboxes: Self.mailboxes(account: path),
      messageIDs: Set(entries.compactMap { $0.envelope?.messageID }))
  }

  static func mailboxes(account path: String) -> Set<String> {
    Set(
      [SpecialUse.sent, .all].compactMap { TreeFolders.mailbox(for: $0, account: path)?.name })
  }
}
