import Ledger
import SyncPlan

/// The mailbox for trash; it is made where the server has none.
final class TrashMailbox: PushPart {
  let desk: PushDesk
  private var found: MailboxKey?

  init(desk: PushDesk) { self.desk = desk }

  /// Nil where there is none, and none can be made.
  func mailbox() throws -> MailboxKey? {
    if found == nil { found = try find() }
    return found
  }

  private func find() throws -> MailboxKey? {
    let making = MailboxMaking(desk: desk)
    if let listing = known.listings.first(where: {
      $0.specialUse.contains(.trash) && $0.isSelectable
    }) {
      return try known.records.values.first { $0.mailboxName == listing.name }?.id
        ?? making.adopt(listing)
    }
    // A label that a person called Trash is a label; the trash itself may be hidden from IMAP.
    if known.labels != nil { return nil }
    if let id = known.roles.trash.min() { return id }
    let listing = known.listings.first {
      FolderRoles.isNamed($0.name, FolderRoles.names(of: .trash)) && $0.isSelectable
    }
    // On the server, and never pulled: it need not be known here to take messages.
    if let listing { return try making.adopt(listing) }
    let name = NamePrefix(session).full("Trash")
    return try making.createMailbox(name, use: .trash)
  }
}
