import MailCore

/// Looks for the folders of an account. A directory that can be reached by several ways (symbolic links) counts once:
/// where a mailbox has its folder, else where it truly lies, if that is in the account.
struct FolderWalk {
  private(set) var folders: [FolderPath] = []
  /// All that were looked at: folders, and what may become one or holds some.
  private(set) var places: [FolderPath] = []
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

  /// - Parameters:
  ///   - owned: folders that mailboxes have.
  ///   - sparesUnread: what cannot be looked into is no reason to give up all.
  static func walk(
    _ root: Directory, _ style: LayoutStyle, owned: [FolderPath], sparesUnread: Bool
  ) throws(MaildirError) -> FolderWalk {
    var walk = FolderWalk(style, root, sparesUnread)
    if root.isNowhere { return walk }
    try walk.start()
    if !walk.links.isEmpty {
      // Who has which directory matters only where there are links.
      walk = FolderWalk(style, root, sparesUnread)
      try walk.claim(owned)
      try walk.start()
      try walk.followLinks()
      try walk.addUnreached(owned)
    }
    walk.folders.sort { $0.text < $1.text }
    walk.unread.sort { $0.text < $1.text }
    walk.unnamed.sort()
    return walk
  }

  private init(_ style: LayoutStyle, _ root: Directory, _ sparesUnread: Bool) {
    self.style = style
    self.root = root
    self.sparesUnread = sparesUnread
  }

  private mutating func start() throws(MaildirError) {
    places.append(.account)
    if try AccountTree.isMaildir(root) { folders.append(.account) }
    _ = try seen.meet(root)
    try look(into: root, [])
  }

  /// Where two have one, it is that of the path without a link; what lies above a folder belongs to the same path.
  private mutating func claim(_ owned: [FolderPath]) throws(MaildirError) {
    try seen.claim([], for: root)
    var linked: [[String]] = []
    for path in owned.map(\.components).sorted(by: { $0.count < $1.count }) where !path.isEmpty {
      do throws(MaildirError) {
        if try root.isBehindLink(path) {
          linked.append(path)
        } else if let directory = try root.directory(at: path) {
          try seen.claim(path, for: directory)
        }
      } catch {
        if !sparesUnread || error.stopsRun { throw error }  // Else the walk meets it, too.
      }
    }
    for path in linked { try claim(behindLink: path) }
  }

  private mutating func claim(behindLink path: [String]) throws(MaildirError) {
    for length in (1...path.count).reversed() {
      let part = Array(path.prefix(length))
      do throws(MaildirError) {
        if let directory = try root.directory(at: part) { try seen.claim(part, for: directory) }
      } catch {
        if !sparesUnread || error.stopsRun { throw error }
      }
    }
  }

  /// What lies behind a link that leads to where another path has its claim.
  private mutating func addUnreached(_ owned: [FolderPath]) throws(MaildirError) {
    let reached = Set(folders)
    for path in owned where !reached.contains(path) {
      guard let name = path.components.last else { continue }
      let above = path.components.dropLast()
      do throws(MaildirError) {
        guard let parent = try root.directory(at: above) else { continue }
        try enter(name, of: parent, Array(above))
      } catch {
        if !sparesUnread || error.stopsRun { throw error }  // Else the walk has met it, too.
      }
    }
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
      guard let child = try parent.directory(name), try mayEnter(child, path) else { return }
      places.append(FolderPath(unchecked: path))
      if try AccountTree.isMaildir(child) { folders.append(FolderPath(unchecked: path)) }
      if style == .nested { try look(into: child, path) }
    } catch {
      if !sparesUnread || error.stopsRun { throw error }
      unread.append(FolderPath(unchecked: path))
    }
  }

  private mutating func mayEnter(_ child: Directory, _ path: [String]) throws(MaildirError) -> Bool
  {
    if style == .nested, try child.facts(AccountTree.noIndexName) != nil { return false }
    if let claim = try seen.claim(for: child) {
      guard claim == path else { return false }
    } else if followsLinks, try isAccount(child) {
      return false
    }
    return try seen.meet(child)
  }

  private func isAccount(_ directory: Directory) throws(MaildirError) -> Bool {
    try directory.directory(AccountTree.controlName)?.facts("state.db") != nil
  }

  /// Of several links to one directory the highest counts.
  private mutating func followLinks() throws(MaildirError) {
    followsLinks = true
    try seen.meetAll(above: root)
    while !links.isEmpty {
      let wave = links.sorted {
        ($0.path.count, $0.path.joined(separator: "/"), $0.name)
          < ($1.path.count, $1.path.joined(separator: "/"), $1.name)
      }
      links = []
      for (path, name) in wave {
        if let parent = try root.directory(at: path) { try enter(name, of: parent, path) }
      }
    }
  }
}
