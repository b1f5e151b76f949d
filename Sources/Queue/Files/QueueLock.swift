import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An flock that dies with the process, so that nothing a killed one held stays locked.
final class QueueLock {
  private let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }
  deinit { close(descriptor) }

  /// Held for the moment of one change, by everybody who changes.
  static let changes = "changes.lock"
  /// Held by the one who sends, for as long as it does.
  static let sender = "sender.lock"

  /// Nil where somebody else has it and `waiting` is false.
  static func take(_ name: String, in outbox: QueueDirectory, waiting: Bool) throws(MaildirError)
    -> QueueLock?
  {
    let descriptor = unbroken {
      openat(outbox.descriptor, name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    }
    guard descriptor >= 0 else { throw .call("open", outbox.path + "/" + name) }
    let lock = QueueLock(descriptor: descriptor)
    if unbroken({ flock(descriptor, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) }) == 0 { return lock }
    guard errno == EWOULDBLOCK else { throw .call("flock", outbox.path + "/" + name) }
    return nil
  }
}
