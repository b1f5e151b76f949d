import Ledger
import MailCore

extension MailboxRename {
  /// - Parameters:
  ///   - rename: its name is spelled as the server has it.
  ///   - mailboxes: all of the account.
  package init(
    _ rename: PushPlan.FolderRename, of record: MailboxRecord, among mailboxes: [MailboxRecord],
    _ places: RenamedPlaces
  ) throws {
    self.init(changes: [
      Change(mailbox: rename.mailbox, name: rename.name, folder: rename.folder)
    ])
    let branch = BranchMove(old: record.name, new: rename.name, separator: record.separator)
    for other in record.below(among: mailboxes) {
      guard let name = branch.name(of: other.name) else { continue }
      var change = Change(mailbox: other.id, name: name, folder: other.folder)
      let place = places.place(of: other, called: name, from: record.folder, to: rename.folder)
      if let place, other.folder != place {
        try places.assign(other, to: place, among: mailboxes, &change)
      }
      changes.append(change)
    }
  }

  /// The mailboxes as they are after it; where a folder is still to be moved, that keeps its old place.
  package func applied(
    to mailboxes: [MailboxRecord], holds: (FolderPath) throws -> Bool
  ) rethrows -> [MailboxRecord] {
    let changes = Dictionary(changes.map { ($0.mailbox, $0) }, uniquingKeysWith: { $1 })
    return try mailboxes.map { record in
      guard let change = changes[record.id] else { return record }
      var record = record
      record.name = change.name
      if try !change.isToMove || holds(change.folder) { record.folder = change.folder }
      return record
    }
  }

  /// As a push counts it: the mailboxes below are not counted.
  package func actions(_ mailboxes: [MailboxRecord]) -> [PushAction] {
    guard let change = changes.first,
      let record = mailboxes.first(where: { $0.id == change.mailbox })
    else { return [] }
    return [PushAction(.rename, mailbox: record.name, detail: change.name)]
  }
}
