#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a stat scan compares.
package struct FileFacts: Hashable, Sendable {
  package var size: UInt64
  /// Nanoseconds since 1970.
  package var modified: Int64
  /// Nanoseconds since 1970 of the last change of content, name count, mode or times.
  package var changed: Int64
  package var inode: UInt64
  package var device: UInt64
  package var links: UInt64
  package var mode: UInt32
  /// The user's number.
  var owner: UInt32
  /// Nanoseconds since 1970.
  var accessed: Int64

  init(_ status: stat) {
    size = UInt64(max(0, status.st_size))
    inode = UInt64(status.st_ino)
    device = UInt64(truncatingIfNeeded: status.st_dev)
    links = UInt64(status.st_nlink)
    mode = UInt32(status.st_mode)
    owner = UInt32(status.st_uid)
    #if canImport(Glibc)
      modified = Self.nanoseconds(status.st_mtim)
      changed = Self.nanoseconds(status.st_ctim)
      accessed = Self.nanoseconds(status.st_atim)
    #else
      modified = Self.nanoseconds(status.st_mtimespec)
      changed = Self.nanoseconds(status.st_ctimespec)
      accessed = Self.nanoseconds(status.st_atimespec)
    #endif
  }

  /// Whether it is the file of `seen`, with what that held, as far as these tell: whoever writes into a file and sets its
  /// time back changes only ``changed``, and so does a rename.
  func isAsSeen(_ seen: FileFacts) -> Bool {
    inode == seen.inode && size == seen.size && modified == seen.modified
  }

  /// Whether it is as seen and was not renamed since. The time of change tells that, unless a link to it came or went.
  package func isUntouched(since seen: FileFacts) -> Bool {
    isAsSeen(seen) && (changed == seen.changed || links != seen.links)
  }

  package var isRegularFile: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFREG) }
  package var isLink: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFLNK) }
  package var isDirectory: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFDIR) }
  var permissions: mode_t { mode_t(mode & 0o7777) }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}

/// The state of the file system that a descriptor lies on.
struct FileSystemFacts {
  let freeBytes: UInt64
  let isReadOnly: Bool
  /// Stable over reboots on file systems that derive it from their UUID.
  let identity: UInt64

  init?(_ descriptor: Int32) {
    var status = statvfs()
    guard descriptor >= 0, fstatvfs(descriptor, &status) == 0 else { return nil }
    freeBytes = UInt64(status.f_bavail) * UInt64(status.f_frsize)
    isReadOnly = UInt(status.f_flag) & 1 != 0  // ST_RDONLY on Linux and macOS alike
    identity = UInt64(status.f_fsid)
  }
}
