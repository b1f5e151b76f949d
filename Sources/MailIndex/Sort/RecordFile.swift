#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Bytes that do not fit into memory, in a file without a name: it goes with the process, however that ends.
final class RecordFile: Sendable {
  private let descriptor: CInt

  /// - Parameter directory: on whose disk the file is, if it can be written; else where temporary files are.
  init(in directory: String) throws(IndexError) {
    let elsewhere = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var descriptor: CInt = -1
    for directory in [directory, elsewhere] where descriptor < 0 {
      var template = Array((directory + "/sort.XXXXXX").utf8CString)
      descriptor = mkstemp(&template)
      if descriptor >= 0 { unlink(template) }
    }
    guard descriptor >= 0 else { throw Self.failure() }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Writes all of it, or throws.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(IndexError) {
    var rest = bytes
    var offset = off_t(offset)
    while let start = rest.baseAddress, !rest.isEmpty {
      let written = pwrite(descriptor, start, rest.count, offset)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw Self.failure() }
      offset += off_t(written)
      rest = UnsafeRawBufferPointer(rebasing: rest[written...])
    }
  }

  /// Fills the buffer as far as the file goes. Returns how many bytes were read.
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(IndexError) -> Int
  {
    var filled = 0
    while filled < buffer.count, let start = buffer.baseAddress {
      let got = pread(
        descriptor, start + filled, buffer.count - filled, off_t(offset) + off_t(filled))
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw Self.failure() }
      if got == 0 { break }
      filled += got
    }
    return filled
  }

  private static func failure() -> IndexError {
    let code = errno
    return code == ENOSPC || code == EDQUOT ? .diskFull : .disk(String(cString: strerror(code)))
  }
}
