#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file that is the owner's alone.
enum PrivateFile {
  /// Makes an empty file. Returns whether there was none.
  static func make(_ path: String) -> Bool {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
  }
}
