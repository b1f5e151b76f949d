import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open Maildir: `tmp`, `new` and `cur` below one directory.
///
/// Its files are reached through open directories, so a folder that is renamed meanwhile stays the
/// same folder.
package final class MaildirFolder: Sendable {
  package let path: FolderPath
  package let directory: Directory
  package let tmp: Directory
  package let new: Directory
  package let cur: Directory

  private init(
    path: FolderPath, directory: Directory, tmp: Directory, new: Directory, cur: Directory
  ) {
    self.path = path
    self.directory = directory
    self.tmp = tmp
    self.new = new
    self.cur = cur
  }

  func directory(of subdirectory: Subdirectory) -> Directory {
    switch subdirectory {
    case .new: new
    case .cur: cur
    }
  }

  /// Opens a folder that is there and whole.
  ///
  /// - Parameter alias: the path that it is to be known by, where that is another.
  /// - Throws: `notMaildir` when tmp, new or cur is missing: what is not there must not count as
  ///   deleted mail.
  package static func open(
    _ path: FolderPath, in tree: AccountTree, as alias: FolderPath? = nil
  ) throws(MaildirError) -> MaildirFolder {
    guard let directory = try tree.directory.directory(at: path.components) else {
      throw .notMaildir(path: tree.path + "/" + path.text)
    }
    return try open(directory, alias ?? path)
  }

  /// A folder that is not there yet, as an empty one: for dry runs.
  package static func absent(_ path: FolderPath, in tree: AccountTree) -> MaildirFolder {
    let nowhere = Directory.nowhere(path: tree.path + "/" + path.text)
    return MaildirFolder(path: path, directory: nowhere, tmp: nowhere, new: nowhere, cur: nowhere)
  }

  /// The same folder opened afresh; or a Maildir anywhere, for the caller that holds its directory.
  static func open(_ directory: Directory, _ path: FolderPath) throws(MaildirError) -> MaildirFolder
  {
    guard let tmp = try directory.directory("tmp"), let new = try directory.directory("new"),
      let cur = try directory.directory("cur")
    else { throw .notMaildir(path: directory.path) }
    return MaildirFolder(path: path, directory: directory, tmp: tmp, new: new, cur: cur)
  }

  /// Opens the folder, and makes what is missing of it (0700), every new name synced into its
  /// parent.
  ///
  /// - Parameter sideName: the mailbox's full name, where the directory's cannot tell it
  ///   (``FolderLayout/needsSideName(_:)``).
  package static func create(
    _ path: FolderPath, in tree: AccountTree, sideName: String? = nil, fsync: Bool = true
  ) throws(MaildirError) -> MaildirFolder {
    var directory = tree.directory
    for component in path.components {
      if try directory.makeDirectory(component), fsync { try directory.sync() }
      guard let next = try directory.directory(component) else {
        throw .notMaildir(path: tree.path + "/" + path.text)
      }
      directory = next
    }
    var isNew = false
    if let sideName, try readSideName(in: directory) != sideName {
      try OwnFile.write(Array(sideName.utf8), to: sideFileName, in: directory, fsync: fsync)
    }
    if path.components.count == 1, path.components[0].hasPrefix(".") {
      // Maildir++: other programs know a sub-folder by this file.
      if try directory.facts("maildirfolder") == nil {
        _ = try directory.open("maildirfolder", O_WRONLY | O_CREAT)
        isNew = true
      }
    }
    // cur last: a folder counts as there only when it is whole.
    for name in ["tmp", "new", "cur"] where try directory.makeDirectory(name) { isNew = true }
    if isNew, fsync { try directory.sync() }
    return try open(directory, path)
  }

  /// Whether a whole Maildir lies there.
  package static func exists(_ path: FolderPath, in tree: AccountTree) throws(MaildirError) -> Bool
  {
    do throws(MaildirError) {
      _ = try open(path, in: tree)
      return true
    } catch {
      if case .notMaildir = error { return false }
      throw error
    }
  }

  static let sideFileName = ".mirror-name"

  /// The full mailbox name, where the directory's name was too short for it.
  package var sideName: String? {
    get throws(MaildirError) { try Self.readSideName(in: directory) }
  }

  private static func readSideName(in directory: Directory) throws(MaildirError) -> String? {
    try OwnFile.read(sideFileName, in: directory, atMost: 64 * 1024).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// Makes all renames, links and unlinks so far durable.
  ///
  /// `cur` goes first, since messages move from `new` to `cur`: after a power cut between the two, a message that was
  /// moved has both names, or one, and never none.
  package func syncDirectories(_ which: Set<Subdirectory> = [.new, .cur]) throws(MaildirError) {
    for subdirectory in [Subdirectory.cur, .new] where which.contains(subdirectory) {
      try directory(of: subdirectory).sync()
    }
  }
}

extension AccountTree {
  /// Whether a folder may lie on a disk that is not there at present: in its place is something that is no Maildir, or the
  /// directory that it lay in is empty. Where it alone is gone, a person removed it.
  package func mayBeAway(_ folder: FolderPath) throws(MaildirError) -> Bool {
    if try MaildirFolder.exists(folder, in: self) { return false }
    var above = directory
    for component in folder.components {
      guard try above.exists(component) else {
        let level = try TreeLevel(above)
        return level.directories.isEmpty && level.links.isEmpty && level.unnamed.isEmpty
      }
      guard let next = try above.directory(component) else { return true }
      above = next
    }
    return true
  }
}
