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

  /// Tells which run begins under the lock, and when. What a pull left undone stays told, until one does it all.
  ///
  /// - Parameter isWholePull: it is a pull of the whole account.
  package func noteBeginning(program: String, since: String, isWholePull: Bool = false) {
    let undone = isWholePull ? nil : RunLockWords(text)?.pullUndone
    let line =
      isWholePull
      ? "\(RunLockWords.wholeKey)\n"
      : undone.map { "\(RunLockWords.undoneKey) \($0.exitStatus) \($0.since)\n" } ?? ""
    lock.write("\(getpid())\n\(program)\n\(since)\n\(line)")
  }

  /// What the file holds.
  private var text: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = pread(lock.descriptor, &bytes, bytes.count, 0)
    return Array(bytes.prefix(max(0, count)))
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
  /// It is a pull of the whole account: of one of some mailboxes the state keeps what is left to do.
  private let isWholePull: Bool
  /// A pull before it that failed or was cut off, and that none has made up for since.
  private let earlierUndone: UndonePull?

  /// A pull of the whole account that did not bring all there was.
  package struct UndonePull: Sendable, Equatable {
    package let exitStatus: Int32
    package let since: String
  }

  static let undoneKey = "pull-undone"
  static let wholeKey = "whole-pull"
  /// Of one that was killed: as if a signal had ended it.
  private static let killed: Int32 = 130

  fileprivate init?(_ text: [UInt8]) {
    let lines = text.split(separator: ASCII.lf).map { String(decoding: $0, as: UTF8.self) }
    guard lines.count >= 3, let process = Int32(lines[0]) else { return nil }
    (self.process, program, since) = (process, lines[1], lines[2])
    exitStatus = lines.dropFirst(3).compactMap { Int32($0) }.first
    isWholePull = lines.dropFirst(3).contains(Self.wholeKey)
    earlierUndone =
      lines.dropFirst(3).lazy.compactMap { line -> UndonePull? in
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count == 3, words[0] == Self.undoneKey, let status = Int32(words[1])
        else { return nil }
        return UndonePull(exitStatus: status, since: String(words[2]))
      }.first
  }

  /// What a pull of the whole account, this run or one before it, left undone; nil where the last one did all, or is at
  /// work.
  package var pullUndone: UndonePull? {
    guard isWholePull, exitStatus != 0, exitStatus != nil || !isAlive else {
      return earlierUndone
    }
    return UndonePull(exitStatus: exitStatus ?? Self.killed, since: since)
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
  ///   - isWholePull: it is a pull of the whole account.
  /// - Throws: `locked` with the holder's words when another process has it.
  package func lock(program: String, since: String, isWholePull: Bool = false)
    throws(MaildirError) -> RunLock
  {
    guard let lock = try FileLock.take(RunLock.fileName, in: control, waiting: false) else {
      let text = try OwnFile.read(RunLock.fileName, in: control, atMost: 4096) ?? []
      let path = control.path + "/" + RunLock.fileName
      throw .locked(holder: RunLock.holder(text, at: path))
    }
    let held = RunLock(lock)
    held.noteBeginning(program: program, since: since, isWholePull: isWholePull)
    return held
  }
}
