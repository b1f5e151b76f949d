#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An account's directory, and `.mirror` in it.
package final class AccountTree: Sendable {
  package let directory: Directory
  /// `.mirror`: state, lock, outbox.
  package let control: Directory
  package var path: String { directory.path }

  static let controlName = ".mirror"
  /// Tells other indexers to pass `.mirror` over.
  static let noIndexName = ".noindex"

  private init(directory: Directory, control: Directory) {
    self.directory = directory
    self.control = control
  }

  /// Opens the account's directory; with `create` it is made where it is missing (its root, too),
  /// durably.
  ///
  /// - Throws: `treeVanished` when it is not there; `readOnly`, `notPermitted`, `noSpace`.
  package static func open(path: String, create: Bool) throws(MaildirError) -> AccountTree {
    if create { try makeDirectories(path) }
    let directory = try Directory.open(path: path)
    if try directory.makeDirectory(controlName) { try directory.sync() }
    guard let control = try directory.directory(controlName) else {
      throw .treeVanished(path: path + "/" + controlName)
    }
    if try control.facts(noIndexName) == nil {
      _ = try control.open(noIndexName, O_WRONLY | O_CREAT)
      try control.sync()
    }
    return AccountTree(directory: directory, control: control)
  }

  /// Opens a tree only to read it: `.mirror` must be there already.
  package static func openExisting(path: String) throws(MaildirError) -> AccountTree {
    let directory = try Directory.open(path: path)
    guard let control = try directory.directory(controlName) else {
      throw .treeVanished(path: path + "/" + controlName)
    }
    return AccountTree(directory: directory, control: control)
  }

  /// Opens as much of a tree as is there, perhaps nothing, and makes nothing: for a dry run.
  package static func forReading(path: String) throws(MaildirError) -> AccountTree {
    var directory = Directory.nowhere(path: path)
    do throws(MaildirError) {
      directory = try Directory.open(path: path)
    } catch {
      guard case .treeVanished = error else { throw error }
    }
    let control = try directory.directory(controlName)
    return AccountTree(
      directory: directory, control: control ?? .nowhere(path: path + "/" + controlName))
  }

  /// Whether a run has been here before.
  package var isControlled: Bool { !control.isNowhere }

  private static func makeDirectories(_ path: String) throws(MaildirError) {
    var missing: [String] = []
    var parent = path
    var status = stat()
    if stat(path, &status) == 0 { return }
    while mkdir(parent, 0o700) != 0 {
      if errno == EEXIST || errno == EISDIR { break }
      guard errno == ENOENT, let slash = parent.lastIndex(of: "/"), slash > parent.startIndex else {
        throw .failed("mkdir", parent)
      }
      missing.append(parent)
      parent = String(parent[..<slash])
    }
    for directory in missing.reversed() where mkdir(directory, 0o700) != 0 && errno != EEXIST {
      throw .failed("mkdir", directory)
    }
    if let slash = parent.lastIndex(of: "/") {
      try Directory.open(path: slash == parent.startIndex ? "/" : String(parent[..<slash])).sync()
    }
    for directory in missing {
      guard let slash = directory.lastIndex(of: "/") else { continue }
      try Directory.open(path: String(directory[..<slash])).sync()
    }
  }

  /// Refuses a tree that is gone, replaced under us, or cannot be written, before anything in it is
  /// judged deleted.
  package func checkWritable() throws(MaildirError) {
    let now = try Directory.open(path: path).facts()
    let opened = try directory.facts()
    guard now.inode == opened.inode, now.device == opened.device, opened.links > 0 else {
      throw .treeVanished(path: path)
    }
    guard try directory.facts(Self.controlName) != nil else {
      throw .treeVanished(path: path + "/" + Self.controlName)
    }
    if let system = FileSystemFacts(directory.descriptor), system.isReadOnly {
      throw .readOnly(path: path)
    }
    guard faccessat(directory.descriptor, ".", R_OK | W_OK | X_OK, 0) == 0 else {
      throw .failed("access", path)
    }
  }
}
