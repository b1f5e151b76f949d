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
}
