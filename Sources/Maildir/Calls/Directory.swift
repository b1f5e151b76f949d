import CFileCalls

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open directory. Everything in the tree is reached from one of these by a single name, so no
/// name that a server sent can lead elsewhere.
package final class Directory: Sendable {
  package let descriptor: Int32
  /// For messages to people only.
  package let path: String

  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { if !isNowhere { close(descriptor) } }

  /// A directory that is not there: nothing is in it, and nothing can be put there. For dry runs.
  package static func nowhere(path: String) -> Directory {
    Directory(descriptor: -1, path: path)
  }
  package var isNowhere: Bool { descriptor < 0 }

  package static func open(path: String) throws(MaildirError) -> Directory {
    let descriptor = retrying { Self.openDirectory(AT_FDCWD, path) }
    guard descriptor >= 0 else {
      throw errno == ENOENT || errno == ENOTDIR
        ? .treeVanished(path: path) : .failed("open", path)
    }
    return Directory(descriptor: descriptor, path: path)
  }

  /// The directory called `name` in here, or nil when there is none.
  package func directory(_ name: some FileName) throws(MaildirError) -> Directory? {
    if isNowhere { return nil }
    let child = try name.withName { name throws(MaildirError) in
      retrying { Self.openDirectory(descriptor, name) }
    }
    if child >= 0 { return Directory(descriptor: child, path: path + "/" + name.forPeople) }
    guard errno == ENOENT || errno == ENOTDIR else {
      throw .failed("open", path + "/" + name.forPeople)
    }
    return nil
  }

  /// The directory below this one, or nil where one on the way is missing.
  func directory(at path: some Sequence<String>) throws(MaildirError) -> Directory? {
    var directory = self
    for name in path {
      guard let next = try directory.directory(name) else { return nil }
      directory = next
    }
    return directory
  }

  /// The one that this lies in, as far as it can be looked into.
  var parent: Directory? {
    let above = retrying { Self.openDirectory(descriptor, "..") }
    return above >= 0 ? Directory(descriptor: above, path: path + "/..") : nil
  }

  /// Waits until no other holder of this lock is left; it goes with what is returned, or with the process.
  ///
  /// - Returns: nil where the directory is not there, or its file system has no locks.
  func exclusive() throws(MaildirError) -> Directory? {
    if isNowhere { return nil }
    // Opened anew: a lock belongs to what was opened, and this one may be shared by threads.
    let opened = retrying { Self.openDirectory(descriptor, ".") }
    guard opened >= 0 else { throw .failed("open", path) }
    let own = Directory(descriptor: opened, path: path)
    return retrying({ flock(opened, LOCK_EX) }) == 0 ? own : nil
  }

  /// Makes the directory where it is missing (0700). Returns whether it was: then this directory
  /// wants a sync.
  package func makeDirectory(_ name: some FileName) throws(MaildirError) -> Bool {
    let made = try name.withName { name throws(MaildirError) in
      OwnWrites.during([.came(name, self)]) { mkdirat(descriptor, name, 0o700) == 0 }
    }
    if made { return true }
    guard errno == EEXIST else {
      throw .failed("mkdir", path + "/" + name.forPeople, descriptor: descriptor)
    }
    return false
  }

  /// Opens a file; nil when the name does not exist (or exists already, with `O_EXCL`).
  package func open(_ name: some FileName, _ flags: Int32, mode: mode_t = 0o600)
    throws(MaildirError) -> Descriptor?
  {
    if isNowhere { return nil }
    let file = try name.withName { name throws(MaildirError) in
      retrying { openat(descriptor, name, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode) }
    }
    if file >= 0 { return Descriptor(file) }
    switch errno {
    case ENOENT where flags & O_CREAT == 0: return nil
    // The directory itself was removed under us.
    case ENOENT: throw .notMaildir(path: path)
    case EEXIST where flags & O_EXCL != 0: return nil
    default:
      throw .failed("open", path + "/" + name.forPeople, descriptor: descriptor)
    }
  }

  /// False when the name is taken in `target`; nothing is ever replaced.
  ///
  /// - Parameter byLinks: for file systems without an exclusive rename, whether the file may have both names for a
  ///   moment. False looks first instead: for names that are ours and random.
  package func rename(
    _ name: some FileName, to target: Directory, _ newName: some FileName, byLinks: Bool = true
  ) throws(MaildirError) -> Bool {
    try name.withName { old throws(MaildirError) in
      try newName.withName { new throws(MaildirError) in
        try OwnWrites.during([.went(old, self), .came(new, target)]) { () throws(MaildirError) in
          try rename(old, to: target, new, byLinks: byLinks)
        }
      }
    }
  }

  private func rename(
    _ old: UnsafePointer<CChar>, to target: Directory, _ new: UnsafePointer<CChar>, byLinks: Bool
  ) throws(MaildirError) -> Bool {
    if file_rename_exclusive(descriptor, old, target.descriptor, new) == 0 { return true }
    switch errno {
    case EEXIST: return false
    case EINVAL, ENOSYS, ENOTSUP:
      return try byLinks
        ? linkThenUnlink(old, to: target, new) : renameIfFree(old, to: target, new)
    case ENOENT: throw .vanished(name: String(cString: old))
    default:
      throw .failed("rename", path + "/" + String(cString: old), descriptor: descriptor)
    }
  }

  /// For file systems without an exclusive rename. A crash between the two calls leaves the file
  /// under both names: the same inode, which a scan reports as a duplicate.
  private func linkThenUnlink(
    _ old: UnsafePointer<CChar>, to target: Directory, _ new: UnsafePointer<CChar>
  ) throws(MaildirError) -> Bool {
    if linkat(descriptor, old, target.descriptor, new, 0) != 0 {
      switch errno {
      case EEXIST: return false
      case ENOENT: throw .vanished(name: String(cString: old))
      case EPERM, ENOTSUP, EMLINK, ENOSYS: return try renameIfFree(old, to: target, new)
      default:
        throw .failed("link", path + "/" + String(cString: old), descriptor: descriptor)
      }
    }
    guard unlinkat(descriptor, old, 0) == 0 else {
      throw .failed("unlink", path + "/" + String(cString: old), descriptor: descriptor)
    }
    return true
  }

  /// For file systems that have neither an exclusive rename nor links (FAT): look, then rename. The
  /// names are ours alone and the account is locked, so the moment between the two is nobody
  /// else's.
  private func renameIfFree(
    _ old: UnsafePointer<CChar>, to target: Directory, _ new: UnsafePointer<CChar>
  ) throws(MaildirError) -> Bool {
    if faccessat(target.descriptor, new, F_OK, 0) == 0 { return false }
    guard renameat(descriptor, old, target.descriptor, new) == 0 else {
      if errno == ENOENT { throw .vanished(name: String(cString: old)) }
      throw .failed("rename", path + "/" + String(cString: old), descriptor: descriptor)
    }
    return true
  }

  /// Renames over whatever has the new name: for our own files only, never for messages.
  package func replace(
    _ newName: some FileName, with name: some FileName, of source: Directory
  ) throws(MaildirError) {
    try name.withName { old throws(MaildirError) in
      try newName.withName { new throws(MaildirError) in
        let isDone = OwnWrites.during([.went(old, source), .came(new, self)]) {
          renameat(source.descriptor, old, descriptor, new) == 0
        }
        guard isDone else {
          if errno == ENOENT { throw .vanished(name: name.forPeople) }
          throw .failed("rename", path + "/" + newName.forPeople, descriptor: descriptor)
        }
      }
    }
  }

  /// Lets `newName` in here and `name` in `source` change their files at once. False where the file system cannot.
  package func exchange(
    _ newName: some FileName, with name: some FileName, of source: Directory
  ) throws(MaildirError) -> Bool {
    try name.withName { old throws(MaildirError) in
      try newName.withName { new throws(MaildirError) in
        let isDone = OwnWrites.during([
          .went(old, source), .came(old, source), .went(new, self), .came(new, self),
        ]) {
          file_rename_exchange_at(source.descriptor, old, descriptor, new) == 0
        }
        if isDone { return true }
        switch errno {
        case EINVAL, ENOSYS, ENOTSUP: return false
        case ENOENT: throw .vanished(name: newName.forPeople)
        default: throw .failed("rename", path + "/" + newName.forPeople, descriptor: descriptor)
        }
      }
    }
  }

  /// A second name for the same file. False where that cannot be: another file system, too many
  /// links, name taken.
  func link(_ name: some FileName, to target: Directory, _ newName: some FileName)
    throws(MaildirError) -> Bool
  {
    try name.withName { old throws(MaildirError) in
      try newName.withName { new throws(MaildirError) in
        let isDone = OwnWrites.during([.came(new, target)]) {
          linkat(descriptor, old, target.descriptor, new, 0) == 0
        }
        if isDone { return true }
        switch errno {
        case EXDEV, EMLINK, EPERM, EACCES, ENOTSUP, ENOSYS, EEXIST: return false
        case ENOENT: throw .vanished(name: name.forPeople)
        default:
          throw .failed("link", target.path + "/" + newName.forPeople, descriptor: descriptor)
        }
      }
    }
  }

  /// False when there was no such file.
  @discardableResult
  package func unlink(_ name: some FileName, directory: Bool = false) throws(MaildirError)
    -> Bool
  {
    if isNowhere { return false }
    let isDone = try name.withName { name throws(MaildirError) in
      OwnWrites.during([.went(name, self)]) {
        unlinkat(descriptor, name, directory ? AT_REMOVEDIR : 0) == 0
      }
    }
    if isDone { return true }
    if errno == ENOENT { return false }
    throw .failed("unlink", path + "/" + name.forPeople, descriptor: descriptor)
  }

  /// Facts of the entry called `name`, symbolic links followed; nil when there is none.
  func facts(_ name: some FileName) throws(MaildirError) -> FileFacts? {
    if isNowhere { return nil }
    var status = stat()
    let failed = try name.withName { name throws(MaildirError) in
      fstatat(descriptor, name, &status, 0) != 0
    }
    guard failed else { return FileFacts(status) }
    // Under a name that is too long for the file system there is nothing.
    if [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG].contains(errno) { return nil }
    throw .failed("stat", path + "/" + name.forPeople)
  }

  /// Facts of the name itself, where it is a symbolic link; nil when there is none.
  package func entryFacts(_ name: some FileName) throws(MaildirError) -> FileFacts? {
    if isNowhere { return nil }
    var status = stat()
    let failed = try name.withName { name throws(MaildirError) in
      fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0
    }
    guard failed else { return FileFacts(status) }
    if [ENOENT, ENOTDIR, ENAMETOOLONG].contains(errno) { return nil }
    throw .failed("stat", path + "/" + name.forPeople)
  }

  func isLink(_ name: some FileName) throws(MaildirError) -> Bool {
    try entryFacts(name)?.isLink == true
  }

  /// Whether there is such a name, also of a link that leads nowhere.
  func exists(_ name: some FileName) throws(MaildirError) -> Bool {
    if isNowhere { return false }
    var status = stat()
    return try name.withName { name throws(MaildirError) in
      fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
    }
  }

  func mayBeWritten(_ name: some FileName) throws(MaildirError) -> Bool {
    try name.withName { name throws(MaildirError) in faccessat(descriptor, name, W_OK, 0) == 0 }
  }

  /// Whether a symbolic link lies on the way.
  func isBehindLink(_ path: [String]) throws(MaildirError) -> Bool {
    var directory = self
    for name in path {
      var status = stat()
      let found = try name.withName { name throws(MaildirError) in
        fstatat(directory.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
      }
      guard found else { return false }
      if status.st_mode & S_IFMT == S_IFLNK { return true }
      guard let next = try directory.directory(name) else { return false }
      directory = next
    }
    return false
  }

  package func facts() throws(MaildirError) -> FileFacts {
    var status = stat()
    if isNowhere { return FileFacts(status) }
    guard fstat(descriptor, &status) == 0 else { throw .failed("stat", path) }
    return FileFacts(status)
  }

  /// Nanoseconds since 1970; 0 where the file system keeps none.
  var birthTime: Int64 { isNowhere ? 0 : file_birth_time(descriptor) }

  /// The same of an entry; nil where there is none, or the file system keeps none.
  func birthTime(of name: some FileName) throws(MaildirError) -> Int64? {
    guard let file = try open(name, O_RDONLY | O_NOFOLLOW) else { return nil }
    let time = file_birth_time(file.raw)
    return time == 0 ? nil : time
  }

  package func sync() throws(MaildirError) {
    if isNowhere { return }
    guard retrying({ file_sync(descriptor) }) == 0 else {
      if errno == EINVAL { return }  // a file system that cannot sync directories
      throw .failed("fsync", path, descriptor: descriptor)
    }
  }

  private static func openDirectory(_ parent: Int32, _ name: UnsafePointer<CChar>) -> Int32 {
    openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  }
}

/// Repeats a call that a signal broke off.
func retrying(_ call: () -> Int32) -> Int32 {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}
