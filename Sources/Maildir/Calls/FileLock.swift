#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An flock on a file of ours. It dies with the process, so nothing that a killed one held stays locked.
package final class FileLock: Sendable {
  let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }
  deinit { close(descriptor) }

  /// Nil where somebody else has it and `waiting` is false.
  package static func take(_ name: String, in directory: Directory, waiting: Bool)
    throws(MaildirError) -> FileLock?
  {
    let path = directory.path + "/" + name
    let descriptor = retrying {
      openat(directory.descriptor, name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    }
    guard descriptor >= 0 else {
      throw .failed("open", path, descriptor: directory.descriptor)
    }
    let lock = FileLock(descriptor: descriptor)
    if retrying({ flock(descriptor, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) }) == 0 { return lock }
    guard errno == EWOULDBLOCK else { throw .failed("flock", path) }
    return nil
  }

  /// Whether anybody holds the lock now. It is not taken for that, and no file is made.
  package static func isHeld(_ name: String, in directory: Directory) -> Bool {
    let descriptor = retrying { openat(directory.descriptor, name, O_RDWR | O_CLOEXEC) }
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return retrying({ flock(descriptor, LOCK_SH | LOCK_NB) }) != 0 && errno == EWOULDBLOCK
  }

  /// Puts words into the file in place of those that it has. They are a courtesy: on a full disk the lock holds without.
  package func write(_ words: String) {
    guard ftruncate(descriptor, 0) == 0 else { return }
    _ = Array(words.utf8).withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }
}
