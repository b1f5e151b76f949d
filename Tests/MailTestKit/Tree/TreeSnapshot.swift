#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Every file below a directory, to show that nothing was touched.
package struct TreeSnapshot: Equatable, Sendable {
  package struct File: Equatable, Sendable {
    package var inode: UInt64
    package var size: Int64
    /// Nanoseconds.
    package var modified: Int64
    package var changed: Int64
    package var links: UInt64
  }

  package private(set) var files: [String: File] = [:]

  /// - Parameter leavingOut: whether a path, relative to the directory, is to be ignored.
  package init(_ directory: String, leavingOut: (String) -> Bool = { _ in false }) {
    read(directory, "", leavingOut)
  }

  private mutating func read(_ directory: String, _ path: String, _ leavingOut: (String) -> Bool) {
    for name in names(in: directory + "/" + path) {
      let inner = path.isEmpty ? name : path + "/" + name
      if leavingOut(inner) { continue }
      var status = stat()
      guard lstat(directory + "/" + inner, &status) == 0 else { continue }
      files[inner] = File(
        inode: UInt64(status.st_ino), size: Int64(status.st_size),
        modified: nanoseconds(status.st_mtim), changed: nanoseconds(status.st_ctim),
        links: UInt64(status.st_nlink))
      if status.st_mode & S_IFMT == S_IFDIR { read(directory, inner, leavingOut) }
    }
  }

  private func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Paths that appeared, vanished or changed.
  package func changes(to later: TreeSnapshot) -> [String] {
    Set(files.keys).union(later.files.keys).filter { files[$0] != later.files[$0] }.sorted()
  }
}
