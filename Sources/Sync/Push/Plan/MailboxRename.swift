import MailCore
import Maildir
import State

/// A mailbox's new name and all that comes with it: the server renames the mailboxes below along, and their folders go
/// in step.
struct MailboxRename: Codable, Equatable, Sendable {
  struct Change: Codable, Equatable, Sendable {
    var mailbox: Int64
    var name: String
    /// Where its folder belongs from now on.
    var folder: String
    /// The person left it at its old place.
    var isToMove = false
    /// Which directory lies there, where it is to move: its `cur`'s inode.
    var inode: Int64?
  }

  /// The mailbox itself, then those below it.
  var changes: [Change]

  /// - Parameters:
  ///   - rename: its name is spelled as the server has it.
  ///   - mailboxes: all of the account.
  init(
    _ rename: PushPlan.FolderRename, of record: MailboxRecord, among mailboxes: [MailboxRecord],
    _ places: RenamedPlaces
  ) throws {
    changes = [
      Change(mailbox: rename.mailbox, name: rename.name, folder: rename.folder.text)
    ]
    for other in record.below(among: mailboxes) {
      guard let id = other.id else { continue }
      var change = Change(
        mailbox: id, name: rename.name + other.name.dropFirst(record.name.count),
        folder: other.folder)
      let home = try record.folderPath()
      // One that the person called otherwise goes in step first, or it would be left with an old place.
      let place =
        places.place(of: other, called: change.name, from: home, to: rename.folder)
        ?? places.inStep(other, from: home, to: rename.folder)
      if let place, place.text != other.folder {
        let isLeft = try places.holds(other.folderPath())
        // What a mailbox had that is gone may keep its folder, too, but not another's.
        let holder = mailboxes.first {
          $0.id != id && $0.folder == place.text && (isLeft || !$0.isGone)
        }
        // One that has the very name turns out to be gone, if the server gives it away.
        let isTaken = holder.map { $0.name != change.name } ?? false
        if try holder == nil && places.holds(place) {
          // The person put it there; what lies at its old place, if anything does, was made since.
          change.folder = place.text
        } else if try !isTaken && (isLeft || !places.isTaken(other.folderPath())) {
          // Without a folder it goes in step, too: what is made at its old place is none of its. What lies there and is
          // no folder now, a disk's place for one, stays its own.
          change.folder = place.text
          change.isToMove = isLeft && !places.haveOwnName(other)
        }
      }
      changes.append(change)
    }
  }

  /// The mailboxes as they are behind it; where a folder is still to be moved, that keeps its old place.
  func applied(
    to mailboxes: [MailboxRecord], holds: (FolderPath) throws -> Bool
  ) rethrows -> [MailboxRecord] {
    let changes = Dictionary(changes.map { ($0.mailbox, $0) }, uniquingKeysWith: { $1 })
    return try mailboxes.map { record in
      guard let change = record.id.flatMap({ changes[$0] }) else { return record }
      var record = record
      record.name = change.name
      if let place = FolderPath(text: change.folder), try !change.isToMove || holds(place) {
        record.folder = change.folder
      }
      return record
    }
  }

  /// As a push counts it: what goes along is none.
  func actions(_ mailboxes: [MailboxRecord]) -> [PushAction] {
    guard let change = changes.first,
      let record = mailboxes.first(where: { $0.id == change.mailbox })
    else { return [] }
    return [PushAction(.rename, mailbox: record.name, detail: change.name)]
  }
}

/// Where folders of mailboxes below a renamed one belong.
struct RenamedPlaces {
  let renames: [PushPlan.FolderRename]
  let layout: LayoutStyle
  /// Whether a whole Maildir lies there.
  let holds: (FolderPath) throws -> Bool
  /// Whether anything does.
  let isTaken: (FolderPath) throws -> Bool

  /// Where the person put it under this name, else in step with the one above.
  func place(
    of other: MailboxRecord, called name: String, from old: FolderPath, to new: FolderPath
  ) -> FolderPath? {
    if let own = renames.first(where: { $0.mailbox == other.id }) {
      return own.name == name ? own.folder : nil
    }
    return inStep(other, from: old, to: new)
  }

  fileprivate func inStep(_ other: MailboxRecord, from old: FolderPath, to new: FolderPath)
    -> FolderPath?
  {
    let separator = layout == .nested ? "/" : "."
    guard other.folder.hasPrefix(old.text + separator) else { return nil }
    return FolderPath(text: new.text + other.folder.dropFirst(old.text.count))
  }

  fileprivate func haveOwnName(_ record: MailboxRecord) -> Bool {
    renames.contains { $0.mailbox == record.id }
  }
}

extension MailboxRecord {
  func below(among mailboxes: some Sequence<MailboxRecord>) -> [MailboxRecord] {
    let beginning = name + (delimiter ?? "/")
    return mailboxes.filter { $0.name.hasPrefix(beginning) }.sorted { $0.name < $1.name }
  }
}
