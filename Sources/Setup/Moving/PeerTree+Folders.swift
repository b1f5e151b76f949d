import Foundation
import MailCore
import Maildir

/// A Maildir of another program's tree.
package struct FoundFolder: Sendable, Equatable {
  /// Absolute, without symbolic links.
  package var root: String
  /// Below `root`.
  package var path: FolderPath
  /// As the peer names it, levels joined by slashes; nil where that cannot be told.
  package var name: String?

  package var directory: String { path.components.isEmpty ? root : root + "/" + path.text }
}

extension PeerTree {
  package struct Found: Sendable {
    package var folders: [FoundFolder] = []
    /// Directories that could not be read, with the reason.
    package var unreadable: [(path: String, reason: String)] = []
  }

  /// Every Maildir of the tree.
  ///
  /// - Parameter own: the directories of our own accounts, which are none of it where they lie in it.
  package func folders(besides own: [String]) throws(MaildirError) -> Found {
    var found = Found()
    let base = Self.resolved(path)
    let inboxPath = inbox.map(Self.resolved)
    if let inboxPath, inboxPath != base, Self.isDirectory(inboxPath) {
      let tree = try MailTree.read(root: inboxPath)
      for folder in tree.folders {
        let components = folder.path.components
        let levels =
          components.isEmpty ? ["INBOX"] : style.levels(of: components, belowInbox: true)
        found.folders.append(FoundFolder(root: inboxPath, path: folder.path, levels: levels))
      }
      found.note(tree)
    }
    guard Self.isDirectory(base) else { return found }
    let others = (own.map(Self.resolved) + [inboxPath].compactMap(\.self)).filter {
      $0 != base && !Self.isBelow(base, $0)
    }
    let tree = try MailTree.read(root: base)
    for folder in tree.folders {
      let components = folder.path.components
      let isInbox = components.isEmpty && (inboxPath == nil || inboxPath == base)
      let levels =
        isInbox ? ["INBOX"] : components.isEmpty ? nil : style.levels(of: components)
      let place = FoundFolder(root: base, path: folder.path, levels: levels)
      if !others.contains(where: { place.directory == $0 || Self.isBelow(place.directory, $0) }) {
        found.folders.append(place)
      }
    }
    found.note(tree)
    return found
  }

  /// Without symbolic links, as far as the path exists.
  package static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  static func isBelow(_ path: String, _ directory: String) -> Bool {
    path.hasPrefix(directory == "/" ? "/" : directory + "/")
  }

  static func isDirectory(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }
}

extension PeerTree.Found {
  fileprivate mutating func note(_ tree: MailTree) {
    unreadable += tree.unreadable.map {
      (path: tree.root + "/" + $0.path, reason: $0.error.explanation.problem)
    }
  }
}

extension FoundFolder {
  fileprivate init(root: String, path: FolderPath, levels: [String]?) {
    // A level that holds a slash is none that a server with slashes has.
    let name = levels.flatMap { levels in
      levels.contains { $0.contains("/") } ? nil : levels.joined(separator: "/")
    }
    self.init(root: root, path: path, name: name)
  }
}
