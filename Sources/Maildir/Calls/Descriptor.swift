import CFileCalls

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file, closed with the value's life.
struct Descriptor: ~Copyable {
  let raw: Int32

  init(_ raw: Int32) { self.raw = raw }
  deinit { close(raw) }

  func facts(path: String) throws(MaildirError) -> FileFacts {
    var status = stat()
    guard fstat(raw, &status) == 0 else { throw .failed("stat", path) }
    return FileFacts(status)
  }

  /// Writes all of the bytes.
  func write(_ bytes: UnsafeRawBufferPointer, path: String) throws(MaildirError) {
    var rest = bytes
    while let start = rest.baseAddress, !rest.isEmpty {
      #if canImport(Glibc)
        let count = Glibc.write(raw, start, rest.count)
      #else
        let count = Darwin.write(raw, start, rest.count)
      #endif
      if count < 0 {
        if errno == EINTR { continue }
        throw .failed("write", path, needed: UInt64(rest.count), descriptor: raw)
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Reads until the buffer is full or the file ends; returns how many bytes.
  func read(into buffer: UnsafeMutableRawBufferPointer, path: String) throws(MaildirError) -> Int {
    var filled = 0
    while filled < buffer.count, let start = buffer.baseAddress {
      #if canImport(Glibc)
        let count = Glibc.read(raw, start + filled, buffer.count - filled)
      #else
        let count = Darwin.read(raw, start + filled, buffer.count - filled)
      #endif
      if count < 0 {
        if errno == EINTR { continue }
        throw .failed("read", path)
      }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  func rewind(to offset: Int64, path: String) throws(MaildirError) {
    guard lseek(raw, off_t(offset), SEEK_SET) >= 0 else { throw .failed("lseek", path) }
  }

  func setModificationTime(_ nanoseconds: Int64, path: String) throws(MaildirError) {
    guard file_set_modification_time(raw, nanoseconds) == 0 else {
      throw .failed("utimensat", path, descriptor: raw)
    }
  }

  func setMode(_ mode: mode_t, path: String) throws(MaildirError) {
    guard fchmod(raw, mode) == 0 else { throw .failed("chmod", path, descriptor: raw) }
  }

  /// - Throws: also what an earlier write could not bring to the disk.
  func sync(path: String) throws(MaildirError) {
    guard retrying({ file_sync(raw) }) == 0 else { throw .failed("fsync", path, descriptor: raw) }
  }
}
