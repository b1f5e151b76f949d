import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A directory of accounts, whoever wrote it: what lies where (DESIGN section 8).
///
/// A directory right below the root is an account if it holds `.mirror`, Maildir++ children, or
/// Maildirs without being one. Other Maildirs right below the root, and the root itself, belong to
/// the account with the empty name. `.mirror`, `.notmuch`, `.nnmaildir`, and directories with a
/// `.noindex` file are passed over. A directory that can be reached by several ways (symbolic links)
/// counts once.
package struct MailTree: Sendable {
  package struct Folder: Sendable, Hashable {
    /// The account's name: its directory below the root, or empty.
    package let account: String
    /// Where the Maildir lies below the root.
    package let path: FolderPath
    /// As people see it: levels joined by "/", escapes undone where the account is mirror's own.
    package let name: String
  }

  package struct Account: Sendable, Hashable {
    package let name: String
    /// It has a `.mirror`: mirror keeps it.
    package let isOwn: Bool
  }

  package let root: String
  /// Sorted by name.
  package private(set) var accounts: [Account] = []
  /// Sorted by path.
  package private(set) var folders: [Folder] = []
  /// Directories that could not be read; what is known of them had better be kept.
  package private(set) var unreadable: [(path: String, error: MaildirError)] = []

  private let directory: Directory
  private var seen: Set<Identity> = []

  private struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  /// - Throws: `treeVanished` when there is no directory at the root.
  package static func read(root: String) throws(MaildirError) -> MailTree {
    var tree = MailTree(root: root, directory: try Directory.open(path: root))
    try tree.readRoot()
    tree.accounts.sort { $0.name < $1.name }
    tree.folders.sort { $0.path.text < $1.path.text }
    return tree
  }

  private init(root: String, directory: Directory) {
    self.root = root
    self.directory = directory
  }

  /// Opens a folder of the tree.
  package func open(_ path: FolderPath) throws(MaildirError) -> MaildirFolder {
    try Self.open(path, below: directory, root: root)
  }

  /// Opens a folder anywhere below a root, without looking at the rest of the tree.
  package static func open(_ path: FolderPath, root: String) throws(MaildirError) -> MaildirFolder {
    try open(path, below: try Directory.open(path: root), root: root)
  }

  private static func open(_ path: FolderPath, below root: Directory, root rootPath: String)
    throws(MaildirError) -> MaildirFolder
  {
    var directory = root
    for component in path.components {
      guard let next = try directory.directory(component) else {
        throw .notMaildir(path: rootPath + "/" + path.text)
      }
      directory = next
    }
    return try MaildirFolder.open(directory, path)
  }

  // MARK: Looking

  private mutating func readRoot() throws(MaildirError) {
    _ = try isNew(directory)
    if try AccountTree.isMaildir(directory) { add("", FolderPath.account, isOwn: false) }
    for name in try AccountTree.subdirectories(of: directory) {
      if Self.isPassedOver(name) { continue }
      do throws(MaildirError) {
        guard let child = try directory.directory(name),
          try child.facts(AccountTree.noIndexName) == nil
        else { continue }
        try readTop(child, name)
      } catch {
        unreadable.append((name, error))
      }
    }
  }

  /// A directory right below the root.
  private mutating func readTop(_ child: Directory, _ name: String) throws(MaildirError) {
    let isMaildir = try AccountTree.isMaildir(child)
    if name.hasPrefix(".") {
      // The root is a Maildir++ account itself.
      if isMaildir, try isNew(child) { add("", FolderPath(unchecked: [name]), isOwn: false) }
      return
    }
    guard try isNew(child) else { return }
    let isOwn = try child.facts(AccountTree.controlName) != nil
    let before = folders.count
    var hasDotted = false
    for dotted in try AccountTree.subdirectories(of: child)
    where dotted.hasPrefix(".") && !Self.isPassedOver(dotted) {
      guard let folder = try child.directory(dotted), try AccountTree.isMaildir(folder),
        try folder.facts(AccountTree.noIndexName) == nil, try isNew(folder)
      else { continue }
      hasDotted = true
      add(name, FolderPath(unchecked: [name, dotted]), isOwn: isOwn)
    }
    let account = isOwn || hasDotted || !isMaildir ? name : ""
    if isMaildir { add(account, FolderPath(unchecked: [name]), isOwn: isOwn) }
    collect(below: child, [name], account: account, isOwn: isOwn)
    if isOwn, folders.count == before { note(Account(name: name, isOwn: true)) }
  }

  /// No mail tree is deeper.
  private static let deepest = 40

  private mutating func collect(
    below parent: Directory, _ components: [String], account: String, isOwn: Bool
  ) {
    guard components.count < Self.deepest else { return }
    do throws(MaildirError) {
      for name in try AccountTree.subdirectories(of: parent) {
        if name.hasPrefix(".") || ["tmp", "new", "cur"].contains(name) { continue }
        guard let child = try parent.directory(name),
          try child.facts(AccountTree.noIndexName) == nil, try isNew(child)
        else { continue }
        let path = components + [name]
        if try AccountTree.isMaildir(child) {
          add(account, FolderPath(unchecked: path), isOwn: isOwn)
        }
        collect(below: child, path, account: account, isOwn: isOwn)
      }
    } catch {
      unreadable.append((components.joined(separator: "/"), error))
    }
  }

  private static func isPassedOver(_ name: String) -> Bool { AccountTree.passedOver.contains(name) }

  private mutating func isNew(_ directory: Directory) throws(MaildirError) -> Bool {
    let facts = try directory.facts()
    return seen.insert(Identity(device: facts.device, inode: facts.inode)).inserted
  }

  private mutating func add(_ account: String, _ path: FolderPath, isOwn: Bool) {
    let inside = account.isEmpty ? path.components : Array(path.components.dropFirst())
    folders.append(
      Folder(
        account: account, path: path,
        name: Self.name(inside, isOwn: isOwn, of: path, root: directory)))
    note(Account(name: account, isOwn: isOwn))
  }

  private mutating func note(_ account: Account) {
    if !accounts.contains(where: { $0.name == account.name }) { accounts.append(account) }
  }

  /// The folder's name for people, from its place below the account.
  private static func name(
    _ components: [String], isOwn: Bool, of path: FolderPath, root: Directory
  ) -> String {
    guard let first = components.first else { return "INBOX" }
    let style: LayoutStyle = first.hasPrefix(".") ? .maildirPlusPlus : .nested
    guard isOwn else {
      if style == .nested { return components.joined(separator: "/") }
      return first.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
        .joined(separator: "/")
    }
    let layout = FolderLayout(style: style)
    let place = FolderPath(unchecked: components)
    var sideName: String?
    if layout.needsSideName(place) {
      sideName = (try? open(path, below: root, root: root.path))?.sideNameIfReadable
    }
    return layout.mailbox(at: place, delimiter: "/", sideName: sideName)?.text
      ?? components.joined(separator: "/")
  }
}

extension MaildirFolder {
  fileprivate var sideNameIfReadable: String? { (try? sideName) ?? nil }
}
