import Ledger
import LocalChanges
import MailCore
import Maildir
import Settings
import State
import SyncPlan
import Synchronization

/// A file that may be a message of another mailbox than the one that it lies with.
struct StrayFile {
  let file: MessageFile
  let folder: FolderPath
}

/// In a run that matches mailboxes anew: files that are missing in one folder and lie in another, by their names. A person
/// moved them there, or they are copies, which are messages of the mailbox where they lie. That shows once every mailbox was
/// matched with what lies in its own folder. Safe from any thread.
final class StrayFiles: Sendable {
  enum Place: Sendable {
    /// No file of this name is free: the message is to be fetched.
    case nowhere
    /// What lies there may be the message of a mailbox that this run could not look into.
    case undecided
    case at(StrayFile)
  }

  private struct Content: Sendable {
    /// Of mailboxes that were matched with their own folders: names that they miss there, by their hashes.
    var missing: [MailboxKey: Set<NameHash>] = [:]
    /// Of these, messages that are still to come, and whose names are known.
    var awaited: [MailboxKey: UIDSet] = [:]
    /// Files that are one of these mailboxes' messages by now.
    var taken: [NameHash: MailboxKey] = [:]
    var found: Found?
  }

  /// Where the missing names lie in the tree.
  private struct Found: Sendable {
    var files: [NameHash: [StrayFile]] = [:]
    var verdicts: [FolderPath: Verdict] = [:]
    /// Names that messages have which do not miss them, or whose files a person moved since they were pulled.
    var owned: Set<NameHash> = []
  }

  private enum Verdict { case open, undecided, closed }

  private let folders: AccountFolders
  private let state: StateStore
  /// Which mailboxes are mirrored.
  private let mirrored: FolderPatterns
  private let content = Mutex(Content())

  init(folders: AccountFolders, state: StateStore, mirrored: FolderPatterns) {
    self.folders = folders
    self.state = state
    self.mirrored = mirrored
  }

  /// The mailbox was matched with its own folder.
  ///
  /// - Parameters:
  ///   - names: of files that it misses there.
  ///   - messages: those of them that are still to come.
  func add(_ names: Set<NameHash>, _ messages: UIDSet, of mailbox: MailboxKey) {
    content.withLock {
      ($0.missing[mailbox], $0.awaited[mailbox]) = (names, messages)
      $0.found = nil
    }
  }

  /// Where the file of one of these names lies. It is no other message's from then on.
  ///
  /// - Parameter missesMailboxes: some that are mirrored were not looked into, and may have no record yet.
  func claim(_ name: NameHash, for mailbox: MailboxRecord, missesMailboxes: Bool) throws -> Place {
    try content.withLock { content in
      let place = try claim(name, for: mailbox, missesMailboxes, &content)
      guard case .at(let file) = place, try !isThere(file) else { return place }
      // A reader has been at work since.
      content.found = nil
      return try claim(name, for: mailbox, missesMailboxes, &content)
    }
  }

  private func isThere(_ stray: StrayFile) throws -> Bool {
    let folder = try MaildirFolder.open(stray.folder, in: folders.tree)
    do throws(MaildirError) { _ = try folder.facts(stray.file) } catch {
      guard case .vanished = error else { throw error }
      return false
    }
    return true
  }

  private func claim(
    _ name: NameHash, for mailbox: MailboxRecord, _ missesMailboxes: Bool,
    _ content: inout Content
  ) throws -> Place {
    let found = try content.found ?? find(content, missesMailboxes)
    content.found = found
    let files = found.files[name] ?? []
    // It has come back since.
    if let file = files.first(where: { $0.folder == mailbox.folder }) { return .at(file) }
    if let owner = content.taken[name], owner != mailbox.id { return .nowhere }
    if found.owned.contains(name) { return .nowhere }
    if let file = files.first(where: { found.verdicts[$0.folder] == .open }) {
      content.taken[name] = mailbox.id
      return .at(file)
    }
    return files.contains { found.verdicts[$0.folder] == .undecided } ? .undecided : .nowhere
  }

  private func find(_ content: Content, _ missesMailboxes: Bool) throws -> Found {
    var found = Found()
    let missing = content.missing
    let wanted = missing.values.reduce(into: Set<NameHash>()) { $0.formUnion($1) }
    let judge = try Judge(self, content.awaited, missesMailboxes)
    for path in try folders.tree.readableFolders(folders.policy.layout).folders {
      try FolderScan.forEachFile(in: try MaildirFolder.open(path, in: folders.tree)) { file in
        let name = file.baseHash
        if wanted.contains(name) {
          found.files[name, default: []].append(StrayFile(file: file, folder: path))
        }
      }
    }
    for path in Set(found.files.values.joined().map(\.folder)) {
      found.verdicts[path] = try judge.verdict(path)
    }
    for mailbox in try state.mailboxes() {
      let own = missing[mailbox.id] ?? []
      try state.forEachName(in: mailbox.id) { _, name in
        let hash = NameHash(of: name)
        if wanted.contains(hash), !own.contains(hash) { found.owned.insert(hash) }
      }
    }
    return found
  }

  /// Whether what lies in a folder and is no message of its mailbox may be another mailbox's.
  private struct Judge {
    private let mirrored: FolderPatterns
    private let missesMailboxes: Bool
    /// Mailboxes that this run matched with their own folders.
    private let matched: [MailboxKey: UIDSet]
    private let homes: [FolderPath: MailboxRecord]
    private let naming: FolderNaming
    private let failures: [FailureRecord]

    init(_ files: StrayFiles, _ matched: [MailboxKey: UIDSet], _ missesMailboxes: Bool) throws {
      self.missesMailboxes = missesMailboxes
      self.matched = matched
      mirrored = files.mirrored
      let mailboxes = try files.state.mailboxes().filter { !$0.isGone }
      homes = Dictionary(mailboxes.map { ($0.folder, $0) }, uniquingKeysWith: { $1 })
      naming = try FolderNaming(
        tree: files.folders.tree, policy: files.folders.policy, folders: mirrored,
        mailboxes: mailboxes, state: files.state)
      failures = try files.state.failures()
    }

    func verdict(_ path: FolderPath) throws -> Verdict {
      guard let owner = homes[path] else {
        // A mailbox that is mirrored later may have the file as its message.
        if naming.name(path) == nil { return .closed }
        return missesMailboxes ? .undecided : .open
      }
      if owner.keepsNothing { return .open }
      guard MailboxCatalogue.isMirrored(owner, mirrored) else { return .closed }
      if failures.contains(where: { $0.closedMailbox == owner.id }) { return .closed }
      let awaited = matched[owner.id]
      let isMatched = awaited != nil || owner.isSettled && owner.uidValidity != 0
      let missing = failures.filter { failure in
        failure.mailbox == owner.id && failure.uid.map { awaited?.contains(UID($0)) } != true
      }
      // What lies there may be one of the messages that the server does not hand out.
      if missing.contains(where: \.isAwaited) || !isMatched { return .undecided }
      return missing.isEmpty ? .open : .closed
    }
  }
}
