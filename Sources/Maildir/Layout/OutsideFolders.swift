import MailCore

/// Where in an account's directory mail may lie that is in no folder of the layout: directories that it passes over, by
/// their names or a `.noindex` file, whose names are no UTF-8, or that have only a part of a Maildir.
package struct OutsideFolders: Sendable {
  /// Whole Maildirs.
  package private(set) var folders: [FolderPath] = []
  /// For people: directories that hold mail, perhaps, and can be no folder.
  package private(set) var others: [String] = []

  private let listed: Set<[UInt8]>
  private var seen = SeenDirectories()
  /// Met on the way and left for later: what they lead to counts where it truly lies.
  private var links: [(path: [String], name: String)] = []

  /// - Parameter listed: the layout's folders.
  package static func read(_ tree: AccountTree, besides listed: [FolderPath]) throws(MaildirError)
    -> OutsideFolders
  {
    var outside = OutsideFolders(listed: Set(listed.map { Array($0.text.utf8) }))
    if tree.directory.isNowhere { return outside }
    _ = try outside.seen.meet(tree.directory)
    try outside.look(into: tree.directory, [])
    try outside.seen.meetAll(above: tree.directory)
    while let link = outside.links.popLast() {
      if let parent = try tree.directory.directory(at: link.path) {
        try outside.enter(link.name, of: parent, link.path)
      }
    }
    outside.folders.sort { $0.text < $1.text }
    outside.others.sort()
    return outside
  }

  private init(listed: Set<[UInt8]>) { self.listed = listed }

  private mutating func look(into directory: Directory, _ path: [String]) throws(MaildirError) {
    let level = try TreeLevel(directory)
    for name in level.directories { try enter(name, of: directory, path) }
    for name in level.links { links.append((path, name)) }
    for name in level.unnamed where MailHolder.holdsMail(name, of: directory) {
      others.append((path + [name.escapedForPeople]).joined(separator: "/"))
    }
  }

  private mutating func enter(_ name: String, of parent: Directory, _ path: [String])
    throws(MaildirError)
  {
    if MailHolder.isPassedOver(name) { return }
    let path = path + [name]
    do throws(MaildirError) {
      guard let child = try parent.directory(name),
        try seen.meet(child)
      else { return }
      try note(child, FolderPath(unchecked: path))
      try look(into: child, path)
    } catch {
      if error.stopsRun { throw error }
      others.append(path.joined(separator: "/"))
    }
  }

  private mutating func note(_ directory: Directory, _ path: FolderPath) throws(MaildirError) {
    if listed.contains(Array(path.text.utf8)) { return }
    if try AccountTree.isMaildir(directory) {
      folders.append(path)
    } else if try MailHolder.holdsFile(directory) {
      others.append(path.text)
    }
  }
}
