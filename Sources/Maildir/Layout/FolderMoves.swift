import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension AccountTree {
  /// Gives a folder, with all that is below it, another place; durable when it returns.
  ///
  /// - Throws: `nameTaken` when something lies there; `vanished` when the folder is not there.
  package func renameFolder(_ path: FolderPath, to target: FolderPath, fsync: Bool = true)
    throws(MaildirError)
  {
    guard let name = path.components.last, let newName = target.components.last else {
      throw .badName(path.text)
    }
    let parent = try directory(at: path.components.dropLast(), create: false, fsync: fsync)
    let newParent = try directory(at: target.components.dropLast(), create: true, fsync: fsync)
    guard try parent.rename(name, to: newParent, newName) else {
      throw .nameTaken(name: target.text)
    }
    if fsync {
      try newParent.sync()
      try parent.sync()
    }
  }

  /// Removes a folder that holds no message and no other folder; its small files
  /// (`dovecot-keywords` …) go with it.
  ///
  /// - Throws: `notEmpty` when a message, a folder or a foreign file is in it; nothing is removed
  ///   then.
  package func removeFolder(_ path: FolderPath, fsync: Bool = true) throws(MaildirError) {
    guard let name = path.components.last else { throw .badName(path.text) }
    let folder = try MaildirFolder.open(path, in: self)
    try dissolve(folder, with: removableFiles(of: folder))
    let parent = try directory(at: path.components.dropLast(), create: false, fsync: fsync)
    try parent.unlink(name, directory: true)
    if fsync { try parent.sync() }
  }

  /// Removes a folder that holds no message; with other folders in it, its directory stays and is no folder any more.
  ///
  /// - Throws: `notEmpty` when a message or a foreign file is in it; nothing is removed then.
  package func clearFolder(_ path: FolderPath, fsync: Bool = true) throws(MaildirError) {
    do throws(MaildirError) {
      try removeFolder(path, fsync: fsync)
    } catch {
      guard case .notEmpty = error else { throw error }
      let folder = try MaildirFolder.open(path, in: self)
      try dissolve(folder, with: removableFiles(of: folder, besidesFolders: true))
      if fsync { try folder.directory.sync() }
    }
  }

  /// Ends a folder that holds no message, whatever else lies in its directory: that stays, and is no folder any more.
  ///
  /// - Throws: `notEmpty` when a message is in it, or on its way in `tmp`; nothing is removed then.
  package func dissolveFolder(_ path: FolderPath, fsync: Bool = true) throws(MaildirError) {
    guard let name = path.components.last else { throw .badName(path.text) }
    let folder = try MaildirFolder.open(path, in: self)
    for directory in [folder.new, folder.cur, folder.tmp] where try !directory.isEmpty() {
      throw .notEmpty(path: path.text)
    }
    try dissolve(folder, with: Self.ownFiles)
    let parent = try directory(at: path.components.dropLast(), create: false, fsync: fsync)
    _ = try? parent.unlink(name, directory: true)
    if fsync { try parent.sync() }
  }

  /// Finishes a removal that was cut off.
  ///
  /// - Throws: `notMaildir` where messages are in what is left: it lost a part in another way; nothing is removed then.
  package func removeRemains(of path: FolderPath) throws(MaildirError) {
    guard let name = path.components.last,
      let parent = try directory.directory(at: path.components.dropLast()),
      let rest = try parent.directory(name)
    else { return }
    for part in ["new", "cur"] {
      guard let part = try rest.directory(part) else { continue }
      guard try part.isEmpty() else { throw .notMaildir(path: rest.path) }
    }
    for part in ["new", "cur", "tmp"] { _ = try? rest.unlink(part, directory: true) }
    _ = try? parent.unlink(name, directory: true)
  }

  private func dissolve(_ folder: MaildirFolder, with files: [String]) throws(MaildirError) {
    var removed: [String] = []
    for part in ["new", "cur", "tmp"] {
      do throws(MaildirError) {
        try folder.directory.unlink(part, directory: true)
        removed.append(part)
      } catch {
        // A message has just arrived: nothing is lost, and the folder is whole again.
        for part in removed { _ = try? folder.directory.makeDirectory(part) }
        throw .notEmpty(path: folder.path.text)
      }
    }
    for file in files { try folder.directory.unlink(file) }
  }

  /// Whether anything lies there, a Maildir or not.
  package func holds(_ path: FolderPath) throws(MaildirError) -> Bool {
    guard let name = path.components.last else { return true }
    guard let directory = try directory.directory(at: path.components.dropLast()) else {
      return false
    }
    return try directory.facts(name) != nil
  }

  /// Whether a name on the way leads nowhere, or a part of a Maildir lies there.
  package func isBroken(_ path: FolderPath) throws(MaildirError) -> Bool {
    var folder = directory
    for name in path.components {
      guard let next = try folder.directory(name) else { return try folder.exists(name) }
      folder = next
    }
    if try Self.isMaildir(folder) { return false }
    for part in ["cur", "new", "tmp"] where try folder.exists(part) { return true }
    return false
  }

  /// Whether two paths lead to one directory.
  package func isOne(_ path: FolderPath, _ other: FolderPath) throws(MaildirError) -> Bool {
    guard let one = try directory.directory(at: path.components),
      let two = try directory.directory(at: other.components)
    else { return false }
    var seen = SeenDirectories()
    _ = try seen.meet(one)
    return try !seen.meet(two)
  }

  /// Whether a directory lies there that has nothing in it: one that a disk is to be mounted on.
  package func isBare(_ path: FolderPath) throws(MaildirError) -> Bool {
    guard let directory = try directory.directory(at: path.components) else { return false }
    return try directory.isEmpty()
  }

  /// Throws what ``clearFolder(_:fsync:)`` would, and removes nothing.
  package func checkClearable(_ path: FolderPath) throws(MaildirError) {
    _ = try removableFiles(of: try MaildirFolder.open(path, in: self), besidesFolders: true)
  }

  /// What servers and we put beside messages.
  private static var ownFiles: [String] {
    ["dovecot-keywords", "maildirfolder", MaildirFolder.sideFileName]
  }

  /// The small files of a folder that holds nothing else.
  private func removableFiles(of folder: MaildirFolder, besidesFolders: Bool = false)
    throws(MaildirError) -> [String]
  {
    let path = folder.path
    var files: [String] = []
    try DirectoryNames.forEach(in: folder.directory) { bytes, _ throws(MaildirError) in
      let name = String(decoding: bytes, as: UTF8.self)
      if ["tmp", "new", "cur"].contains(name) { return }
      guard Self.ownFiles.contains(name) else {
        if besidesFolders, try folder.directory.directory(name) != nil { return }
        throw .notEmpty(path: path.text)
      }
      files.append(name)
    }
    for directory in [folder.cur, folder.new, folder.tmp] {
      try DirectoryNames.forEach(in: directory) { _, _ throws(MaildirError) in
        throw .notEmpty(path: path.text)
      }
    }
    return files
  }

  private func directory(at components: ArraySlice<String>, create: Bool, fsync: Bool)
    throws(MaildirError) -> Directory
  {
    var directory = directory
    for component in components {
      if create, try directory.makeDirectory(component), fsync { try directory.sync() }
      guard let next = try directory.directory(component) else {
        throw .vanished(name: components.joined(separator: "/"))
      }
      directory = next
    }
    return directory
  }
}

extension Directory {
  fileprivate func isEmpty() throws(MaildirError) -> Bool {
    var isEmpty = true
    try DirectoryNames.forEach(in: self) { _, _ in isEmpty = false }
    return isEmpty
  }
}
