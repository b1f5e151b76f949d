import Foundation
import Maildir
import State

/// A mailbox that the server calls otherwise, or no longer has, and its folder here, which is about to get another place.
///
/// Written down before the folder is touched: a run that is cut off in between leaves a tree in which it would look as
/// if a person had moved it.
struct FolderRelocation: Codable, Equatable, Sendable {
  let mailbox: Int64
  let name: String
  let rawName: [UInt8]
  let delimiter: String?
  let isGone: Bool
  /// Where the folder lies before and behind it.
  let old: String
  let new: String
  /// Which directory it is: its `cur`'s inode.
  let inode: Int64
  /// Mailboxes whose own turn comes: until then their folders go along.
  let pending: Set<Int64>
  /// Something lies at the new place: the messages go there one by one.
  var isMerging = false

  /// - Parameters:
  ///   - record: as it is behind it.
  ///   - old: where its folder lies, which is the directory with this inode.
  init?(of record: MailboxRecord, from old: String, inode: Int64, besides pending: Set<Int64>) {
    guard let id = record.id else { return nil }
    mailbox = id
    name = record.name
    rawName = record.rawName
    delimiter = record.delimiter
    isGone = record.isGone
    self.old = old
    new = record.folder
    self.inode = inode
    self.pending = pending
  }

  /// What a run that was cut off left.
  init?(in state: StateStore) throws {
    guard let words = try state.fact(Fact.relocating),
      let relocation = try? JSONDecoder().decode(Self.self, from: Data(words.utf8))
    else { return nil }
    self = relocation
  }

  func write(to state: StateStore) throws {
    try state.setFact(
      Fact.relocating, String(decoding: JSONEncoder().encode(self), as: UTF8.self))
  }

  /// The mailbox behind it; nil where the state is another's than that it was written to.
  func applied(to mailboxes: [MailboxRecord]) -> MailboxRecord? {
    guard var record = mailboxes.first(where: { $0.id == mailbox }), record.folder == old,
      !mailboxes.contains(where: { $0.id != mailbox && $0.name == name })
    else { return nil }
    record.name = name
    record.rawName = rawName
    record.delimiter = delimiter
    record.isGone = isGone
    record.folder = new
    return record
  }

  /// For those who only look: the mailboxes as they are where the folder was moved already, with those that went along.
  func foreseen(for mailboxes: [MailboxRecord], holds: (FolderPath) throws -> Bool) throws
    -> [MailboxRecord]
  {
    guard let record = applied(to: mailboxes), let place = FolderPath(text: new),
      let home = FolderPath(text: old), try holds(place), try !holds(home)
    else { return mailboxes }
    return try mailboxes.map { other in
      if other.id == record.id { return record }
      let path = try other.folderPath()
      guard path.isInside(home), try !holds(path),
        let along = FolderPath(
          components: place.components + path.components.dropFirst(home.components.count)),
        try holds(along)
      else { return other }
      var other = other
      other.folder = along.text
      return other
    }
  }
}
