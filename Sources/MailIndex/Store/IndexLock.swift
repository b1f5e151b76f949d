#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One updater at a time: an flock on `.mirror/index.lock`, which dies with its process. Readers take
/// no lock. The file tells who holds it.
final class IndexLock: Sendable {
  private let descriptor: Int32

  /// - Parameter patience: seconds to wait for another updater.
  /// - Throws: ``IndexError/busy(holder:)`` when that is over.
  init(root: String, patience: Double) throws(IndexError) {
    let path = root + "/.mirror/index.lock"
    descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .notWritable("\(path): \(String(cString: strerror(errno)))")
    }
    var waited = 0.0
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        let words = String(cString: strerror(errno))
        close(descriptor)
        throw .notWritable("\(path): \(words)")
      }
      guard waited < patience else {
        let holder = Self.holder(descriptor)
        close(descriptor)
        throw .busy(holder: holder)
      }
      usleep(20_000)
      waited += 0.02
    }
    // The words are a courtesy: on a full disk the lock holds without them.
    if ftruncate(descriptor, 0) == 0 {
      _ = Array("process \(getpid())\n".utf8).withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress, $0.count, 0)
      }
    }
  }

  deinit { close(descriptor) }

  private static func holder(_ descriptor: Int32) -> String {
    var words = [UInt8](repeating: 0, count: 100)
    let count = words.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    let text = words.prefix(max(0, count)).prefix { $0 != 0x0A }
    return text.isEmpty ? "another process" : String(decoding: text, as: UTF8.self)
  }
}
