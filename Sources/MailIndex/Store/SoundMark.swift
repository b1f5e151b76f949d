import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Says of an index that it is as an update left it, so that the next one need not count its rows, which takes longer the more
/// there are.
///
/// The mark is in the file's own time: the second in which it was written last, and nanoseconds that are made of that
/// second, the file's inode and its size. Whoever writes the file leaves another time, a copy has another inode. On a
/// file system without nanoseconds there is never a mark, and every update counts.
enum SoundMark {
  /// Call before the index is opened.
  static func isOn(root: String) -> Bool {
    let path = IndexReader.path(root: root)
    var log = stat()
    // Changes in a log that was left are not in the file yet.
    if stat(path + "-wal", &log) == 0, log.st_size > 0 { return false }
    guard let facts = facts(path) else { return false }
    return modified(facts).tv_nsec == nanoseconds(facts)
  }

  /// Call after the index was closed, of which the update found and left the counts right.
  static func put(root: String) {
    if isOn(root: root) { return }
    let path = IndexReader.path(root: root)
    guard let facts = facts(path) else { return }
    let time = timespec(tv_sec: modified(facts).tv_sec, tv_nsec: nanoseconds(facts))
    // By its name: closing a descriptor of the file would let go of the locks that a reader in this process has on it.
    _ = utimensat(AT_FDCWD, path, [accessed(facts), time], AT_SYMLINK_NOFOLLOW)
  }

  private static func facts(_ path: String) -> stat? {
    var facts = stat()
    guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    return facts
  }

  private static func accessed(_ facts: stat) -> timespec {
    #if canImport(Glibc)
      facts.st_atim
    #else
      facts.st_atimespec
    #endif
  }

  private static func modified(_ facts: stat) -> timespec {
    #if canImport(Glibc)
      facts.st_mtim
    #else
      facts.st_mtimespec
    #endif
  }

  private static func nanoseconds(_ facts: stat) -> Int {
    let seen = [UInt64(facts.st_ino), UInt64(facts.st_size), UInt64(modified(facts).tv_sec)]
    return Int(seen.withUnsafeBytes { XXH3.hash($0) } % 1_000_000_000)
  }
}
