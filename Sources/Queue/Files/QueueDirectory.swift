import CFileCalls
import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open directory of the queue's. All names in it are ours or checked, and single.
final class QueueDirectory: Sendable {
  let descriptor: Int32
  let path: String

  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { if !isNowhere { close(descriptor) } }

  /// A directory that is not there: nothing is in it, and nothing can be put there.
  static func nowhere(path: String) -> QueueDirectory {
    QueueDirectory(descriptor: -1, path: path)
  }
  var isNowhere: Bool { descriptor < 0 }

  /// The directory `name` in `parent`; nil where there is none.
  static func open(_ name: String, in parent: Int32, path: String) throws(MaildirError)
    -> QueueDirectory?
  {
    let descriptor = unbroken { openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    if descriptor >= 0 { return QueueDirectory(descriptor: descriptor, path: path + "/" + name) }
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw .call("open", path + "/" + name)
  }

  /// Makes it where it is missing. Tells whether it did: then `parent` wants a sync.
  static func make(_ name: String, in parent: Int32, path: String) throws(MaildirError) -> Bool {
    if mkdirat(parent, name, 0o700) == 0 { return true }
    guard errno == EEXIST else { throw .call("mkdir", path + "/" + name) }
    return false
  }

  /// Nil where the name does not exist (or exists, with O_EXCL).
  func open(_ name: [UInt8], _ flags: Int32) throws(MaildirError) -> QueueFileHandle? {
    guard !isNowhere else {
      if flags & O_CREAT != 0 { throw .treeVanished(path: path) }
      return nil
    }
    let file = withCString(name) { name in
      unbroken { openat(descriptor, name, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600) }
    }
    if file >= 0 { return QueueFileHandle(descriptor: file, path: path) }
    if errno == ENOENT && flags & O_CREAT == 0 || errno == EEXIST && flags & O_EXCL != 0 {
      return nil
    }
    throw .call("open", path + "/" + String(decoding: name, as: UTF8.self))
  }

  /// A new file under a temporary name; nil where the name is taken. A lock that dies with us shows that
  /// somebody is at work on it, also to those who see no process of that number: in a container.
  func create(_ name: [UInt8]) throws(MaildirError) -> QueueFileHandle? {
    guard let file = try open(name, O_WRONLY | O_CREAT | O_EXCL) else { return nil }
    _ = flock(file.descriptor, LOCK_EX | LOCK_NB)
    return file
  }

  /// Whether nobody will ever finish this file: its name is a temporary one of a process that is gone,
  /// and nobody holds it. Where files cannot be locked it must be an hour old.
  func isAbandoned(_ name: [UInt8]) throws(MaildirError) -> Bool {
    guard let owner = TemporaryName(name), owner.ownerIsGone,
      let file = try open(name, O_RDONLY)
    else { return false }
    if flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno != EWOULDBLOCK else { return false }
    return try file.facts().isOld()
  }

  /// The whole file; nil where there is none. Empty where it is too large to be a record.
  func read(_ name: String, atMost limit: Int) throws(MaildirError) -> [UInt8]? {
    try readMarked(name, atMost: limit)?.bytes
  }

  /// The same, and which file it is.
  func readMarked(_ name: String, atMost limit: Int) throws(MaildirError)
    -> (bytes: [UInt8], file: FileMark)?
  {
    guard let file = try open(Array(name.utf8), O_RDONLY) else { return nil }
    let facts = try file.facts()
    guard facts.size <= UInt64(limit) else { return ([], facts.mark) }
    var bytes = [UInt8](repeating: 0, count: Int(facts.size))
    let count = try file.read(into: &bytes)
    bytes.removeSubrange(count...)
    return (bytes, facts.mark)
  }

  /// Writes the file anew under a temporary name, syncs it and puts it in place of the old one: a
  /// reader, or a power cut, finds one or the other.
  ///
  /// - Parameter durably: false leaves the directory's sync to a later call.
  func replace(_ name: String, with bytes: [UInt8], durably: Bool = true) throws(MaildirError) {
    try replace(name, durably: durably) { _ in bytes }
  }

  /// The same for what knows which file it is written as.
  func replace(_ name: String, durably: Bool = true, _ bytes: (FileMark) -> [UInt8])
    throws(MaildirError)
  {
    let temporary = TemporaryName.next()
    guard let file = try create(temporary) else { throw .nameTaken(name: name) }
    do throws(MaildirError) {
      try file.write(bytes(file.facts().mark))
      try file.sync()
      let status = withCString(temporary) { renameat(descriptor, $0, descriptor, name) }
      guard status == 0 else { throw .call("rename", path + "/" + name) }
    } catch {
      _ = withCString(temporary) { unlinkat(descriptor, $0, 0) }
      throw error
    }
    if durably { try sync() }
  }

  /// False where `newName` is taken; nothing is replaced.
  func rename(_ name: [UInt8], to target: QueueDirectory, _ newName: [UInt8]) throws(MaildirError)
    -> Bool
  {
    let (status, code) = withCString(name) { old in
      withCString(newName) { new -> (Int32, Int32) in
        if file_rename_exclusive(descriptor, old, target.descriptor, new) == 0 { return (0, 0) }
        guard errno == EINVAL || errno == ENOSYS || errno == ENOTSUP else { return (-1, errno) }
        // The name is random and ours: on file systems without an exclusive rename a look will do.
        if faccessat(target.descriptor, new, F_OK, 0) == 0 { return (-1, EEXIST) }
        return (renameat(descriptor, old, target.descriptor, new), errno)
      }
    }
    if status == 0 { return true }
    if code == EEXIST { return false }
    errno = code
    throw .call("rename", path + "/" + String(decoding: name, as: UTF8.self))
  }

  /// False where there was no such file.
  @discardableResult
  func unlink(_ name: [UInt8]) throws(MaildirError) -> Bool {
    guard !isNowhere else { return false }
    if withCString(name, { unlinkat(descriptor, $0, 0) }) == 0 { return true }
    if errno == ENOENT { return false }
    throw .call("unlink", path + "/" + String(decoding: name, as: UTF8.self))
  }

  func names() throws(MaildirError) -> [[UInt8]] {
    guard !isNowhere else { return [] }
    let copy = unbroken { openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard copy >= 0 else { throw .call("open", path) }
    guard let stream = fdopendir(copy) else {
      close(copy)
      throw .call("opendir", path)
    }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw .call("readdir", path) }
        return names
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: 1) { start in
          Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
        }
      }
      if name.first != UInt8(ascii: ".") { names.append(name) }
    }
  }

  /// Makes them as young as what is written now, for ``QueueFileHandle/Facts/isOld(at:)``.
  func touch(_ names: [[UInt8]]) {
    for name in names { _ = withCString(name) { utimensat(descriptor, $0, nil, 0) } }
  }

  func sync() throws(MaildirError) {
    guard !isNowhere else { return }
    guard unbroken({ file_sync(descriptor) }) == 0 else {
      if errno == EINVAL { return }  // a file system that cannot sync directories
      throw .call("fsync", path)
    }
  }
}

/// Repeats a call that a signal broke off.
func unbroken(_ call: () -> Int32) -> Int32 {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}

/// The name with its final NUL; names never hold one themselves.
func withCString<R>(_ name: [UInt8], _ body: (UnsafePointer<CChar>) -> R) -> R {
  (name.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
    guard let start = buffer.baseAddress else { return "".withCString(body) }
    return body(start)
  }
}

extension MaildirError {
  /// The error of the call that just failed, told apart by `errno`.
  static func call(_ name: String, _ path: String, needed: Int = 0) -> MaildirError {
    switch errno {
    case ENOSPC: .noSpace(path: path, needed: UInt64(needed), free: 0)
    case EDQUOT: .overQuota(path: path, needed: UInt64(needed))
    case EROFS: .readOnly(path: path)
    case EACCES, EPERM: .notPermitted(path: path)
    case let code: .system(call: name, path: path, code: code)
    }
  }
}
