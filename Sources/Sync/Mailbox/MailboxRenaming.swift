import IMAPWire
import MailCore
import Maildir
import State

/// Whether a mailbox under a new name is the one that had the old name, by the headers of its newest messages.
struct MailboxIdentity {
  let context: AccountContext
  let record: MailboxRecord

  func matches(_ listing: MailboxListing, _ remote: IMAPRemoteMailbox) throws -> Bool {
    guard let id = record.id else { return false }
    let known = try context.state.uids(.known, in: id).splitNewest(10).newest
    var hashes: [UID: UInt64] = [:]
    for range in known.ranges {
      for message in try context.state.messages(in: id, range) where message.headerHash != 0 {
        hashes[message.uid] = message.headerHash
      }
    }
    guard !hashes.isEmpty else { return false }
    let probe = HeaderProbe(labelName: context.policy.keywords.line?.name)
    var request: FetchRequest? = FetchRequest(.headers, UIDSet(hashes.keys.sorted()))
    let target = MailboxTarget(
      name: listing.name, rawName: listing.rawName, uidValidity: UIDValidity(record.uidValidity))
    try remote.fetch(
      opening: target,
      next: {
        defer { request = nil }
        return request
      }, into: probe)
    // Some may have been expunged since; what is there must be the same.
    return !probe.hashes.isEmpty && probe.hashes.allSatisfy { hashes[$0.key] == $0.value }
  }
}

/// Hashes the headers it is sent.
final class HeaderProbe: FetchSink {
  private(set) var hashes: [UID: UInt64] = [:]
  private var header: [UInt8] = []
  private let labelName: String?

  init(labelName: String?) { self.labelName = labelName }

  func begins(uid: UID?, keywords: Keywords?, size: Int, isHeader: Bool) { header = [] }

  func bytes(_ bytes: UnsafeRawBufferPointer) {
    if header.count < 256 * 1024 { header.append(contentsOf: bytes) }
  }

  func finished(_ message: FetchedMessage, hasBytes: Bool, wanted: FetchRequest.Wanted) {
    guard hasBytes else { return }
    hashes[message.uid] = header.withUnsafeBytes {
      MessageDigest.of(serverBytes: $0, labelName: labelName).headerHash
    }
  }

  func spoilt(uid: UID?) {}
  func answered(_ request: FetchRequest, refusal: String?) {}
}

/// A mailbox that the server renamed: its folder follows, with the folders below it.
struct MailboxRenaming {
  let context: AccountContext
  let record: MailboxRecord

  func follow(to listing: MailboxListing) throws {
    let layout = Maildir.FolderLayout(
      style: context.policy.layout, traits: try context.tree.traits())
    var kept: [MailboxName: FolderPath] = [:]
    for other in try context.state.mailboxes() where other.id != record.id {
      kept[other.mailboxName] = try other.folderPath()
    }
    let old = try record.folderPath()
    let new = layout.assign([listing.name], keeping: kept)[listing.name] ?? layout.path(of: listing.name)
    try moveFolder(from: old, to: new)
    try save(listing, old, new)
  }

  /// A crash after the rename leaves the folder at its new place and the record at the old: then only the record goes.
  private func moveFolder(from old: FolderPath, to new: FolderPath) throws {
    guard old != new, try MaildirFolder.exists(old, in: context.tree) else { return }
    do throws(MaildirError) {
      try context.tree.renameFolder(old, to: new, fsync: context.policy.fsync)
    } catch {
      guard case .nameTaken = error else { throw error }
      // A folder is there already (another mailbox's parent, or a person's own): the messages move into it.
      let source = try MaildirFolder.open(old, in: context.tree)
      let target = try MaildirFolder.create(new, in: context.tree, fsync: context.policy.fsync)
      var files: [MessageFile] = []
      try FolderScan.forEachFile(in: source) { files.append($0) }
      for file in files { _ = try source.move(file, to: target, policy: context.policy) }
      if context.policy.fsync {
        try target.syncDirectories()
        try source.syncDirectories()
      }
    }
  }

  private func save(_ listing: MailboxListing, _ old: FolderPath, _ new: FolderPath) throws {
    let below = old.text + "/"
    let others = try context.state.mailboxes().filter {
      $0.id != record.id && !old.components.isEmpty && $0.folder.hasPrefix(below)
    }
    try context.state.transaction { transaction in
      var renamed = record
      renamed.name = listing.name.text
      renamed.rawName = listing.rawName
      renamed.delimiter = listing.delimiter.map(String.init)
      renamed.folder = new.text
      renamed.newModified = 0
      renamed.curModified = 0
      try transaction.save(&renamed)
      for var other in others
      where try !MaildirFolder.exists(other.folderPath(), in: context.tree) {
        other.folder = new.text + "/" + other.folder.dropFirst(below.count)
        try transaction.save(&other)
      }
    }
    context.noteChange()
  }
}
