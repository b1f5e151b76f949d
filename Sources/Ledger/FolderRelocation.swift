import MailCore

/// A mailbox that the server calls otherwise, or no longer has, and its folder here, which is about to get another place.
///
/// In the journal from before the folder is touched until the state has its new place: a run that is cut off leaves a
/// tree in which it would look as if a person had moved it.
package struct FolderRelocation: Codable, Equatable, Sendable {
  /// The folder of a mailbox below, which moves with the directory.
  package struct Companion: Codable, Equatable, Sendable {
    package let mailbox: MailboxKey
    package let home: FolderPath
    package let inode: Int64
    /// The others get their folders back.
    package let stays: Bool

    package init(mailbox: MailboxKey, home: FolderPath, inode: Int64, stays: Bool) {
      self.mailbox = mailbox
      self.home = home
      self.inode = inode
      self.stays = stays
    }
  }

  package let mailbox: MailboxKey
  package let name: String
  private let rawNameBlob: HexBytes
  package var rawName: [UInt8] { rawNameBlob.bytes }
  package let delimiter: String?
  package let isGone: Bool
  /// Where the folder lies before and after it.
  package let old: FolderPath
  package let new: FolderPath
  /// Which directory it is: its `cur`'s inode.
  package let inode: Int64
  /// The directory cannot be moved, or something lies at the new place: the messages go there one by one.
  package var isMerging = false
  /// In a table of their own.
  package var companions: [Companion] = []

  /// - Parameters:
  ///   - record: as it is after it.
  ///   - old: where its folder lies, which is the directory with this inode.
  package init(
    of record: MailboxRecord, from old: FolderPath, inode: Int64, with companions: [Companion]
  ) {
    mailbox = record.id
    name = record.name
    rawNameBlob = HexBytes(record.rawName)
    delimiter = record.delimiter
    isGone = record.isGone
    self.old = old
    new = record.folder
    self.inode = inode
    self.companions = companions
  }

  private enum CodingKeys: String, CodingKey {
    case mailbox, name, rawNameBlob, delimiter, isGone, old, new, inode, isMerging
  }

  /// The mailbox after it; nil where the state is another than that it was written to.
  package func applied(to mailboxes: [MailboxRecord]) -> MailboxRecord? {
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
}
