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

  deinit { close(descriptor) }

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
    let file = withCString(name) { name in
      unbroken { openat(descriptor, name, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600) }
    }
    if file >= 0 { return QueueFileHandle(descriptor: file, path: path) }
    if errno == ENOENT && flags & O_CREAT == 0 || errno == EEXIST && flags & O_EXCL != 0 {
      return nil
    }
    throw .call("open", path + "/" + String(decoding: name, as: UTF8.self))
  }

  /// The whole file; nil where there is none, or it is no regular file within the limit.
  func read(_ name: String, atMost limit: Int) throws(MaildirError) -> [UInt8]? {
    guard let file = try open(Array(name.utf8), O_RDONLY) else { return nil }
    let size = try file.facts().size
    guard size <= UInt64(limit) else { return [] }  // whatever it is, it is no record
    var bytes = [UInt8](repeating: 0, count: Int(size))
    let count = try file.read(into: &bytes)
    bytes.removeSubrange(count...)
    return bytes
  }

  /// Writes the file anew under a temporary name, syncs it and puts it in place of the old one: a
  /// reader, or a power cut, finds one or the other.
  ///
  /// - Parameter durably: false leaves the directory's sync to a later call.
  func replace(_ name: String, with bytes: [UInt8], durably: Bool = true) throws(MaildirError) {
    let temporary = TemporaryName.next()
    guard let file = try open(temporary, O_WRONLY | O_CREAT | O_EXCL) else {
      throw .nameTaken(name: name)
    }
    do throws(MaildirError) {
      try file.write(bytes)
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
    if withCString(name, { unlinkat(descriptor, $0, 0) }) == 0 { return true }
    if errno == ENOENT { return false }
    throw .call("unlink", path + "/" + String(decoding: name, as: UTF8.self))
  }

  func names() throws(MaildirError) -> [[UInt8]] {
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

  func sync() throws(MaildirError) {
    guard unbroken({ file_sync(descriptor) }) == 0 else {
      if errno == EINVAL { return }  // a file system that cannot sync directories
      throw .call("fsync", path)
    }
  }
}

/// An open file of the queue's, closed with the object's life.
final class QueueFileHandle {
  let descriptor: Int32
  let path: String

  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  struct Facts {
    var size: UInt64
    var inode: UInt64
    var birthTime: Int64
  }

  func facts() throws(MaildirError) -> Facts {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .call("stat", path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .badName(path) }
    return Facts(
      size: UInt64(max(0, status.st_size)), inode: UInt64(status.st_ino),
      birthTime: file_birth_time(descriptor))
  }

  func write(_ bytes: [UInt8]) throws(MaildirError) {
    let failed = bytes.withUnsafeBytes { writeAll($0) }
    if failed != 0 {
      errno = failed
      throw .call("write", path, needed: bytes.count)
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(MaildirError) {
    let failed = writeAll(bytes)
    if failed != 0 {
      errno = failed
      throw .call("write", path, needed: bytes.count)
    }
  }

  /// 0, or the error's number.
  private func writeAll(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    var rest = bytes
    while let start = rest.baseAddress, !rest.isEmpty {
      #if canImport(Glibc)
        let count = Glibc.write(descriptor, start, rest.count)
      #else
        let count = Darwin.write(descriptor, start, rest.count)
      #endif
      if count < 0 {
        if errno == EINTR { continue }
        return errno
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return 0
  }

  /// Fills the buffer as far as the file goes; returns how many bytes.
  func read(into buffer: inout [UInt8]) throws(MaildirError) -> Int {
    let (count, code) = buffer.withUnsafeMutableBytes { room -> (Int, Int32) in
      var filled = 0
      while filled < room.count, let start = room.baseAddress {
        #if canImport(Glibc)
          let count = Glibc.read(descriptor, start + filled, room.count - filled)
        #else
          let count = Darwin.read(descriptor, start + filled, room.count - filled)
        #endif
        if count < 0 {
          if errno == EINTR { continue }
          return (-1, errno)
        }
        if count == 0 { break }
        filled += count
      }
      return (filled, 0)
    }
    guard count >= 0 else {
      errno = code
      throw .call("read", path)
    }
    return count
  }

  func sync() throws(MaildirError) {
    guard unbroken({ file_sync(descriptor) }) == 0 else { throw .call("fsync", path) }
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
