import Ledger
import MailCore
import Maildir
import Settings
import State
import SyncPlan

/// The tree under the hands of one command: folders opened once, the accounts' policies.
package final class SortingTree {
  package let root: String
  private let accounts: [String: AccountSettings]
  private var folders: [String: MaildirFolder] = [:]
  private var names: MailTree?
  private var lock: SortingLock?
  /// Seconds that this command waits for another.
  var patience = 10.0

  package init(root: String, accounts: [AccountSettings]) {
    self.root = root
    self.accounts = Dictionary(accounts.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
  }

  /// Nil where the configuration has no such account: the tree is another program's.
  func settings(_ account: String) -> AccountSettings? { accounts[account] }

  func policy(_ account: String) -> MaildirPolicy {
    accounts[account].map { MaildirPolicy($0.sync) } ?? MaildirPolicy()
  }

  /// - Parameter path: below the root.
  func folder(_ path: String) throws -> MaildirFolder {
    if let known = folders[path] { return known }
    guard let place = FolderPath(text: path) else { throw MaildirError.badName(path) }
    let folder = try MailTree.open(place, root: root)
    folders[path] = folder
    return folder
  }

  /// The file as it is called now, also where a pull wrote its keywords line anew; nil when it left the folder.
  func locate(_ base: [UInt8], in folder: MaildirFolder, guess: MessageFile?) throws -> MessageFile?
  {
    if let guess, try isThere(guess, in: folder) { return guess }
    return try FolderNames(folder).find(base)
  }

  func isThere(_ file: MessageFile, in folder: MaildirFolder) throws -> Bool {
    try FolderEntries.facts(file, in: folder) != nil
  }

  /// Makes what was done in these folders durable.
  ///
  /// - Parameter gaining: those that messages came to. They go first: a power cut between two folders leaves a message
  ///   in both then, and not in none.
  func sync(_ paths: Set<String>, gaining: Set<String>, durable: (String) -> Bool) throws {
    for path in Array(gaining) + paths.subtracting(gaining) where durable(path) {
      try folders[path]?.syncDirectories()
    }
  }

  // MARK: One command at a time

  /// Takes the tree for this command. False where it has it already: then whoever took it lets it go.
  ///
  /// - Throws: ``SortingError/busy``.
  @discardableResult
  package func hold() throws -> Bool {
    guard lock == nil else { return false }
    lock = try SortingLock.take(root: root, patience: patience)
    return lock != nil
  }

  package func letGo() { lock = nil }

  // MARK: Folders by name

  /// The folder of an account that people call so; below the root.
  func path(named name: String, account: String) throws -> String? {
    let wanted = Keywords.fold(name)
    let own = try tree().folders.filter { $0.account == account }
    let found =
      own.first { $0.name == name } ?? own.first { Keywords.fold($0.name) == wanted }
    return found?.path.text
  }

  func nearest(to name: String, account: String) throws -> String? {
    nearestWord(to: name, among: try tree().folders.filter { $0.account == account }.map(\.name))
  }

  /// As people call it: `personal/Archive`.
  func title(_ path: String) -> String {
    guard let found = try? tree().folders.first(where: { $0.path.text == path }) else {
      return path
    }
    return found.account.isEmpty ? found.name : found.account + "/" + found.name
  }

  /// All folders of an account, below the root.
  func folders(of account: String) throws -> [String] {
    try tree().folders.filter { $0.account == account }.map(\.path.text)
  }

  /// - Throws: ``SortingError/badFolderName(_:)``.
  func newFolder(named name: String, account: String) throws -> NewFolder {
    guard NewFolder.canBeMailbox(name) else { throw SortingError.badFolderName(name) }
    let tree = try AccountTree.open(path: root + "/" + account, create: false)
    let path = try tree.layout(policy(account)).path(of: MailboxName(name, delimiter: "/"))
    return NewFolder(account: account, name: name, place: path)
  }

  func make(_ new: NewFolder) throws {
    let tree = try AccountTree.open(path: root + "/" + new.account, create: false)
    let needsSideName = try tree.layout(policy(new.account)).needsSideName(new.place)
    _ = try MaildirFolder.create(
      new.place, in: tree, sideName: needsSideName ? new.name : nil,
      fsync: policy(new.account).fsync)
    names = nil
  }

  /// What the last run left; nil where the account was never pulled.
  func state(of account: String) throws -> StateStore? {
    let path = root + "/" + account + "/.mirror/state.db"
    guard FileThere.isThere(path) else { return nil }
    return try StateStore(path: path, durable: false, readOnly: true)
  }

  /// Where files lie that were taken out of all folders; below the root.
  func asidePath(_ account: String) -> String { account + "/.mirror/undo" }

  /// The same, made where it is missing.
  func asideFolder(_ account: String) throws -> String {
    let tree = try AccountTree.open(path: root + "/" + account, create: false)
    guard let path = FolderPath(components: [".mirror", "undo"]) else {
      throw MaildirError.badName("undo")
    }
    _ = try MaildirFolder.create(path, in: tree, fsync: policy(account).fsync)
    return asidePath(account)
  }

  private func tree() throws -> MailTree {
    if let names { return names }
    let read = try MailTree.read(root: root)
    names = read
    return read
  }
}
