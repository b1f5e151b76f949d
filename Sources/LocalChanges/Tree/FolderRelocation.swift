import Foundation
import Ledger
import Maildir
import State

/// A mailbox that the server calls otherwise, or no longer has, and its folder here, which is about to get another place.
///
/// Written down before the folder is touched: a run that is cut off in between leaves a tree in which it would look as
/// if a person had moved it.
package struct FolderRelocation: Codable, Equatable, Sendable {
  /// The folder of a mailbox below, which moves with the directory.
  package struct Companion: Codable, Equatable, Sendable {
    package let mailbox: Int64
    package let home: String
    package let inode: Int64
    /// The others get their folders back.
    package let stays: Bool

    package init(mailbox: Int64, home: String, inode: Int64, stays: Bool) {
      self.mailbox = mailbox
      self.home = home
      self.inode = inode
      self.stays = stays
    }
  }

  package let mailbox: Int64
  package let name: String
  package let rawName: [UInt8]
  package let delimiter: String?
  package let isGone: Bool
  /// Where the folder lies before and after it.
  package let old: String
  package let new: String
  /// Which directory it is: its `cur`'s inode.
  package let inode: Int64
  package let companions: [Companion]
  /// The directory cannot be moved, or something lies at the new place: the messages go there one by one.
  package var isMerging = false

  /// - Parameters:
  ///   - record: as it is after it.
  ///   - old: where its folder lies, which is the directory with this inode.
  package init?(
    of record: MailboxRecord, from old: String, inode: Int64, with companions: [Companion]
  ) {
    guard let id = record.id else { return nil }
    mailbox = id
    name = record.name
    rawName = record.rawName
    delimiter = record.delimiter
    isGone = record.isGone
    self.old = old
    new = record.folder
    self.inode = inode
    self.companions = companions
  }

  /// What a run that was cut off left.
  package init?(in state: StateStore) throws {
    guard let words = try state.fact(Fact.relocating),
      let relocation = try? JSONDecoder().decode(Self.self, from: Data(words.utf8))
    else { return nil }
    self = relocation
  }

  package func write(to state: StateStore) throws {
    try state.setFact(
      Fact.relocating, String(decoding: JSONEncoder().encode(self), as: UTF8.self))
  }

  /// The mailbox after it; nil where the state is another than that it was written to.
  package func applied(to mailboxes: [MailboxRecord]) -> MailboxRecord? {
    guard var record = mailboxes.first(where: { $0.id == mailbox }),
      FolderPath(text: old).map(record.lies) == true,
      !mailboxes.contains(where: { $0.id != mailbox && $0.name == name })
    else { return nil }
    record.name = name
    record.rawName = rawName
    record.delimiter = delimiter
    record.isGone = isGone
    record.folder = new
    return record
  }

  /// Where a companion's folder lies after the move; nil where the paths are none.
  package func place(of companion: Companion) -> FolderPath? {
    guard let home = FolderPath(text: companion.home), let old = FolderPath(text: old),
      let new = FolderPath(text: new)
    else { return nil }
    return FolderPath(
      components: new.components + home.components.dropFirst(old.components.count))
  }
}
