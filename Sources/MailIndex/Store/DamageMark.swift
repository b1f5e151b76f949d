#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A note beside the index that it is damaged, left by whoever meets the damage: a search, a check.
/// They may not write the index; the next update makes it anew and takes the note away.
enum DamageMark {
  /// Bytes; what says more is cut.
  private static let most = 500

  static func path(root: String) -> String { root + "/.mirror/index.damaged" }

  /// Where no note can be left (read-only media), none is.
  static func leave(root: String, _ words: String) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = open(path(root: root), flags, 0o600)
    guard descriptor >= 0 else { return }
    _ = Array(words.utf8.prefix(most)).withUnsafeBytes {
      write(descriptor, $0.baseAddress, $0.count)
    }
    close(descriptor)
  }

  /// What was found wrong; nil without a note.
  static func words(root: String) -> String? {
    let path = path(root: root)
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: most)
    let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    return text.isEmpty ? "a reader met damage" : text
  }

  static func remove(root: String) { unlink(path(root: root)) }
}
