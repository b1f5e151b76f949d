import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import Synchronization

/// The account's folders as a run sees them; in a dry run, as what it would do leaves them. Safe from any thread.
final class AccountFolders: Sendable {
  let tree: AccountTree
  let policy: MaildirPolicy
  /// A dry run: nothing in the tree is touched.
  let isRehearsal: Bool
  private let state: StateStore
  private let foreseen = Mutex(ForeseenFolders())

  init(tree: AccountTree, policy: MaildirPolicy, state: StateStore, isRehearsal: Bool) {
    self.tree = tree
    self.policy = policy
    self.state = state
    self.isRehearsal = isRehearsal
  }

  /// Which folder belongs to which mailbox, by their names.
  func layout() throws(MaildirError) -> Maildir.FolderLayout {
    try tree.layout(policy)
  }

  /// Places for mailboxes that have none yet; those that the state knows keep theirs.
  ///
  /// - Parameters:
  ///   - renamed: its place is given up.
  ///   - isThere: whether a folder lies there. One in its twin form was that mailbox's before the state was lost.
  func assign(
    _ names: [MailboxName], besides renamed: MailboxKey? = nil,
    isThere: (FolderPath) throws -> Bool = { _ in false }
  ) throws -> [MailboxName: FolderPath] {
    let known = try state.mailboxes().filter { $0.id != renamed }
    let kept = Dictionary(known.map { ($0.mailboxName, $0.folder) }, uniquingKeysWith: { $1 })
    return try layout().assign(names, keeping: kept, isThere: isThere)
  }

  /// All that can be read.
  func all() throws -> [FolderPath] {
    let places = try tree.readableFolders(policy.layout).folders
    return foreseen.withLock { foreseen in places.compactMap { foreseen.path(of: $0) } }
  }

  /// Whether a whole Maildir lies there, or would.
  func holds(_ path: FolderPath) throws -> Bool {
    guard let place = place(of: path) else { return false }
    return try MaildirFolder.exists(place, in: tree)
  }

  /// Whether any message lies in it.
  func holdMail(_ path: FolderPath) throws -> Bool {
    var holdsMail = false
    try FolderScan.forEachFile(in: try open(path)) { _ in holdsMail = true }
    return holdsMail
  }

  func open(_ path: FolderPath) throws -> MaildirFolder {
    guard let place = place(of: path) else {
      throw MaildirError.notMaildir(path: tree.path + "/" + path.text)
    }
    return try MaildirFolder.open(place, in: tree, as: path)
  }

  /// Makes what is missing of a mailbox's folder.
  func make(of record: MailboxRecord) throws -> MaildirFolder {
    try MaildirFolder.create(
      record.folder, in: tree, sideName: layout().needsSideName(record.folder) ? record.name : nil,
      fsync: policy.fsync)
  }

  /// Which directory lies there, by its `cur`; nil where no Maildir does.
  func inode(of path: FolderPath) throws -> Int64? {
    guard try holds(path) else { return nil }
    return try open(path).stamp().curInode
  }

  /// Gives a folder another place, with what is below it.
  func rename(_ path: FolderPath, to target: FolderPath) throws(MaildirError) {
    guard isRehearsal else {
      return try tree.renameFolder(path, to: target, fsync: policy.fsync)
    }
    foreseen.withLock { $0.move(path, to: target) }
  }

  /// Removes a folder that holds nothing; its directory stays where other folders are in it.
  func remove(_ path: FolderPath) throws(MaildirError) {
    guard isRehearsal else { return try tree.clearFolder(path, fsync: policy.fsync) }
    guard let place = place(of: path) else { throw .notMaildir(path: path.text) }
    try tree.checkClearable(place)
    foreseen.withLock { $0.remove(path) }
  }

  private func place(of path: FolderPath) -> FolderPath? {
    foreseen.withLock { $0.place(of: path) }
  }

  // MARK: Their files

  /// The folder of a mailbox that is there; nil where it is not.
  func local(ofMailbox id: MailboxKey, isShared: Bool = false) throws -> LocalFolder? {
    guard let record = try state.mailbox(id), try holds(record.folder) else { return nil }
    return local(try open(record.folder), isShared: isShared)
  }

  /// The file of a message in its mailbox's folder; nil where the folder is not there, or lacks it.
  func file(of record: MessageRecord, in mailbox: MailboxKey) throws -> MessageFile? {
    try local(ofMailbox: mailbox)?.file(of: record)
  }

  func local(at path: FolderPath) throws -> LocalFolder {
    local(try open(path), isShared: true)
  }

  func local(_ folder: MaildirFolder, isShared: Bool = false) -> LocalFolder {
    LocalFolder(folder: folder, policy: policy, isShared: isShared, isRehearsal: isRehearsal)
  }

  /// Where in the account files with these base names (by hash) lie: one pass over all names.
  func places(ofFiles hashes: Set<NameHash>, except home: FolderPath) throws -> [NameHash:
    FolderPath]
  {
    var places: [NameHash: FolderPath] = [:]
    for path in try all() where path != home {
      try FolderScan.forEachFile(in: try open(path)) { file in
        let hash = file.baseHash
        if hashes.contains(hash) { places[hash] = path }
      }
    }
    return places
  }
}

extension MailboxRecord {
  /// Whether a whole Maildir lies where it belongs.
  func hasFolder(in tree: AccountTree) throws -> Bool {
    try MaildirFolder.exists(folder, in: tree)
  }
}
