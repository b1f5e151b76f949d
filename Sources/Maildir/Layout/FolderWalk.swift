import MailCore

/// Looks for the folders of an account. Symbolic links are followed last of all: a directory counts once, and where it
/// truly lies if that is in the account.
struct FolderWalk {
  private(set) var folders: [FolderPath] = []
  /// May hold Maildirs, and cannot be read.
  private(set) var unread: [FolderPath] = []
  /// For people: these hold mail, and have names that are no UTF-8.
  private(set) var unnamed: [String] = []

  private let style: LayoutStyle
  private let root: Directory
  private let sparesUnread: Bool
  private var seen = SeenDirectories()
  /// Of what was found in the account itself all has been seen.
  private var followsLinks = false
  private var links: [(path: [String], name: String)] = []

  /// No mail tree is deeper.
  private static let deepest = 40

  /// - Parameter sparesUnread: what cannot be looked into is no reason to give up all.
  static func walk(_ root: Directory, _ style: LayoutStyle, sparesUnread: Bool)
    throws(MaildirError) -> FolderWalk
  {
    var walk = FolderWalk(style: style, root: root, sparesUnread: sparesUnread)
    if root.isNowhere { return walk }
    if try AccountTree.isMaildir(root) { walk.folders.append(.account) }
    _ = try walk.seen.meet(root)
    try walk.look(into: root, [])
    try walk.followLinks()
    walk.folders.sort { $0.text < $1.text }
    walk.unread.sort { $0.text < $1.text }
    walk.unnamed.sort()
    return walk
  }

  private init(style: LayoutStyle, root: Directory, sparesUnread: Bool) {
    self.style = style
    self.root = root
    self.sparesUnread = sparesUnread
  }

  private mutating func look(into directory: Directory, _ path: [String]) throws(MaildirError) {
    guard path.count < Self.deepest else { return }
    let level = try TreeLevel(directory)
    for name in level.directories where isPlace(name) { try enter(name, of: directory, path) }
    links += level.links.filter(isPlace).map { (path, $0) }
    for name in level.unnamed where MailHolder.holdsMail(name, of: directory) {
      unnamed.append((path + [name.escapedForPeople]).joined(separator: "/"))
    }
  }

  private func isPlace(_ name: String) -> Bool {
    switch style {
    case .nested: !name.hasPrefix(".") && !["tmp", "new", "cur"].contains(name)
    case .maildirPlusPlus: name.hasPrefix(".") && !AccountTree.passedOver.contains(name)
    }
  }

  private mutating func enter(_ name: String, of parent: Directory, _ path: [String])
    throws(MaildirError)
  {
    let path = path + [name]
    do throws(MaildirError) {
      guard let child = try parent.directory(name), try mayEnter(child) else {
        return
      }
      if try AccountTree.isMaildir(child) { folders.append(FolderPath(unchecked: path)) }
      if style == .nested { try look(into: child, path) }
    } catch {
      if !sparesUnread || error.stopsRun { throw error }
      unread.append(FolderPath(unchecked: path))
    }
  }

  private mutating func mayEnter(_ child: Directory) throws(MaildirError) -> Bool {
    if style == .nested, try child.facts(AccountTree.noIndexName) != nil { return false }
    // Another account.
    if followsLinks, try child.facts(AccountTree.controlName) != nil { return false }
    return try seen.meet(child)
  }

  /// Of several links to one directory the highest counts.
  private mutating func followLinks() throws(MaildirError) {
    guard !links.isEmpty else { return }
    followsLinks = true
    try seen.meetAll(above: root)
    while !links.isEmpty {
      let wave = links.sorted {
        ($0.path.count, $0.path.joined(separator: "/"), $0.name)
          < ($1.path.count, $1.path.joined(separator: "/"), $1.name)
      }
      links = []
      for (path, name) in wave {
        if let parent = try root.directory(at: path) {
          try enter(name, of: parent, path)
        }
      }
    }
  }
}
