import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A directory of accounts, whoever wrote it: what lies where.
///
/// A directory right below the root is an account if it holds `.mirror`, Maildir++ children, or
/// Maildirs without being one. Other Maildirs right below the root, and the root itself, belong to
/// the account with the empty name. `.mirror`, `.notmuch`, `.nnmaildir`, and directories with a
/// `.noindex` file are passed over. A directory that can be reached by several ways (symbolic links)
/// counts once, where it truly lies if that is in the tree.
package struct MailTree: Sendable {
  package struct Folder: Sendable, Hashable {
    /// The account's name: its directory below the root, or empty.
    package let account: String
    /// Where the Maildir lies below the root.
    package let path: FolderPath
    /// As people see it: levels joined by "/", mirror's escapes or modified UTF-7 undone.
    package let name: String
    /// When it was met.
    package let stamp: FolderStamp
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
  /// Directories that could not be read, or whose names are no UTF-8; what is known of them had
  /// better be kept.
  package private(set) var unreadable: [(path: String, error: MaildirError)] = []

  private let directory: Directory
  private let begun = wallClock()
  private var seen = SeenDirectories()
  /// Met on the way and left for later.
  private var links: [(Place, String)] = []
  private var unnamed: [(Place, [UInt8])] = []

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
    guard let directory = try root.directory(at: path.components) else {
      throw .notMaildir(path: rootPath + "/" + path.text)
    }
    return try MaildirFolder.open(directory, path)
  }

  // MARK: Looking

  /// A directory on the way.
  private struct Place {
    var path: [String] = []
    /// Its levels joined by "/".
    var text = ""
    var account = ""
    var isOwn = false

    func below(_ name: String) -> Place {
      var place = self
      place.path.append(name)
      place.text = path.isEmpty ? name : text + "/" + name
      return place
    }
  }

  private mutating func readRoot() throws(MaildirError) {
    _ = try seen.meet(directory)
    if let stamp = try stamp(of: directory) { add(Place(), stamp) }
    let level = try TreeLevel(directory)
    look(into: directory, Place(), level)
    followLinks()
    tellUnnamed()
  }

  private func stamp(of directory: Directory) throws(MaildirError) -> FolderStamp? {
    guard let facts = try AccountTree.maildir(directory) else { return nil }
    // One that cannot be opened is to be told of, whether it is at rest or not.
    return facts.isOpen ? FolderStamp(new: facts.new, cur: facts.cur, at: begun) : .none
  }

  /// No mail tree is deeper.
  private static let deepest = 40

  private mutating func look(into directory: Directory, _ place: Place, _ level: TreeLevel) {
    for name in level.directories { enter(name, of: directory, place) }
    links += level.links.map { (place, $0) }
    unnamed += level.unnamed.map { (place, $0) }
  }

  private mutating func enter(_ name: String, of parent: Directory, _ place: Place) {
    if Self.isPassedOver(name) || place.path.count >= Self.deepest { return }
    // Other directories of these names are Maildirs' own.
    if !place.path.isEmpty, ["tmp", "new", "cur"].contains(name) { return }
    do throws(MaildirError) {
      guard let child = try parent.directory(name),
        try child.facts(AccountTree.noIndexName) == nil
      else { return }
      let stamp = try stamp(of: child)
      // Names with a dot are mail only where they are Maildir++, or like it.
      guard stamp != nil || !name.hasPrefix("."), try seen.meet(child) else { return }
      let level = try TreeLevel(child)
      var place = place.below(name)
      if place.path.count == 1 { place = try top(place, child, level, isMaildir: stamp != nil) }
      if let stamp { add(place, stamp) }
      look(into: child, place, level)
    } catch {
      unreadable.append((place.below(name).text, error))
    }
  }

  /// A directory right below the root, with the account that it is or belongs to.
  private mutating func top(
    _ place: Place, _ child: Directory, _ level: TreeLevel, isMaildir: Bool
  ) throws(MaildirError) -> Place {
    // The root is a Maildir++ account itself.
    if place.text.hasPrefix(".") { return place }
    let isOwn = try child.facts(AccountTree.controlName) != nil
    if isOwn { note(Account(name: place.text, isOwn: true)) }
    if isMaildir, !isOwn {
      guard try Self.hasDottedFolder(child, level) else { return place }
    }
    return Place(path: place.path, text: place.text, account: place.text, isOwn: isOwn)
  }

  private static func hasDottedFolder(_ directory: Directory, _ level: TreeLevel)
    throws(MaildirError) -> Bool
  {
    for name in level.directories + level.links where name.hasPrefix(".") && !isPassedOver(name) {
      guard let folder = try? directory.directory(name) else { continue }
      if try AccountTree.isMaildir(folder), try folder.facts(AccountTree.noIndexName) == nil {
        return true
      }
    }
    return false
  }

  /// Last of all, so that a folder counts where it truly lies if that is in the tree; of several links
  /// to one the highest counts.
  private mutating func followLinks() {
    if !links.isEmpty { try? seen.meetAll(above: directory) }
    while !links.isEmpty {
      let wave = links.sorted { ($0.0.path.count, $0.0.text) < ($1.0.path.count, $1.0.text) }
      links = []
      for (place, name) in wave {
        if let parent = (try? directory.directory(at: place.path)) ?? nil {
          enter(name, of: parent, place)
        }
      }
    }
  }

  /// Mail below names that are no text has no place in the index, so it is at least told.
  private mutating func tellUnnamed() {
    for (place, name) in unnamed {
      guard let parent = (try? directory.directory(at: place.path)) ?? nil else { continue }
      let count = folderCount(name, of: parent, depth: place.path.count + 1)
      guard count > 0 else { continue }
      let path = place.below(name.escapedForPeople).text
      unreadable.append((path, .nameNotText(path: path, folders: count)))
    }
  }

  /// Maildirs there and below that were not met before.
  private mutating func folderCount(_ name: [UInt8], of parent: Directory, depth: Int) -> Int {
    let text = String(decoding: name, as: UTF8.self)
    if depth > Self.deepest || Self.isPassedOver(text) { return 0 }
    if ["tmp", "new", "cur"].contains(text) { return 0 }
    do throws(MaildirError) {
      guard let child = try parent.directory(name),
        try child.facts(AccountTree.noIndexName) == nil, try seen.meet(child)
      else { return 0 }
      let level = try TreeLevel(child)
      var count = try AccountTree.isMaildir(child) ? 1 : 0
      for name in (level.directories + level.links).map({ Array($0.utf8) }) + level.unnamed {
        count += folderCount(name, of: child, depth: depth + 1)
      }
      return count
    } catch {
      return 0
    }
  }

  private static func isPassedOver(_ name: String) -> Bool { AccountTree.passedOver.contains(name) }

  private mutating func add(_ place: Place, _ stamp: FolderStamp) {
    let inside = place.account.isEmpty ? place.path : Array(place.path.dropFirst())
    let path = FolderPath(unchecked: place.path)
    let name =
      place.isOwn ? ownName(inside, of: path) : ForeignFolderName.text(inside)
    folders.append(Folder(account: place.account, path: path, name: name, stamp: stamp))
    note(Account(name: place.account, isOwn: place.isOwn))
  }

  private mutating func note(_ account: Account) {
    if !accounts.contains(where: { $0.name == account.name }) { accounts.append(account) }
  }

  /// The name of a folder that mirror made.
  private func ownName(_ components: [String], of path: FolderPath) -> String {
    guard let first = components.first else { return "INBOX" }
    let layout = FolderLayout(style: first.hasPrefix(".") ? .maildirPlusPlus : .nested)
    let place = FolderPath(unchecked: components)
    let sideName =
      layout.needsSideName(place) ? (try? open(path))?.sideNameIfReadable : nil
    return layout.mailbox(at: place, delimiter: "/", sideName: sideName)?.text
      ?? components.joined(separator: "/")
  }
}

extension MaildirFolder {
  fileprivate var sideNameIfReadable: String? { (try? sideName) ?? nil }
}
