#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One run per account: an flock on `.mirror/lock`, which dies with the process. The file tells who
/// holds it.
package final class RunLock: Sendable {
  private let descriptor: Int32
  static let fileName = "lock"

  fileprivate init(descriptor: Int32) { self.descriptor = descriptor }
  deinit { close(descriptor) }

  fileprivate static func holder(_ text: [UInt8], at path: String) -> String {
    let lines = text.split(separator: ASCII.lf).prefix(3).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard lines.count == 3 else { return "unknown, see \(path)" }
    // The words of one that has ended, where the next has not said its name: it may run in another container, too.
    guard let process = Int32(lines[0]), kill(process, 0) == 0 || errno == EPERM else {
      return "a program of unknown name; the last to say its name was \(lines[1])"
    }
    return "\(lines[1]), process \(lines[0]), since \(lines[2])"
  }
}

extension AccountTree {
  /// Takes the account for this process until the lock is let go.
  ///
  /// - Parameters:
  ///   - program: for the one who waits, say `mirror pull`.
  ///   - since: the time of day, spelled for people.
  /// - Throws: `locked` with the holder's words when another process has it.
  package func lock(program: String, since: String) throws(MaildirError) -> RunLock {
    let path = control.path + "/" + RunLock.fileName
    let descriptor = retrying {
      openat(control.descriptor, RunLock.fileName, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    }
    guard descriptor >= 0 else {
      throw .failed("open", path, descriptor: control.descriptor)
    }
    let lock = RunLock(descriptor: descriptor)
    guard retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 else {
      guard errno == EWOULDBLOCK else { throw .failed("flock", path) }
      let text = try OwnFile.read(RunLock.fileName, in: control, atMost: 4096) ?? []
      throw .locked(holder: RunLock.holder(text, at: path))
    }
    let text = "\(getpid())\n\(program)\n\(since)\n"
    // The words are a courtesy: on a full disk the lock holds without them.
    if ftruncate(descriptor, 0) == 0 {
      _ = Array(text.utf8).withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }
    return lock
  }
}
