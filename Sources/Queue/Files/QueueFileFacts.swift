import CFileCalls
import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What tells a file of the queue from others, and whether anybody may still be at work on it.
struct QueueFileFacts {
  let size: UInt64
  let mark: FileMark
  /// Unix seconds: when its bytes, name or dates were changed here last, which no copying program makes up.
  private let changed: Int64

  /// - Throws: `badName` for what is no regular file.
  init(_ file: borrowing Descriptor, path: String) throws(MaildirError) {
    let facts = try file.facts(path: path)
    guard facts.isRegularFile else { throw .badName(path) }
    size = facts.size
    mark = FileMark(inode: facts.inode, birthTime: file_birth_time(file.raw))
    changed = facts.changed / 1_000_000_000
  }

  /// What is not finished after an hour never will be.
  func isOld(at seconds: Int64 = Int64(time(nil))) -> Bool { seconds - changed >= 3600 }
}
