#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One run per account: an flock on `.mirror/lock`, which dies with the process. The file tells who holds it, or held it
/// last, and how that ended: a run that changes nothing leaves no other trace.
package final class RunLock: Sendable {
  private let lock: FileLock
  static let fileName = "lock"

  fileprivate init(_ lock: FileLock) { self.lock = lock }

  /// Tells which run begins under the lock, and when.
  package func noteBeginning(program: String, since: String) {
    lock.write("\(getpid())\n\(program)\n\(since)\n")
  }

  /// Adds how the run ended. As the other words, a courtesy.
  package func noteEnd(exitStatus: Int32) {
    let end = lseek(lock.descriptor, 0, SEEK_END)
    _ = Array("\(exitStatus)\n".utf8).withUnsafeBytes {
      pwrite(lock.descriptor, $0.baseAddress, $0.count, end)
    }
  }

  fileprivate static func holder(_ text: [UInt8], at path: String) -> String {
    guard let words = RunLockWords(text) else { return "unknown, see \(path)" }
    // The words of one that has ended, where the next has not said its name: it may run in another container, too.
    guard words.isAlive else {
      return "a program of unknown name; the last to say its name was \(words.program)"
    }
    return "\(words.program), process \(words.process), since \(words.since)"
  }
}

/// What the last program to hold the lock wrote into it: a line each.
package struct RunLockWords: Sendable {
  let process: Int32
  package let program: String
  /// When it took the lock, spelled as it did.
  package let since: String
  /// Nil while it runs, and of one that was killed.
  package let exitStatus: Int32?

  fileprivate init?(_ text: [UInt8]) {
    let lines = text.split(separator: ASCII.lf).map { String(decoding: $0, as: UTF8.self) }
    guard lines.count >= 3, let process = Int32(lines[0]) else { return nil }
    (self.process, program, since) = (process, lines[1], lines[2])
    exitStatus = lines.count > 3 ? Int32(lines[3]) : nil
  }

  /// Whether that process, or another of its number, is at work here.
  package var isAlive: Bool { kill(process, 0) == 0 || errno == EPERM }
}

extension AccountTree {
  /// Who holds the lock or held it last, and when those words were written, in nanoseconds since 1970.
  package func lastHolder() throws(MaildirError) -> (words: RunLockWords, written: Int64)? {
    guard let file = try control.open(RunLock.fileName, O_RDONLY) else { return nil }
    let written = try file.facts(path: control.path + "/" + RunLock.fileName).modified
    let text = try OwnFile.read(RunLock.fileName, in: control, atMost: 4096) ?? []
    return RunLockWords(text).map { ($0, written) }
  }

  /// Takes the account for this process until the lock is let go.
  ///
  /// - Parameters:
  ///   - program: for the one who waits, say `mirror pull`.
  ///   - since: the time of day, spelled for people.
  /// - Throws: `locked` with the holder's words when another process has it.
  package func lock(program: String, since: String) throws(MaildirError) -> RunLock {
    guard let lock = try FileLock.take(RunLock.fileName, in: control, waiting: false) else {
      let text = try OwnFile.read(RunLock.fileName, in: control, atMost: 4096) ?? []
      let path = control.path + "/" + RunLock.fileName
      throw .locked(holder: RunLock.holder(text, at: path))
    }
    let held = RunLock(lock)
    held.noteBeginning(program: program, since: since)
    return held
  }
}
