import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// Folders of mailboxes that are gone from the server.
package struct GoneFolders {
  /// Mailboxes whose folders are here, with something of theirs in it, or nothing at all, or nobody knows what. The
  /// others' names are free: new mail in a folder called so is a person's own, and becomes a mailbox.
  package private(set) var left: Set<MailboxKey> = []
  /// New mail in folders of those that are left: no push sends it.
  package private(set) var unsent: [PushPlan.UnsentMail] = []

  package init(
    _ mailboxes: [MailboxRecord], _ tree: AccountTree, _ state: StateStore, _ policy: MaildirPolicy
  ) throws {
    for record in mailboxes where record.isGone {
      let id = record.id
      do {
        let reading = GoneFolderReading(mailbox: id, state: state, policy: policy)
        guard let count = try reading.newMail(in: record.folder, tree) else { continue }
        left.insert(id)
        if count > 0 {
          unsent.append(PushPlan.UnsentMail(folder: record.folder, count: count))
        }
      } catch let error as MaildirError where !error.stopsRun {
        left.insert(id)  // What cannot be read may be what the server had.
      }
    }
  }
}

/// One of them, looked into.
struct GoneFolderReading {
  let mailbox: MailboxKey
  let state: StateStore
  let policy: MaildirPolicy
  /// So many files are read; further ones count by their names.
  private static let most = 200

  /// How many messages the server never had; nil where the folder is not there, or holds no others.
  func newMail(in path: FolderPath, _ tree: AccountTree) throws -> Int? {
    guard try MaildirFolder.exists(path, in: tree) else { return nil }
    let folder = try MaildirFolder.open(path, in: tree)
    let files = try folder.files()
    if files.isEmpty { return 0 }
    let surplus = try state.surplus(in: mailbox)
    guard try !surplus.isEmpty || state.holdsFiles(mailbox) else { return nil }
    var stems = Set<MessageStem>()
    try state.forEachName(in: mailbox) { _, name in stems.insert(MessageStem(of: name)) }
    let unsent = Set(surplus.map(\.nameHash))
    let contents = Set(surplus.map(\.contentHash))
    let unknown = files.filter { !stems.contains($0.stem) && !unsent.contains($0.baseHash) }
    let known = try unknown.prefix(Self.most).count { try isKnown($0, in: folder, contents) }
    let new = unknown.count - known
    return new == files.count ? nil : new
  }

  /// A reader gave it another name.
  private func isKnown(
    _ file: MessageFile, in folder: MaildirFolder, _ surplus: Set<ContentHash>
  ) throws -> Bool {
    guard let found = try UnknownFile.read(file, in: folder, mailbox: mailbox, policy: policy)
    else { return false }
    if surplus.contains(found.digest.contentHash) { return true }
    return try !state.contents(in: mailbox, among: [found.digest.contentHash]).isEmpty
  }
}
