import Foundation
import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One command at a time changes a tree by query: an flock on `ROOT/.mirror/sorting.lock`, which dies with the process.
/// Runs of accounts do not take it: they are safe against mail readers, and these commands are as one.
final class SortingLock {
  private let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }
  deinit { close(descriptor) }

  /// - Parameter patience: seconds; a command is done in less, as a rule.
  /// Nil where there is no place for a lock, nor for a record: a tree without an index.
  ///
  /// - Throws: ``SortingError/busy`` when another command has it for longer.
  static func take(root: String, patience: Double = 10) throws -> SortingLock? {
    let path = root + "/.mirror/sorting.lock"
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if file < 0, errno == ENOENT { return nil }
    guard file >= 0 else { throw MaildirError.failed("open", path) }
    let lock = SortingLock(file)
    let end = Date(timeIntervalSinceNow: patience)
    while flock(file, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw MaildirError.system(call: "flock", path: path, code: errno)
      }
      guard Date() < end else { throw SortingError.busy }
      usleep(10_000)
    }
    return lock
  }
}
